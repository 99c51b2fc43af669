"""Oracles: the best hypotheses of lists by a sentence metric or by the corpus metric (Srivastava's thesis §3.4; Song's §2.3).

Throughout, `gains` (h,) are scores of hypotheses, higher is better. `offsets` (n + 1,) bound the lists; no list is empty.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np

from app.arrays import Bools, Float64s, Int64s
from app.errors import InputError
from app.metrics import Metric
from app.running.deadline import check_deadline
from app.smt.tuning.choice_kernels import first_of_best
from app.text.n_best import NBestLists
from app.text.ragged import offsets_of

__all__ = [
    "attains",
    "best_of_first",
    "corpus_oracles",
    "mixed_oracles",
    "oracles",
    "reachable",
    "scaled_in_lists",
    "ties",
    "top_share",
    "worst",
]

# Most sweeps of the exchange; a sweep without gain is the last.
MOST_SWEEPS: Final = 50


def oracles(gains: Float64s, offsets: Int64s) -> Int64s:
    """Return the best hypothesis of each segment (n,); of equal ones, the decoder's best."""
    return np.asarray(first_of_best(gains, offsets))


def worst(gains: Float64s, offsets: Int64s) -> Int64s:
    """Return the worst hypothesis of each segment, the first of equal ones (n,)."""
    return np.asarray(first_of_best(-gains, offsets))


def ties(gains: Float64s, offsets: Int64s) -> Int64s:
    """Count the hypotheses of each segment with the gain of the oracle (n,)."""
    best = gains[oracles(gains, offsets)]
    return np.add.reduceat((gains == np.repeat(best, np.diff(offsets))).astype(np.int64), offsets[:-1])


def scaled_in_lists(values: Float64s, offsets: Int64s) -> Float64s:
    """Scale values to 0 (the lowest of their list) to 1 (the highest); equal values become 0."""
    lengths = np.diff(offsets)
    low = np.repeat(np.minimum.reduceat(values, offsets[:-1]), lengths)
    span = np.repeat(np.maximum.reduceat(values, offsets[:-1]), lengths) - low
    return np.asarray(np.divide(values - low, span, out=np.zeros(len(values)), where=span > 0))


def mixed_oracles(gains: Float64s, model: Float64s, offsets: Int64s, share: float = 0.5) -> Int64s:
    """Return the best by ``(1 - share) · gain + share · model score``, both scaled to 0-1 per list (Song's thesis, equation 2.20).

    A share of 0 gives the oracles, 1 the model's best hypotheses.
    """
    if not 0.0 <= share <= 1.0:
        raise InputError("invalid-request", "the model's share of a mixed oracle must be from 0 to 1", ("mix",))
    return oracles((1 - share) * scaled_in_lists(gains, offsets) + share * scaled_in_lists(model, offsets), offsets)


def top_share(gains: Float64s, offsets: Int64s, share: float = 0.1) -> tuple[Int64s, Int64s]:
    """Return the best share of each list (at least one), best first, and offsets (n + 1,); equal ones keep their order."""
    lengths = np.diff(offsets)
    sizes = np.maximum(np.ceil(share * lengths - 1e-12).astype(np.int64), 1)
    segments = np.repeat(np.arange(len(lengths)), lengths)
    order = np.lexsort((np.arange(len(gains)), -gains, segments))
    within = np.arange(len(gains)) - np.repeat(offsets[:-1], lengths)
    return order[within < np.repeat(sizes, lengths)], offsets_of(sizes)


def best_of_first(gains: Float64s, offsets: Int64s, size: int) -> Int64s:
    """Return the best of the first `size` hypotheses of each list (n,): the oracles of shorter lists."""
    lengths = np.diff(offsets)
    within = np.arange(len(gains)) - np.repeat(offsets[:-1], lengths)
    return oracles(np.where(within < size, gains, -np.inf), offsets)


def reachable(lists: NBestLists, references: Sequence[Sequence[str]]) -> Int64s:
    """Return the first hypothesis of each segment that equals a reference word for word, else -1 (n,)."""
    reference_texts = [{" ".join(reference[segment].split()) for reference in references} for segment in range(len(lists))]
    first = np.full(len(lists), -1)
    for segment, hypotheses in enumerate(lists):
        first[segment] = next((h for h in hypotheses if " ".join(lists.texts[h].split()) in reference_texts[segment]), -1)
    return first


def corpus_oracles(metric: Metric, statistics: Float64s, offsets: Int64s, start: Int64s) -> Int64s:
    """Approximate the best choice by the corpus metric, by greedy exchange from `start` (n,); never worse than `start`.

    Each segment in turn takes the hypothesis with the best corpus score, until no segment changes.
    """
    choice = start.copy()
    sign = 1.0 if metric.higher_is_better else -1.0
    sums = statistics[choice].sum(0)
    for _ in range(MOST_SWEEPS):
        moved = False
        for segment in range(len(choice)):
            check_deadline()
            begin, end = offsets[segment], offsets[segment + 1]
            rest = sums - statistics[choice[segment]]
            scores = sign * metric.score(rest + statistics[begin:end])
            best = int(begin + np.argmax(scores))
            if scores[best - begin] > scores[choice[segment] - begin]:
                sums, moved = rest + statistics[best], True
                choice[segment] = best
        if not moved:
            break
    return choice


def attains(gains: Float64s, offsets: Int64s, hypotheses: Int64s) -> Bools:
    """Return True for segments whose chosen hypothesis has the gain of the oracle (n,)."""
    return np.asarray(gains[hypotheses] == gains[oracles(gains, offsets)])
