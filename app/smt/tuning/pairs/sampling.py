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
    minimum, begins = sampler.threshold + MARGIN, pool.offsets[:-1]
    lists = np.flatnonzero(np.maximum.reduceat(gains, begins) - np.minimum.reduceat(gains, begins) > minimum)
    report_interval = max(1, DRAWS_PER_REPORT // (sampler.draws * (MOST_ROUNDS if sampler.until_accepted else 1)))
    # More draws of a list depend on its first ones, and sorting is for one list.
    size = report_interval if sampler.keep <= INSERTION_LIMIT and not sampler.until_accepted else 1
    counts = np.zeros(len(pool), np.int64)
    parts = [(np.empty(0, np.int64), np.empty(0, np.int64))]
    for at in range(0, len(lists), size):
        if at % report_interval == 0:
            journal.report("drawing pairs", share)
        rows = lists[at : at + size]
        first, second, counts[rows] = _of_lists(gains, pool.offsets, rows, sampler, minimum, rng)
        parts.append((first, second))
    first, second = (np.concatenate(column) for column in zip(*parts, strict=True))
    margins = gains[first] - gains[second]
    return SampledPairs(
        offsets_of(counts), np.where(margins > 0, first, second), np.where(margins > 0, second, first), np.abs(margins)
    )


@dataclass(frozen=True, eq=False)
class _Range:
    """Hypotheses to draw from: list i has ``tops[offsets[i]:offsets[i + 1]]`` first, and ``spans[i, 0]:spans[i, 1]`` second."""

    tops: Int64s
    offsets: Int64s
    spans: Int64s


def _of_lists(
    gains: Float64s, offsets: Int64s, rows: Int64s, sampler: Sampler, minimum: float, rng: np.random.Generator
) -> tuple[Int64s, Int64s, Int64s]:
    """First and second hypotheses of the pairs of some lists, and their number in each list; one list if draws go on."""
    spans = np.stack([offsets[rows], offsets[rows + 1]], axis=1)
    tops = [begin + oracle_list(gains[begin:end], sampler.top) for begin, end in spans.tolist()]
    hypotheses = _Range(np.concatenate(tops), offsets_of([len(top) for top in tops]), spans)
    draws = rng.random((len(rows), 2, sampler.draws))
    first, second, counts, admissible = _strongest_draws(gains, hypotheses, draws, sampler.draws, sampler, minimum)
    for _ in range(MOST_ROUNDS - 1 if sampler.until_accepted else 0):
        if admissible[0] >= sampler.draws:
            break
        draws = rng.random((1, 2, sampler.draws))
        addition = _strongest_draws(gains, hypotheses, draws, sampler.draws - int(admissible[0]), sampler, minimum)
        admissible += addition[3]
        first, second = _strongest(gains, np.concatenate([first, addition[0]]), np.concatenate([second, addition[1]]), sampler)
        counts = np.array([len(first)])
    return first, second, counts


def _strongest_draws(
    gains: Float64s, hypotheses: _Range, draws: Float64s, limit: int, sampler: Sampler, minimum: float
) -> tuple[Int64s, Int64s, Int64s, Int64s]:
    """Return `strongest_pairs`; for many pairs of one list by sorting, whose time does not depend on the number of pairs."""
    tops, spans = hypotheses.tops, hypotheses.spans
    if sampler.keep <= INSERTION_LIMIT:
        pairs: tuple[Int64s, Int64s, Int64s, Int64s] = strongest_pairs(
            gains, tops, hypotheses.offsets, spans, draws, limit, sampler.keep, minimum, sampler.distinct
        )
        return pairs
    first = tops[(draws[0, 0] * len(tops)).astype(np.int64)]
    second = spans[0, 0] + (draws[0, 1] * (spans[0, 1] - spans[0, 0])).astype(np.int64)
    indices = np.flatnonzero(np.abs(gains[first] - gains[second]) > minimum)[:limit]
    first, second = _strongest(gains, first[indices], second[indices], sampler)
    return first, second, np.array([len(first)]), np.array([len(indices)])


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
    if count == len(gains):
        return np.arange(count)
    return np.sort(np.argsort(-gains, kind="stable")[:count])


def admissible(pool: TuningPool, gains: Float64s, threshold: float) -> Int64s:
    """Count the pairs of each segment with a difference above the threshold; (n,)."""
    return np.asarray(admissible_pairs(gains, pool.offsets, threshold + MARGIN))
