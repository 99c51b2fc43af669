"""Texts whose bytes, tokens and characters are computed once for all metrics, on all processors."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Final, TypeVar, overload

import numpy as np

from app.arrays import Int32s, Int64s, UInt8s
from app.metrics.tokenisers import MetricTokeniser
from app.metrics.tokens.character_classes import blank_classes
from app.metrics.tokens.token_kernels import split_characters
from app.running.blocks import in_blocks
from app.text.ragged import offsets_of

__all__ = ["SystemTexts", "Texts", "Tokens", "joined_texts", "symbols_of"]

T = TypeVar("T")
# Bytes of text that one processor reads at once; tokens of a block take up to 24 times as much.
BLOCK: Final = 1 << 18
SEPARATOR: Final = "\0"


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
        self._bytes: dict[tuple[bool, Callable[[str], str] | None], tuple[bytes, Int64s]] = {}
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
                return split_characters(_array(data), ends, first, last, blank_classes(), with_blanks)

            codes, counts = (np.concatenate(columns) for columns in zip(*in_blocks(work, ends, BLOCK), strict=True))
            self._characters[lowercase, with_blanks] = codes, offsets_of(counts)
        return self._characters[lowercase, with_blanks]

    def _plain(self, lowercase: bool) -> tuple[bytes, Int64s]:
        """UTF-8 bytes of all segments with a separator between two, and the end of each segment."""
        if (lowercase, None) not in self._bytes:
            joined_text = self._joined(lowercase)
            is_joined = joined_text.count(SEPARATOR) == max(len(self) - 1, 0)
            self._bytes[lowercase, None] = _encode(joined_text, len(self)) if is_joined else _encode_each(self._cased(lowercase))
        return self._bytes[lowercase, None]

    def _encoded(self, tokeniser: MetricTokeniser, lowercase: bool) -> tuple[bytes, Int64s]:
        """Bytes and ends, as `_plain`, of segments that the tokeniser has cleaned."""
        clean = tokeniser.clean
        if clean is None:
            return self._plain(lowercase)
        if (lowercase, clean) not in self._bytes:
            self._bytes[lowercase, clean] = self._cleaned(clean, tokeniser.cleans_joined, lowercase)
        return self._bytes[lowercase, clean]

    def _cleaned(self, clean: Callable[[str], str], cleans_joined: bool, lowercase: bool) -> tuple[bytes, Int64s]:
        if cleans_joined:
            text = self._joined(lowercase)
            clean_text = clean(text)
            if clean_text == text:
                return self._plain(lowercase)
            # Without line breaks, cleaning never looks beyond a segment or at the blanks at its end.
            if "\n" not in text and text.count(SEPARATOR) == len(self) - 1:
                return _encode(clean_text, len(self))
        # Blanks at the end are dropped before cleaning, as sacreBLEU does.
        return _encode_each([clean(text.rstrip()) for text in self._cased(lowercase)])

    def _joined(self, lowercase: bool) -> str:
        text = SEPARATOR.join(self._segments)
        return text.lower() if lowercase else text

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
    def joined(self) -> Texts:
        """The segments of all systems in a row."""
        return Texts([text for segments in self._systems for text in segments])


def joined_texts(systems: Sequence[Sequence[str]]) -> Texts:
    """The segments of all systems in a row; their tokens are shared by all metrics if the systems are `SystemTexts`."""
    return (systems if isinstance(systems, SystemTexts) else SystemTexts(systems)).joined


def symbols_of(tokeniser: MetricTokeniser, lowercase: bool, segments: Sequence[str]) -> tuple[Int64s, Int64s]:
    """Symbols of all tokens of the segments, and offsets (n + 1,) of the segments in them (CSR)."""
    tokens = Texts.of(segments).tokens(tokeniser, lowercase)
    return tokens.symbols, tokens.offsets


def _array(data: bytes) -> UInt8s:
    return np.frombuffer(data, np.uint8)


def _encode(text: str, count: int) -> tuple[bytes, Int64s]:
    """Bytes of joined segments, and the end of each."""
    data = text.encode("utf-8", "surrogatepass")
    return data, np.append(np.flatnonzero(_array(data) == 0), len(data))[:count]


def _encode_each(segments: Sequence[str]) -> tuple[bytes, Int64s]:
    """Bytes of segments that may contain the separator."""
    parts = [text.encode("utf-8", "surrogatepass") for text in segments]
    lengths = np.fromiter(map(len, parts), np.int64, len(parts))
    return SEPARATOR.encode().join(parts), np.cumsum(lengths + 1) - 1
