"""The twelve parallel features of a pair (Song 2015, Table 4.1; after Munteanu and Marcu 2005), and their sum."""

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
    """The features with their signs, of linked pairs.

    `function_words` are those of the target, in lower case; words without a letter or digit are punctuation and count with them.
    Fertility is of target words over the target's length, or of the other `side`. The thesis contradicts itself about the sign of
    TFWP; `sign` 1 makes function words a fault, as its name says.
    """

    function_words: frozenset[str]
    side: Literal["source", "target"] = "target"
    sign: int = 1

    def of(self, pairs: ParallelCorpus) -> Float64s:
        """Shape (n, 12), in the order of `FEATURES`; 0 where a side has no words. InputError without links."""
        if pairs.links is None:
            raise InputError("invalid-request", "the parallel features need links between words")
        links, segments = pairs.links, pairs.links.segments
        source, target = pairs.source, pairs.target
        lengths = source.lengths, target.lengths
        there = (lengths[0] > 0) & (lengths[1] > 0)
        long = [np.maximum(length, 1) for length in lengths]
        counts = [
            np.bincount(column.offsets[segments] + place, minlength=len(column.ids))
            for column, place in ((source, links.source), (target, links.target))
        ]
        aligned = [_sums(count > 0, column) for count, column in zip(counts, (source, target), strict=True)]
        out = np.zeros((len(pairs), len(FEATURES)))
        out[:, 0], out[:, 1] = aligned[0] / long[0], aligned[1] / long[1]
        out[:, 2] = (aligned[0] + aligned[1]) / (long[0] + long[1])
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
        return np.where(there[:, None], out, 0.0)


def _segments(column: TokenColumn) -> Int64s:
    return np.repeat(np.arange(len(column)), column.lengths)


def _sums(flags: Bools, column: TokenColumn) -> Int64s:
    """How many words of each segment have the flag."""
    return np.bincount(_segments(column)[flags], minlength=len(column))


def _longest_run(flags: Bools, column: TokenColumn) -> Int64s:
    """Words in the longest run of each segment that all have the flag."""
    out = np.zeros(len(column), np.int64)
    segments = _segments(column)[flags]
    places = np.flatnonzero(flags)
    if not len(places):
        return out
    begins = np.flatnonzero(np.append(True, (np.diff(places) > 1) | (np.diff(segments) > 0)))
    np.maximum.at(out, segments[begins], np.diff(np.append(begins, len(places))))
    return out


def _largest(counts: Int64s, column: TokenColumn) -> Int64s:
    """The three largest counts of each segment, 0 for words that it does not have; shape (n, 3)."""
    out = np.zeros((len(column), FERTILITIES), np.int64)
    segments = _segments(column)
    order = np.lexsort((-counts, segments))
    rank = np.arange(len(counts)) - column.offsets[:-1][segments]
    kept = rank < FERTILITIES
    out[segments[kept], rank[kept]] = counts[order][kept]
    return out


def linked(pairs: ParallelCorpus, aligner: Aligner | None) -> ParallelCorpus:
    """The pairs with the links that they have, or with those of an aligner, both directions symmetrised."""
    if pairs.links is not None or aligner is None:
        return pairs
    aligned = aligner.align(pairs)
    return pairs.linked(symmetrise_links(aligned.forward, aligned.reverse))


@dataclass(frozen=True)
class ParallelScorer:
    """The plain sum of the features, or of those that are `chosen`, for sources of more than `low` and fewer than `top` words."""

    features: ParallelFeatures
    low: int = 10
    top: int = 50
    chosen: Sequence[int] = field(default_factory=lambda: range(len(FEATURES)))
    aligner: Aligner | None = None

    def score(self, chunk: PoolChunk) -> Float64s:
        """Below 7; minus infinity outside of the bounds."""
        return np.where(self.fits(chunk), self.values(chunk)[:, list(self.chosen)].sum(1), -np.inf)

    def fits(self, chunk: PoolChunk) -> Bools:
        """Which pairs have a source of a length that is wanted, and words on both sides."""
        lengths = chunk.pairs.source.lengths
        return np.asarray((lengths > self.low) & (lengths < self.top) & chunk.usable)

    def values(self, chunk: PoolChunk) -> Float64s:
        """The features; shape (pairs, 12)."""
        return self.features.of(linked(chunk.pairs, self.aligner))
