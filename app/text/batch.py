"""`SegmentBatch`: n segment pairs tokenised once into integer arrays."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from app.text.arrays import Int32s, Int64s, UInt64s
from app.text.errors import InputError
from app.text.hashing import hash_tokens
from app.text.languages import LanguagePair
from app.text.tokenisation import Tokeniser

__all__ = ["SegmentBatch", "TokenColumn", "pack_tokens"]


@dataclass(frozen=True)
class TokenColumn:
    """The tokens of n segments in CSR form.

    Segment i is ``ids[offsets[i]:offsets[i + 1]]``; an id is a row of `vocabulary`, the batch's
    distinct tokens in order of first appearance.
    """

    vocabulary: tuple[str, ...]
    ids: Int32s
    offsets: Int64s

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @cached_property
    def hashes(self) -> UInt64s:
        """MurmurHash64A of each vocabulary entry; shape (len(vocabulary),)."""
        return hash_tokens(self.vocabulary)

    @cached_property
    def lengths(self) -> Int64s:
        """Number of tokens of each segment; shape (n,)."""
        return np.diff(self.offsets)

    def tokens(self, row: int) -> list[str]:
        """The tokens of one segment, as text."""
        return [self.vocabulary[i] for i in self.ids[self.offsets[row] : self.offsets[row + 1]]]


def pack_tokens(segments: Sequence[Sequence[str]]) -> TokenColumn:
    """Pack tokenised segments into one TokenColumn."""
    index: dict[str, int] = {}
    ids = [index.setdefault(token, len(index)) for segment in segments for token in segment]
    offsets = np.zeros(len(segments) + 1, np.int64)
    np.cumsum([len(segment) for segment in segments], out=offsets[1:])
    return TokenColumn(tuple(index), np.array(ids, np.int32), offsets)


@dataclass(frozen=True)
class SegmentBatch:
    """n pairs of source and translation, tokenised and lower-cased, in the order they were sent.

    `token_log_probs`, where given, holds the natural-log probability of each token of the MT
    system for each segment, the end of sentence last.
    """

    pair: LanguagePair
    source: TokenColumn
    translation: TokenColumn
    token_log_probs: tuple[tuple[float, ...], ...] | None = None

    def __len__(self) -> int:
        return len(self.source)

    @classmethod
    def build(
        cls,
        source: Tokeniser,
        translation: Tokeniser,
        sources: Sequence[str],
        translations: Sequence[str],
        token_log_probs: Sequence[Sequence[float]] | None = None,
    ) -> "SegmentBatch":
        """Tokenise `sources` and `translations` (equal in number) into a batch."""
        if len(sources) != len(translations):
            raise InputError(
                "unequal-lengths",
                f"{len(sources)} sources but {len(translations)} translations; each source needs one",
            )
        return cls(
            LanguagePair(source.language, translation.language),
            pack_tokens([source(text) for text in sources]),
            pack_tokens([translation(text) for text in translations]),
            None if token_log_probs is None else tuple(tuple(row) for row in token_log_probs),
        )
