"""Pairwise ranked optimisation (Hopkins and May 2011; Song 2015, §2.2.4): a classifier of the better of two hypotheses.

The loop also serves the weighted and oracle-sampled forms of Song's chapter 5 (`wro.py`); they differ in sampling and in weights.
"""

from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any, Final

import numpy as np

from app.arrays import Float64s
from app.running.journal import Journal
from app.smt.tuning.method import IterationScore, Settings, TuningData, TuningMethod, TuningOutcome
from app.smt.tuning.pairs.samples import PAIR_OPTIONS, Samples, draw_samples
from app.smt.tuning.pairs.sentence_bleu import pair_gains
from app.smt.tuning.pool import TuningPool
from app.smt.tuning.weights import normalised
from app.smt.tuning.work import work_of_pairs
from app.text.reading.options import Choice, Number, Option

__all__ = ["PRO", "ROUND_OPTIONS", "tune_by_pairs", "tune_pro"]

# Options of rounds: their number, the final weights, and the memory of old weights.
ROUND_OPTIONS: Final[Mapping[str, Option]] = {
    "rounds": Number(1, 1000, 10, is_whole=True),
    "take": Choice({"best": "best", "mean": "mean", "last": "last"}, "best"),
    "old": Number(0, 1, 0.0),
}


def tune_pro(data: TuningData, settings: Settings, rng: np.random.Generator, journal: Journal) -> TuningOutcome:
    """Tune with equal segment weights and pairs from whole lists."""
    pool, gains = data.pool, pair_gains(data.pool, settings["brevity"])
    return tune_by_pairs(
        data, settings, journal, lambda share: draw_samples(pool, settings, rng, journal, share=share, gains=gains)
    )


def tune_by_pairs(
    data: TuningData,
    settings: Settings,
    journal: Journal,
    draw: Callable[[float], Samples],
    notes: Mapping[str, Any] = MappingProxyType({}),
) -> TuningOutcome:
    """Draw pairs and learn, round by round; return the best weights (rounds or start), the mean over rounds, or the last.

    A round without admissible pairs changes nothing. `old` is the share of the old weights in the new ones (0.9 in Hopkins and May,
    0 for none). Both are scaled to a deviation of 1 of weighted sums within lists: sums of absolute weights would depend on
    redundant features, whose weights grow against each other.
    """
    pool, rounds = data.pool, settings["rounds"]
    weights = _scaled(pool, data.start)
    best, best_score, total = weights, pool.score(weights), np.zeros(len(weights))
    curve = [IterationScore(0, best_score)]
    data.watch(curve[-1])
    pairs, without, separation_count = 0, 0, 0
    for number in range(rounds):
        samples = draw(number / rounds)
        *learning_result, flag = journal.recall(partial(_weights_of_round, samples, settings, weights))
        weights = np.array(learning_result)
        total += weights
        pairs += len(samples.pairs)
        without += int((np.diff(samples.pairs.offsets) == 0).sum())
        separation_count += int(flag)
        score = pool.score(weights)
        if pool.better(score, best_score):
            best, best_score = weights, score
        curve.append(IterationScore(number + 1, score))
        data.watch(curve[-1])
    result = {"best": best, "mean": total if total.any() else weights, "last": weights}[settings["take"]]
    counts = {
        "rounds": rounds,
        "pairs": pairs // rounds,
        "segments_without_pairs": without // rounds,
        "separated": separation_count,
    }
    return TuningOutcome(result, curve, counts | dict(notes))


def _weights_of_round(samples: Samples, settings: Settings, before: Float64s) -> Float64s:
    """Return scaled weights after a round, and last 1 if the pairs were separated."""
    fit = samples.fit(settings) if len(samples.pairs) else None
    if fit is None or not fit.weights.any():
        return np.append(before, 0.0)
    mixture = (1 - settings["old"]) * _scaled(samples.pool, fit.weights) + settings["old"] * before
    return np.append(mixture if mixture.any() else before, float(fit.separated))


def _scaled(pool: TuningPool, weights: Float64s) -> Float64s:
    """Scale weights to a deviation of 1 of their sums within lists; constant sums leave weights unchanged."""
    scores = pool.features @ normalised(weights)
    means = np.add.reduceat(scores, pool.offsets[:-1]) / pool.lengths
    spread = float(np.sqrt(np.mean((scores - means[pool.segment_of]) ** 2)))
    return normalised(weights) / (spread or 1.0)


PRO: Final = TuningMethod(
    "pro",
    "pairwise ranked optimisation: which of two hypotheses is better, by logistic or linear regression",
    {**PAIR_OPTIONS, **ROUND_OPTIONS},
    tune_pro,
    "Hopkins and May 2011; Song 2015, §2.2.4",
    work_of_pairs,
)
