"""`SegmentBatch`: n segment pairs tokenised once into integer arrays."""

from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import overload

import numpy as np

from app.arrays import Int32s, Int64s, UInt8s, UInt64s
from app.errors import InputError
from app.text.composition import composed
from app.text.hashing import hash_slices
from app.text.languages import LanguagePair, language_pair
from app.text.packed_texts import PackedTexts
from app.text.ragged import offsets_of, ragged_rows
from app.text.side_information import NO_SIDE_INFORMATION, SideInformation
from app.text.tokenisation import Tokeniser, tokens_of
from app.text.word_kernel import number_words

__all__ = ["SegmentBatch", "SlicedWords", "TokenColumn", "pack_lines", "pack_tokenised", "pack_tokens"]

# Initial slots of the hash table that numbers the words of a batch: at least, and at most.
FEWEST_SLOTS, MOST_SLOTS = 1 << 6, 1 << 12


class SlicedWords(Sequence[str]):
    """Strings that are slices of one UTF-8 buffer. They are decoded at first use, since most features need none."""

    def __init__(self, data: UInt8s, begins: Int64s, ends: Int64s) -> None:
        self.slices = data, begins, ends

    def __len__(self) -> int:
        return len(self.slices[1])

    @overload
    def __getitem__(self, at: int) -> str: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[str]: ...
    def __getitem__(self, at: int | slice) -> str | Sequence[str]:
        return self.strings[at]

    def __iter__(self) -> Iterator[str]:
        return iter(self.strings)

    @cached_property
    def strings(self) -> tuple[str, ...]:
        """The strings, decoded at their first use."""
        data, begins, ends = self.slices
        text = data.tobytes()
        slices = zip(begins.tolist(), ends.tolist(), strict=True)
        return tuple([text[begin:end].decode("utf-8", "surrogatepass") for begin, end in slices])


@dataclass(frozen=True)
class TokenColumn:
    """The tokens of n segments in CSR form: segment i is ``ids[offsets[i]:offsets[i + 1]]``.

    An id is a row of `vocabulary`, the distinct tokens in order of first appearance.
    """

    vocabulary: Sequence[str]
    ids: Int32s
    offsets: Int64s

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @cached_property
    def encoded_vocabulary(self) -> tuple[UInt8s, Int64s, Int64s]:
        """UTF-8 buffer of the vocabulary, with the begin and the end of each entry in bytes; shapes (bytes,), (v,), (v,)."""
        if isinstance(self.vocabulary, SlicedWords):
            return self.vocabulary.slices
        packed_words = PackedTexts.of(self.vocabulary)
        return packed_words.data, packed_words.offsets[:-1], packed_words.offsets[1:]

    @cached_property
    def hashes(self) -> UInt64s:
        """MurmurHash64A of each vocabulary entry; shape (len(vocabulary),)."""
        hashes: UInt64s = hash_slices(*self.encoded_vocabulary)
        return hashes

    @cached_property
    def lengths(self) -> Int64s:
        """Number of tokens of each segment; shape (n,)."""
        return np.diff(self.offsets)

    @cached_property
    def segments(self) -> Int64s:
        """The segment of each token; shape (tokens,)."""
        return np.repeat(np.arange(len(self)), self.lengths)

    def tokens(self, row: int) -> list[str]:
        """The tokens of one segment, as text."""
        words = self._words
        return [words[i] for i in self.ids[self.offsets[row] : self.offsets[row + 1]].tolist()]

    @cached_property
    def _words(self) -> Sequence[str]:
        return self.vocabulary.strings if isinstance(self.vocabulary, SlicedWords) else self.vocabulary

    def rows(self, rows: Int64s) -> "TokenColumn":
        """Segments of these rows, in their order, with a vocabulary of their tokens alone."""
        positions, offsets = ragged_rows(self.offsets, rows)
        words, ids = _by_appearance(self.ids[positions])
        if isinstance(self.vocabulary, SlicedWords):
            data, begins, ends = self.vocabulary.slices
            return TokenColumn(SlicedWords(data, begins[words], ends[words]), ids, offsets)
        return TokenColumn(tuple([self.vocabulary[word] for word in words.tolist()]), ids, offsets)

    @classmethod
    def joined(cls, columns: Sequence["TokenColumn"]) -> "TokenColumn":
        """The segments of several columns, one after the other."""
        hashes = np.concatenate([column.hashes for column in columns])
        _, first, inverse = np.unique(hashes, return_index=True, return_inverse=True)
        starts = offsets_of([len(column.vocabulary) for column in columns])
        shared = np.concatenate([inverse[starts[k] + column.ids] for k, column in enumerate(columns)])
        words, ids = _by_appearance(shared)
        vocabularies = [tuple(column.vocabulary) for column in columns]
        owners = np.searchsorted(starts, first, "right") - 1
        vocabulary = [vocabularies[owners[word]][first[word] - starts[owners[word]]] for word in words.tolist()]
        return cls(tuple(vocabulary), ids, offsets_of(np.concatenate([column.lengths for column in columns])))


def _by_appearance(ids: Int32s | Int64s) -> tuple[Int64s, Int32s]:
    """Distinct ids in order of first appearance, and the position of each id among them."""
    distinct, first, inverse = np.unique(ids, return_index=True, return_inverse=True)
    order = np.argsort(first)
    positions = np.empty(len(order), np.int32)
    positions[order] = np.arange(len(order), dtype=np.int32)
    return distinct[order].astype(np.int64), positions[inverse]


def pack_tokens(segments: Sequence[Sequence[str]]) -> TokenColumn:
    """Pack tokenised segments into one TokenColumn."""
    index: dict[str, int] = {}
    ids = [index.setdefault(token, len(index)) for segment in segments for token in segment]
    return TokenColumn(tuple(index), np.array(ids, np.int32), offsets_of([len(segment) for segment in segments]))


def pack_tokenised(lines: Iterable[str]) -> TokenColumn:
    """Pack tokenised segments, split by `tokens_of`; each distinct word is in memory once."""
    index: dict[str, int] = {}
    ids, ends = array("i"), array("q", [0])
    for line in lines:
        ids.extend(index.setdefault(token, len(index)) for token in tokens_of(line))
        ends.append(len(ids))
    return TokenColumn(tuple(index), np.array(ids, np.int32), np.array(ends, np.int64))


def pack_lines(lines: Sequence[str]) -> TokenColumn:
    """Pack segments with blanks of any kind between tokens; equals `pack_tokens` of the split segments, and is faster."""
    texts = PackedTexts.of(lines)
    size = min(max(1 << (len(texts.data) // 2).bit_length(), FEWEST_SLOTS), MOST_SLOTS)
    slots = np.zeros(size, np.uint64), np.zeros(size, np.int64)
    ids, token_ends, words, *_ = number_words(texts.data, texts.offsets[1:], *slots, 0)
    vocabulary = SlicedWords(texts.data, words[:, 0].copy(), words[:, 1].copy())
    return TokenColumn(vocabulary, ids.astype(np.int32), np.concatenate([[0], token_ends]))


@dataclass(frozen=True)
class SegmentBatch:
    """n pairs of source and translation, tokenised and lower-cased, in the order of the request.

    `texts` are the sources and translations of the request, composed (NFC), and `cased_lines` their tokens with their case. A batch
    of tokens has neither: its tokens replace them, with their case if `cased_columns` is set.
    """

    pair: LanguagePair
    source: TokenColumn
    translation: TokenColumn
    side_information: SideInformation = NO_SIDE_INFORMATION
    texts: tuple[Sequence[str], Sequence[str]] | None = None
    cased_columns: tuple[TokenColumn, TokenColumn] | None = None
    cased_lines: tuple[Sequence[str], Sequence[str]] | None = None

    def __len__(self) -> int:
        return len(self.source)

    def select(self, rows: Int64s) -> "SegmentBatch":
        """Batch of these rows, in their order."""
        indices = rows.tolist()

        def selected(texts: tuple[Sequence[str], Sequence[str]] | None) -> tuple[Sequence[str], Sequence[str]] | None:
            return None if texts is None else ([texts[0][i] for i in indices], [texts[1][i] for i in indices])

        return SegmentBatch(
            self.pair,
            self.source.rows(rows),
            self.translation.rows(rows),
            self.side_information.rows(rows),
            selected(self.texts),
            None if self.cased_columns is None else (self.cased_columns[0].rows(rows), self.cased_columns[1].rows(rows)),
            selected(self.cased_lines),
        )

    @cached_property
    def cased_source(self) -> TokenColumn:
        """Tokens of the sources, with their case."""
        if self.cased_columns is not None:
            return self.cased_columns[0]
        return self.source if self.cased_lines is None else pack_lines(self.cased_lines[0])

    @cached_property
    def cased_translation(self) -> TokenColumn:
        """Tokens of the translations, with their case."""
        if self.cased_columns is not None:
            return self.cased_columns[1]
        return self.translation if self.cased_lines is None else pack_lines(self.cased_lines[1])

    @classmethod
    def build(
        cls,
        source: Tokeniser,
        translation: Tokeniser,
        sources: Sequence[str],
        translations: Sequence[str],
        side_information: SideInformation = NO_SIDE_INFORMATION,
    ) -> "SegmentBatch":
        """Compose and tokenise sources and translations; InputError (`unequal-lengths`) if their numbers differ."""
        if len(sources) != len(translations):
            raise InputError(
                "unequal-lengths", f"{len(sources)} sources but {len(translations)} translations; each source needs one"
            )
        # Decomposed texts, as some systems write them, have other tokens and pieces.
        sources, translations = composed(sources), composed(translations)
        source_lines, translation_lines = source.lines(sources), translation.lines(translations)
        return cls(
            language_pair(source.language, translation.language),
            pack_lines(source_lines.lower),
            pack_lines(translation_lines.lower),
            side_information,
            (sources, translations),
            None,
            (source_lines.with_case, translation_lines.with_case),
        )
