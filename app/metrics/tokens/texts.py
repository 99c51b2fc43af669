"""Texts whose bytes, tokens and characters are computed once for all metrics, on all processors."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Final, TypeAlias, TypeVar, overload

import numpy as np

from app.arrays import Int32s, Int64s, UInt8s
from app.metrics.tokenisers import MetricTokeniser
from app.metrics.tokens.character_classes import blank_classes
from app.metrics.tokens.token_kernels import split_characters
from app.running.threads.blocks import in_blocks
from app.text.ragged import offsets_of

__all__ = ["SystemTexts", "Texts", "Tokens", "joined_texts", "symbols_of"]

T = TypeVar("T")
# Bytes of text that one processor reads at once; tokens of a block take up to 24 times as much.
BLOCK: Final = 1 << 18
SEPARATOR: Final = "\0"
SEPARATOR_BYTE: Final = 0
EncodedTexts: TypeAlias = tuple[bytes, Int64s]


@dataclass(frozen=True, eq=False)
class Tokens:
    """Tokens of n texts (CSR): equal tokens have equal symbols. Token k is ``data[spans[k, 0]:spans[k, 1]]``."""

    symbols: Int64s
    offsets: Int64s
    spans: Int64s
    data: bytes

    def strings(self, spans: Int64s) -> list[str]:
        """Tokens as text."""
        data = self.data
        return [data[begin:end].decode("utf-8", "surrogatepass") for begin, end in spans.tolist()]


class Texts(Sequence[str]):
    """Segments that metrics read; all results stay in memory as long as the object."""

    def __init__(self, segments: Sequence[str]) -> None:
        self._segments = segments
        self._bytes: dict[tuple[bool, Callable[..., object] | None], EncodedTexts] = {}
        self._tokens: dict[tuple[MetricTokeniser, bool], Tokens] = {}
        self._characters: dict[tuple[bool, bool], tuple[Int32s, Int64s]] = {}

    @classmethod
    def of(cls, segments: Sequence[str]) -> "Texts":
        """The segments themselves if they are texts already."""
        return segments if isinstance(segments, cls) else cls(segments)

    def __len__(self) -> int:
        return len(self._segments)

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[str]: ...
    def __getitem__(self, place: int | slice) -> str | Sequence[str]:
        return self._segments[place]

    def __iter__(self) -> Iterator[str]:
        return iter(self._segments)

    def tokens(self, tokeniser: MetricTokeniser, lowercase: bool, with_spans: bool = False) -> Tokens:
        """Tokens of all segments; `spans` has no rows without `with_spans`."""
        tokens = self._tokens.get((tokeniser, lowercase))
        if tokens is None or (with_spans and len(tokens.spans) < len(tokens.symbols)):
            data, ends = self._encoded(tokeniser, lowercase)
            parts = in_blocks(partial(tokeniser.split, _array(data), ends, with_spans), ends, BLOCK)
            keys, spans, counts = (np.concatenate(columns) for columns in zip(*parts, strict=True))
            tokens = self._tokens[tokeniser, lowercase] = Tokens(keys.view(np.int64), offsets_of(counts), spans, data)
        return tokens

    def characters(self, lowercase: bool, with_blanks: bool) -> tuple[Int32s, Int64s]:
        """Code points of all segments, and offsets (n + 1,) of the segments in them (CSR)."""
        if (lowercase, with_blanks) not in self._characters:
            data, ends = self._plain(lowercase)

            def work(first: int, last: int) -> tuple[Int32s, Int64s]:
                characters: tuple[Int32s, Int64s] = split_characters(_array(data), ends, first, last, blank_classes(), with_blanks)
                return characters

            codes, counts = (np.concatenate(columns) for columns in zip(*in_blocks(work, ends, BLOCK), strict=True))
            self._characters[lowercase, with_blanks] = codes, offsets_of(counts)
        return self._characters[lowercase, with_blanks]

    def _plain(self, lowercase: bool) -> EncodedTexts:
        """UTF-8 bytes of all segments with a separator between two, and the end of each segment."""
        if (lowercase, None) not in self._bytes:
            texts = self._cased(lowercase)
            data = _encode(SEPARATOR.join(texts))
            ends = _ends(data)
            # A segment with a separator inside adds ends.
            self._bytes[lowercase, None] = (data, ends) if len(ends) == len(texts) else _join([_encode(text) for text in texts])
        return self._bytes[lowercase, None]

    def _encoded(self, tokeniser: MetricTokeniser, lowercase: bool) -> EncodedTexts:
        """Bytes and ends, as `_plain`, of segments that the tokeniser has cleaned."""
        clean = tokeniser.clean or tokeniser.clean_bytes
        if clean is None:
            return self._plain(lowercase)
        if (lowercase, clean) not in self._bytes:
            self._bytes[lowercase, clean] = self._cleaned(tokeniser, lowercase)
        return self._bytes[lowercase, clean]

    def _cleaned(self, tokeniser: MetricTokeniser, lowercase: bool) -> EncodedTexts:
        # Blanks at the end are dropped before cleaning, as sacreBLEU does.
        if tokeniser.clean is not None:
            return _join([_encode(tokeniser.clean(text.rstrip())) for text in self._cased(lowercase)])
        assert tokeniser.clean_bytes is not None
        data, ends = self._plain(lowercase)
        clean_data = tokeniser.clean_bytes(data)
        if clean_data is data:
            return data, ends
        # Without line breaks, cleaning looks neither beyond a segment nor at the blanks at its end.
        if b"\n" not in data and len(clean_ends := _ends(clean_data)) == len(self):
            return clean_data, clean_ends
        return _join([tokeniser.clean_bytes(_encode(text.rstrip())) for text in self._cased(lowercase)])

    def _cased(self, lowercase: bool) -> Sequence[str]:
        return [text.lower() for text in self._segments] if lowercase else self._segments


class SystemTexts(Sequence[Sequence[str]]):
    """Segments of several systems, which metrics read system by system or joined."""

    def __init__(self, systems: Iterable[Sequence[str]]) -> None:
        self._systems = [Texts.of(segments) for segments in systems]

    def __len__(self) -> int:
        return len(self._systems)

    @overload
    def __getitem__(self, place: int) -> Texts: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Texts]: ...
    def __getitem__(self, place: int | slice) -> Texts | Sequence[Texts]:
        return self._systems[place]

    @cached_property
    def concatenation(self) -> Texts:
        """The segments of all systems in a row."""
        return Texts([text for segments in self._systems for text in segments])


def joined_texts(systems: Sequence[Sequence[str]]) -> Texts:
    """The segments of all systems in a row; their tokens are shared by all metrics if the systems are `SystemTexts`."""
    return (systems if isinstance(systems, SystemTexts) else SystemTexts(systems)).concatenation


def symbols_of(tokeniser: MetricTokeniser, lowercase: bool, segments: Sequence[str]) -> tuple[Int64s, Int64s]:
    """Symbols of all tokens of the segments, and offsets (n + 1,) of the segments in them (CSR)."""
    tokens = Texts.of(segments).tokens(tokeniser, lowercase)
    return tokens.symbols, tokens.offsets


def _array(data: bytes) -> UInt8s:
    return np.frombuffer(data, np.uint8)


def _encode(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _ends(data: bytes) -> Int64s:
    """Ends of joined segments without a separator inside."""
    return np.append(np.flatnonzero(_array(data) == SEPARATOR_BYTE), len(data))


def _join(parts: Sequence[bytes]) -> EncodedTexts:
    lengths = np.fromiter(map(len, parts), np.int64, len(parts))
    return bytes([SEPARATOR_BYTE]).join(parts), np.cumsum(lengths + 1) - 1
