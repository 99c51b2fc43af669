"""Minimum risk training by gradient: the objective is the expected metric over the lists.

Smith and Eisner 2006 (annealing); Zens, Hasan and Ney 2007 (expected BLEU by expected counts); Rosti et al. 2010.
"""

from typing import Final

import numpy as np

from app.arrays import Float64s
from app.running.journal import Journal
from app.smt.tuning.gradient.ascent import Objective, ScaledPool, climb, scaled
from app.smt.tuning.gradient.posterior_kernels import mean_slopes, posteriors
from app.smt.tuning.method import IterationScore, Settings, TuningData, TuningMethod, TuningOutcome
from app.smt.tuning.pool import TuningPool
from app.smt.tuning.work import MOVE
from app.text.reading.options import Choice, Number

__all__ = ["EXPECTED", "corpus_expectation", "expectation", "sentence_expectation", "tune_expected"]

# Step of numerical derivatives of the metric: a share of each sum of statistics, and the least step.
STEP_SHARE: Final = 1e-5
LEAST_STEP: Final = 1e-7


def corpus_expectation(pool: TuningPool, scores: Float64s) -> tuple[float, Float64s]:
    """Return the metric of the expected statistics (fraction, higher is better) and its derivative by each score (h,)."""
    shares, _ = posteriors(scores, pool.offsets)
    sums = shares @ pool.statistics
    steps = np.maximum(np.abs(sums) * STEP_SHARE, LEAST_STEP)
    rows = np.concatenate([sums[None], sums + np.diag(steps), sums - np.diag(steps)])
    values = pool.metric.score(rows) * ((1.0 if pool.metric.higher_is_better else -1.0) / pool.points)
    derivatives = (values[1 : len(sums) + 1] - values[len(sums) + 1 :]) / (2 * steps)
    return float(values[0]), mean_slopes(pool.statistics @ derivatives, shares, pool.offsets)


def sentence_expectation(pool: TuningPool, scores: Float64s) -> tuple[float, Float64s]:
    """Return the mean expected gain of segments, and its derivative by the score of each hypothesis (h,)."""
    shares, _ = posteriors(scores, pool.offsets)
    return float(shares @ pool.gains) / len(pool), mean_slopes(pool.gains, shares, pool.offsets) / len(pool)


def expectation(data: ScaledPool, of: str, sharpness: float, l2: float) -> Objective:
    """Return the objective: the expectation under ``softmax(sharpness · weighted sums)``, minus ``l2 / 2 · |w|²``."""
    inner = corpus_expectation if of == "corpus" else sentence_expectation

    def objective(weights: Float64s) -> tuple[float, Float64s]:
        value, by_score = inner(data.pool, (data.pool.features @ weights) * sharpness)
        gradient = data.pool.features.gathered(by_score) * sharpness
        return value - l2 / 2 * float(weights @ weights), gradient - l2 * weights

    return objective


def tune_expected(data: TuningData, settings: Settings, rng: np.random.Generator, journal: Journal) -> TuningOutcome:
    """Maximise a flat expectation first, then sharper ones from the last optimum; keep the weights of the best stage.

    Sharpness doubles from stage to stage. The expectation thus approaches the metric of the chosen hypotheses.
    """
    work, stages, restarts = scaled(data), settings["stages"], settings["restarts"]
    pool = work.pool
    best, best_score = work.start, pool.score(work.start)
    curve = [IterationScore(0, best_score)]
    data.watch(curve[0])
    starts = [work.start] + [rng.normal(size=len(work.start)) / np.sqrt(len(work.start)) for _ in range(restarts)]
    for number, start in enumerate(starts):
        weights = start
        for stage in range(stages):
            sharpness = settings["sharpness"] * 2.0**stage
            objective = expectation(work, settings["of"], sharpness, settings["l2"])
            share = (number + stage / stages) / len(starts)

            def climbed(objective: Objective = objective, weights: Float64s = weights, share: float = share) -> Float64s:
                return climb(objective, weights, settings["steps"], journal, share)

            weights = journal.recall(climbed)
            score = pool.score(weights)
            if pool.better(score, best_score):
                best, best_score = weights, score
            curve.append(IterationScore(len(curve), score))
            data.watch(curve[-1])
    return TuningOutcome(work.unscaled(best), curve, {"stages": stages, "starts": len(starts)})


EXPECTED: Final = TuningMethod(
    "expected",
    "expected metric by gradient: minimum risk, annealed",
    {
        "of": Choice({"corpus": "corpus", "sentence": "sentence"}, "corpus"),
        "stages": Number(1, 20, 6, is_whole=True),
        "sharpness": Number(0.01, 100, 1.0),
        "l2": Number(0, 100, 0.0001),
        "steps": Number(1, 1000, 50, is_whole=True),
        "restarts": Number(0, 1000, 0, is_whole=True),
    },
    tune_expected,
    "Smith and Eisner 2006; Zens, Hasan and Ney 2007",
    lambda settings, sizes: MOVE * (settings["restarts"] + 1) * settings["stages"] * settings["steps"] * sizes.values,
)
