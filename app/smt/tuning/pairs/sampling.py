"""Sampling of hypothesis pairs with different gains (Hopkins and May 2011; Song 2015, Algorithms 2.3 and 5.1)."""

from dataclasses import dataclass
from math import ceil
from typing import Final

import numpy as np

from app.arrays import Float64s, Int64s
from app.errors import InputError
from app.running.journal import Journal
from app.smt.tuning.matrix import HypothesisFeatures
from app.smt.tuning.pairs.sampling_kernels import admissible_pairs, strongest_pairs
from app.smt.tuning.pool import TuningPool
from app.text.ragged import offsets_of

__all__ = ["MARGIN", "SampledPairs", "Sampler", "admissible", "check_pairs", "draw_pairs", "oracle_list"]

# Tolerance: decimal fractions with equal differences differ in binary.
MARGIN: Final = 1e-12
# Most draws, as a multiple of Γ, until Γ admissible pairs are found.
MOST_ROUNDS: Final = 20
# Draws between two reports: hundredths of a second of work.
DRAWS_PER_REPORT: Final = 400_000
# Most pairs of all lists: memory holds all their feature differences.
MOST_PAIRS: Final = 5_000_000
# Draws for more pairs than this are sorted; for fewer, each draw is inserted at once.
INSERTION_LIMIT: Final = 500


@dataclass(frozen=True)
class Sampler:
    """Parameters of pair sampling within a list.

    `draws` is Γ, the number of draws (as in the toolkit). With `until_accepted`, draws go on until Γ pairs differ by more than
    `threshold` (as in the thesis), up to 20 Γ. The `keep` (Ξ) pairs with the largest difference remain. The first hypothesis of a
    pair comes from the best `top` share of the list.

    Draws are with replacement: in a short list, copies of few pairs can fill all places. `distinct` keeps each pair once.
    """

    draws: int = 5000
    keep: int = 50
    threshold: float = 0.05
    until_accepted: bool = False
    top: float = 1.0
    distinct: bool = False


@dataclass(frozen=True, eq=False)
class SampledPairs:
    """Pair p: hypothesis ``better[p]`` exceeds ``worse[p]`` by ``margins[p]``. Segment i has ``offsets[i]:offsets[i + 1]``."""

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

    def differences(self, features: HypothesisFeatures) -> HypothesisFeatures:
        """Return features of the better minus the worse, one row per pair. Mirror images have both signs reversed."""
        return features.differences(self.better, self.worse)


def check_pairs(sampler: Sampler, segments: int) -> None:
    """Raise InputError if pairs of so many segments exceed the memory limit."""
    limit = max(MOST_PAIRS // max(segments, 1), 1)
    if min(sampler.keep, sampler.draws * (MOST_ROUNDS if sampler.until_accepted else 1)) > limit:
        detail = f"{sampler.keep} pairs of each of {segments} segments are too many; use at most pairs:{limit}"
        raise InputError("invalid-tuning", detail, ("method",))


def draw_pairs(
    pool: TuningPool, gains: Float64s, sampler: Sampler, rng: np.random.Generator, journal: Journal, share: float = 0.0
) -> SampledPairs:
    """Draw pairs of every segment; a segment without admissible pairs has none.

    InputError if they exceed the memory limit.
    """
    check_pairs(sampler, len(pool))
    minimum = sampler.threshold + MARGIN
    firsts, seconds = [], []
    report_interval = max(1, DRAWS_PER_REPORT // (sampler.draws * (MOST_ROUNDS if sampler.until_accepted else 1)))
    for i, (begin, end) in enumerate(zip(pool.offsets[:-1].tolist(), pool.offsets[1:].tolist(), strict=True)):
        if i % report_interval == 0:
            journal.report("drawing pairs", share)
        list_gains = gains[begin:end]
        if list_gains.max() - list_gains.min() > minimum:
            top = begin + oracle_list(list_gains, sampler.top)
            first, second = _of_list(gains, top, begin, end, sampler, minimum, rng)
        else:
            first = second = np.empty(0, np.int64)
        firsts.append(first)
        seconds.append(second)
    first, second = np.concatenate(firsts), np.concatenate(seconds)
    margins = gains[first] - gains[second]
    return SampledPairs(
        offsets_of([len(row) for row in firsts]),
        np.where(margins > 0, first, second),
        np.where(margins > 0, second, first),
        np.abs(margins),
    )


def _of_list(
    gains: Float64s, top: Int64s, begin: int, end: int, sampler: Sampler, minimum: float, rng: np.random.Generator
) -> tuple[Int64s, Int64s]:
    draws = rng.random((2, sampler.draws))
    first, second, admissible_count = _strongest_draws(gains, top, begin, end, draws, sampler.draws, sampler, minimum)
    if not sampler.until_accepted:
        return first, second
    for _ in range(MOST_ROUNDS - 1):
        if admissible_count >= sampler.draws:
            break
        draws = rng.random((2, sampler.draws))
        addition = _strongest_draws(gains, top, begin, end, draws, sampler.draws - admissible_count, sampler, minimum)
        admissible_count += addition[2]
        first, second = _strongest(gains, np.concatenate([first, addition[0]]), np.concatenate([second, addition[1]]), sampler)
    return first, second


def _strongest_draws(
    gains: Float64s, top: Int64s, begin: int, end: int, draws: Float64s, limit: int, sampler: Sampler, minimum: float
) -> tuple[Int64s, Int64s, int]:
    """Return `strongest_pairs` by sorting: the time does not depend on the number of kept pairs."""
    if sampler.keep <= INSERTION_LIMIT:
        better, worse, admissible = strongest_pairs(gains, top, begin, end, draws, limit, sampler.keep, minimum, sampler.distinct)
        return better, worse, admissible
    first = top[(draws[0] * len(top)).astype(np.int64)]
    second = begin + (draws[1] * (end - begin)).astype(np.int64)
    indices = np.flatnonzero(np.abs(gains[first] - gains[second]) > minimum)[:limit]
    return *_strongest(gains, first[indices], second[indices], sampler), len(indices)


def _strongest(gains: Float64s, first: Int64s, second: Int64s, sampler: Sampler) -> tuple[Int64s, Int64s]:
    """Return the strongest pairs of two drawings."""
    if sampler.distinct:
        pairs = np.stack([np.minimum(first, second), np.maximum(first, second)])
        firsts = np.sort(np.unique(pairs, axis=1, return_index=True)[1])
        first, second = first[firsts], second[firsts]
    order = np.argsort(-np.abs(gains[first] - gains[second]), kind="stable")[: sampler.keep]
    return first[order], second[order]


def oracle_list(gains: Float64s, share: float) -> Int64s:
    """Return the best ceil(share · size) hypotheses of a list, at least one, in list order; the first of equal ones."""
    count = max(1, ceil(share * len(gains) - 1e-9))
    return np.sort(np.argsort(-gains, kind="stable")[:count])


def admissible(pool: TuningPool, gains: Float64s, threshold: float) -> Int64s:
    """Count the pairs of each segment with a difference above the threshold; (n,)."""
    return np.asarray(admissible_pairs(gains, pool.offsets, threshold + MARGIN))
