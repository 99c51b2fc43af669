"""Twelve parallel features of a pair (Song 2015, Table 4.1; after Munteanu and Marcu 2005), and their sum."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

import numpy as np

from app.arrays import Bools, Float64s, Int64s
from app.building.alignment.aligner import Aligner
from app.building.alignment.symmetrisation import symmetrise_links
from app.errors import InputError
from app.smt.corpus.selection.pool import PoolChunk
from app.text.batch import TokenColumn
from app.text.parallel_corpus import ParallelCorpus

__all__ = ["FEATURES", "ParallelFeatures", "ParallelScorer", "linked"]

FEATURES: Final = (
    "LAR", "RAR", "TAR", "AFer.1", "AFer.2", "AFer.3", "SLCSR", "TLCSR", "SLDSR", "TLDSR", "STLR", "TFWP",
)  # fmt: skip
FERTILITIES: Final = 3


@dataclass(frozen=True)
class ParallelFeatures:
    """Features of linked pairs, with signs.

    `function_words` are lower-cased words of the target; words without a letter or digit count with them. Fertility is of words of
    `side`, over its length. The thesis contradicts itself about the sign of TFWP; `sign` 1 makes function words a fault, as its
    name says.
    """

    function_words: frozenset[str]
    side: Literal["source", "target"] = "target"
    sign: int = 1

    def of(self, pairs: ParallelCorpus) -> Float64s:
        """Features in the order of `FEATURES`, shape (n, 12); 0 for a pair with an empty side. InputError without links."""
        if pairs.links is None:
            raise InputError("invalid-request", "the parallel features need links between words")
        links, segments = pairs.links, pairs.links.segments
        source, target = pairs.source, pairs.target
        lengths = source.lengths, target.lengths
        mask = (lengths[0] > 0) & (lengths[1] > 0)
        long = [np.maximum(length, 1) for length in lengths]
        counts = [
            np.bincount(column.offsets[segments] + place, minlength=len(column.ids))
            for column, place in ((source, links.source), (target, links.target))
        ]
        linked_counts = [_sums(count > 0, column) for count, column in zip(counts, (source, target), strict=True)]
        out = np.zeros((len(pairs), len(FEATURES)))
        out[:, 0], out[:, 1] = linked_counts[0] / long[0], linked_counts[1] / long[1]
        out[:, 2] = (linked_counts[0] + linked_counts[1]) / (long[0] + long[1])
        fertile = 0 if self.side == "source" else 1
        out[:, 3:6] = -_largest(counts[fertile], (source, target)[fertile]) / long[fertile][:, None]
        for side, column in enumerate((source, target)):
            out[:, 6 + side] = _longest_run(counts[side] > 0, column) / long[side]
            out[:, 8 + side] = -_longest_run(counts[side] == 0, column) / long[side]
        out[:, 10] = np.minimum(*lengths) / np.maximum(*long)
        is_function = np.array(
            [word in self.function_words or not any(map(str.isalnum, word)) for word in target.vocabulary], np.bool_
        )
        function = _sums(is_function[target.ids], target) if len(is_function) else np.zeros(len(pairs))
        out[:, 11] = self.sign * np.exp(-function / long[1])
        return np.where(mask[:, None], out, 0.0)


def _segments(column: TokenColumn) -> Int64s:
    return np.repeat(np.arange(len(column)), column.lengths)


def _sums(flags: Bools, column: TokenColumn) -> Int64s:
    """Number of flagged words of each segment; shape (n,)."""
    return np.bincount(_segments(column)[flags], minlength=len(column))


def _longest_run(flags: Bools, column: TokenColumn) -> Int64s:
    """Length of the longest run of flagged words of each segment; shape (n,)."""
    out = np.zeros(len(column), np.int64)
    segments = _segments(column)[flags]
    places = np.flatnonzero(flags)
    if not len(places):
        return out
    begins = np.flatnonzero(np.append(True, (np.diff(places) > 1) | (np.diff(segments) > 0)))
    np.maximum.at(out, segments[begins], np.diff(np.append(begins, len(places))))
    return out


def _largest(counts: Int64s, column: TokenColumn) -> Int64s:
    """Three largest counts of each segment, padded with 0; shape (n, 3)."""
    out = np.zeros((len(column), FERTILITIES), np.int64)
    segments = _segments(column)
    order = np.lexsort((-counts, segments))
    rank = np.arange(len(counts)) - column.offsets[:-1][segments]
    mask = rank < FERTILITIES
    out[segments[mask], rank[mask]] = counts[order][mask]
    return out


def linked(pairs: ParallelCorpus, aligner: Aligner | None) -> ParallelCorpus:
    """Pairs with links: their links, or symmetrised links of an aligner."""
    if pairs.links is not None or aligner is None:
        return pairs
    alignment = aligner.align(pairs)
    return pairs.linked(symmetrise_links(alignment.forward, alignment.reverse))


@dataclass(frozen=True)
class ParallelScorer:
    """Sum of features with indices `selection`, for sources of more than `low` and fewer than `top` words."""

    features: ParallelFeatures
    low: int = 10
    top: int = 50
    selection: Sequence[int] = field(default_factory=lambda: range(len(FEATURES)))
    aligner: Aligner | None = None

    def score(self, chunk: PoolChunk) -> Float64s:
        """Scores below 7, minus infinity outside the limits of length; shape (pairs,)."""
        return np.where(self.fits(chunk), self.values(chunk)[:, list(self.selection)].sum(1), -np.inf)

    def fits(self, chunk: PoolChunk) -> Bools:
        """Mask of usable pairs with a source length within the limits; shape (pairs,)."""
        lengths = chunk.pairs.source.lengths
        return np.asarray((lengths > self.low) & (lengths < self.top) & chunk.usable)

    def values(self, chunk: PoolChunk) -> Float64s:
        """Features; shape (pairs, 12)."""
        return self.features.of(linked(chunk.pairs, self.aligner))
