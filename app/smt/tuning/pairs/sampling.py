"""Pairs of hypotheses of one segment that a metric tells apart (Hopkins and May 2011; Song 2015, Algorithms 2.3 and 5.1)."""

from dataclasses import dataclass
from math import ceil
from typing import Final

import numpy as np

from app.arrays import Float64s, Int64s
from app.errors import InputError
from app.running.journal import Journal
from app.smt.tuning.matrix import FeatureMatrix
from app.smt.tuning.pairs.sampling_kernels import admissible_pairs, strongest_pairs
from app.smt.tuning.pool import Pool
from app.text.ragged import offsets_of

__all__ = ["MARGIN", "Pairs", "Sampler", "admissible", "check_pairs", "draw_pairs", "oracle_list"]

# Differences of fractions that are equal on paper are not in binary.
MARGIN: Final = 1e-12
# A list in which few pairs are admissible is drawn from so many times Γ at most, where Γ admissible ones are wanted.
MOST_ROUNDS: Final = 20
# Draws between two reports: hundredths of a second.
REPORTED: Final = 400_000
# Pairs of all lists together, whose differences of features are held at once.
MOST_PAIRS: Final = 5_000_000
# Where more than so many stay, draws are sorted; where fewer, each goes to its place as it is drawn.
FEW: Final = 500


@dataclass(frozen=True)
class Sampler:
    """How pairs are drawn from one list.

    `draws` is Γ: so many are drawn, as the toolkit does it, or with `until_accepted` as many as it takes for Γ to differ by more
    than `threshold`, as the thesis prints it, and at most 20 Γ. Of these the `keep` (Ξ) that differ most stay. The first of a pair
    comes from the best `top` share of the list by the metric, the whole list where that is 1.

    Pairs are drawn with replacement, and in a short list the few that lie furthest apart fill all places, above all where one comes
    from a tenth of it; `distinct` keeps each once.
    """

    draws: int = 5000
    keep: int = 50
    threshold: float = 0.05
    until_accepted: bool = False
    top: float = 1.0
    distinct: bool = False


@dataclass(frozen=True, eq=False)
class Pairs:
    """Hypothesis ``better[p]`` is better than ``worse[p]``, by ``margins[p]``; segment i has ``offsets[i]:offsets[i + 1]``."""

    offsets: Int64s
    better: Int64s
    worse: Int64s
    margins: Float64s

    def __len__(self) -> int:
        return len(self.better)

    @property
    def segment_of(self) -> Int64s:
        """The segment of each pair; (p,)."""
        return np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))

    def differences(self, features: FeatureMatrix) -> FeatureMatrix:
        """Features of the better less those of the worse; p rows. Mirrored instances are the same rows with both signs turned."""
        return features.differences(self.better, self.worse)


def check_pairs(sampler: Sampler, segments: int) -> None:
    """InputError where pairs of so many segments would be more than can be held."""
    most = max(MOST_PAIRS // max(segments, 1), 1)
    if min(sampler.keep, sampler.draws * (MOST_ROUNDS if sampler.until_accepted else 1)) > most:
        detail = f"{sampler.keep} pairs of each of {segments} segments are too many: at most pairs:{most} of so many segments"
        raise InputError("invalid-tuning", detail, ("method",))


def draw_pairs(
    pool: Pool, gains: Float64s, sampler: Sampler, rng: np.random.Generator, journal: Journal, share: float = 0.0
) -> Pairs:
    """Pairs of every segment; a segment without an admissible pair has none, and costs nothing.

    InputError where they would be more than can be held.
    """
    check_pairs(sampler, len(pool))
    least = sampler.threshold + MARGIN
    firsts, seconds = [], []
    reported = max(1, REPORTED // (sampler.draws * (MOST_ROUNDS if sampler.until_accepted else 1)))
    for i, (begin, end) in enumerate(zip(pool.offsets[:-1].tolist(), pool.offsets[1:].tolist(), strict=True)):
        if i % reported == 0:
            journal.report("drawing pairs", share)
        own = gains[begin:end]
        if own.max() - own.min() > least:
            top = begin + oracle_list(own, sampler.top)
            first, second = _of_list(gains, top, begin, end, sampler, least, rng)
        else:
            first = second = np.empty(0, np.int64)
        firsts.append(first)
        seconds.append(second)
    first, second = np.concatenate(firsts), np.concatenate(seconds)
    margins = gains[first] - gains[second]
    return Pairs(
        offsets_of([len(row) for row in firsts]),
        np.where(margins > 0, first, second),
        np.where(margins > 0, second, first),
        np.abs(margins),
    )


def _of_list(
    gains: Float64s, top: Int64s, begin: int, end: int, sampler: Sampler, least: float, rng: np.random.Generator
) -> tuple[Int64s, Int64s]:
    draws = rng.random((2, sampler.draws))
    first, second, accepted = _drawn(gains, top, begin, end, draws, sampler.draws, sampler, least)
    if not sampler.until_accepted:
        return first, second
    for _ in range(MOST_ROUNDS - 1):
        if accepted >= sampler.draws:
            break
        draws = rng.random((2, sampler.draws))
        more = _drawn(gains, top, begin, end, draws, sampler.draws - accepted, sampler, least)
        accepted += more[2]
        first, second = _strongest(gains, np.concatenate([first, more[0]]), np.concatenate([second, more[1]]), sampler)
    return first, second


def _drawn(
    gains: Float64s, top: Int64s, begin: int, end: int, draws: Float64s, most: int, sampler: Sampler, least: float
) -> tuple[Int64s, Int64s, int]:
    """As `strongest_pairs`, whose time grows with the number of those that stay, in time that does not."""
    if sampler.keep <= FEW:
        kept, others, accepted = strongest_pairs(gains, top, begin, end, draws, most, sampler.keep, least, sampler.distinct)
        return kept, others, accepted
    first = top[(draws[0] * len(top)).astype(np.int64)]
    second = begin + (draws[1] * (end - begin)).astype(np.int64)
    chosen = np.flatnonzero(np.abs(gains[first] - gains[second]) > least)[:most]
    return *_strongest(gains, first[chosen], second[chosen], sampler), len(chosen)


def _strongest(gains: Float64s, first: Int64s, second: Int64s, sampler: Sampler) -> tuple[Int64s, Int64s]:
    """Those of two drawings that stay."""
    if sampler.distinct:
        unordered = np.stack([np.minimum(first, second), np.maximum(first, second)])
        once = np.sort(np.unique(unordered, axis=1, return_index=True)[1])
        first, second = first[once], second[once]
    order = np.argsort(-np.abs(gains[first] - gains[second]), kind="stable")[: sampler.keep]
    return first[order], second[order]


def oracle_list(gains: Float64s, share: float) -> Int64s:
    """Places of the best ceil(share · size) of a list, at least one, in the list's order; of equal ones the first."""
    count = max(1, ceil(share * len(gains) - 1e-9))
    return np.sort(np.argsort(-gains, kind="stable")[:count])


def admissible(pool: Pool, gains: Float64s, threshold: float) -> Int64s:
    """How many pairs of each segment's hypotheses differ by more than the threshold; (n,)."""
    return np.asarray(admissible_pairs(gains, pool.offsets, threshold + MARGIN))
