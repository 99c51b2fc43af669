"""Structured ramp loss, its three forms (Gimpel and Smith 2012), by the concave-convex procedure and subgradients."""

from typing import Final

import numpy as np

from app.arrays import Float64s, Int64s
from app.running.journal import Journal
from app.smt.tuning.choice_kernels import first_of_best
from app.smt.tuning.gradient.ascent import scaled
from app.smt.tuning.method import IterationScore, Settings, TuningData, TuningMethod, TuningOutcome
from app.smt.tuning.pool import TuningPool
from app.smt.tuning.work import MOVE
from app.text.reading.options import Choice, Number

__all__ = ["FORMS", "RAMP", "ramp_loss", "tune_ramp"]

# Share of the cost that lowers the score of a target (first) and raises the score of a rival (second).
FORMS: Final = {"fear": (0.0, 1.0), "hope": (1.0, 0.0), "both": (1.0, 1.0)}
# Blocks of lists in one pass.
BLOCKS: Final = 20


def ramp_loss(pool: TuningPool, costs: Float64s, weights: Float64s, form: str) -> tuple[float, Int64s, Int64s]:
    """Return the mean loss over lists, the targets (n,) and the rivals (n,).

    Loss: ``-max(score - target_share · cost) + max(score + rival_share · cost)``. The paper's forms are ``fear``, ``hope`` and
    ``both``.
    """
    target_share, rival_share = FORMS[form]
    totals = pool.features @ weights
    towards = first_of_best(totals - target_share * costs, pool.offsets)
    rivals = first_of_best(totals + rival_share * costs, pool.offsets)
    losses = (totals + rival_share * costs)[rivals] - (totals - target_share * costs)[towards]
    return float(losses.mean()), towards, rivals


def tune_ramp(data: TuningData, settings: Settings, rng: np.random.Generator, journal: Journal) -> TuningOutcome:
    """Each round fixes the targets, then minimises the loss by passes of subgradients over blocks of lists.

    Weights are means over the steps of a round; `l2` holds them near the start. The best round counts.
    """
    work = scaled(data)
    pool, start, form = work.pool, work.start, settings["form"]
    best_gains = np.maximum.reduceat(pool.gains, pool.offsets[:-1])
    costs = settings["alpha"] * (best_gains[pool.segment_of] - pool.gains)
    rival_share = FORMS[form][1]
    edges = np.unique(np.linspace(0, len(pool), min(BLOCKS, len(pool)) + 1).astype(np.int64))
    best, best_score = start, pool.score(start)
    curve, weights = [IterationScore(0, best_score)], start
    data.watch(curve[0])
    for number in range(settings["rounds"]):
        block_pool = np.random.default_rng(rng.integers(0, 2**63))

        def round_of(weights: Float64s = weights, number: int = number, block_pool: np.random.Generator = block_pool) -> Float64s:
            _, towards, _ = ramp_loss(pool, costs, weights, form)
            mean, steps = np.zeros(len(weights)), 0
            for _ in range(settings["passes"]):
                for place in block_pool.permutation(len(edges) - 1):
                    journal.report("stepping", number / settings["rounds"])
                    begin, end = int(edges[place]), int(edges[place + 1])
                    first, last = int(pool.offsets[begin]), int(pool.offsets[end])
                    block = pool.features.rows(slice(first, last))
                    totals = block @ weights + rival_share * costs[first:last]
                    rivals = first_of_best(totals, pool.offsets[begin : end + 1] - first)
                    signs = np.zeros(last - first)
                    np.add.at(signs, towards[begin:end] - first, 1.0 / (end - begin))
                    np.add.at(signs, rivals, -1.0 / (end - begin))
                    weights = weights + settings["rate"] * (block.gathered(signs) - settings["l2"] * (weights - start))
                    mean, steps = mean + weights, steps + 1
            return mean / steps

        weights = journal.recall(round_of)
        score = pool.score(weights)
        if weights.any() and pool.better(score, best_score):
            best, best_score = weights, score
        curve.append(IterationScore(number + 1, score))
        data.watch(curve[-1])
    return TuningOutcome(work.unscaled(best), curve, {"rounds": settings["rounds"], "loss": ramp_loss(pool, costs, best, form)[0]})


RAMP: Final = TuningMethod(
    "ramp",
    "structured ramp loss: towards hope, away from fear",
    {
        "form": Choice({name: name for name in FORMS}, "both"),
        "alpha": Number(0, 1000, 10.0),
        "l2": Number(0, 100, 0.01),
        "rate": Number(1e-6, 10, 0.02),
        "rounds": Number(1, 1000, 20, is_whole=True),
        "passes": Number(1, 100, 3, is_whole=True),
    },
    tune_ramp,
    "Gimpel and Smith 2012",
    lambda settings, sizes: MOVE * settings["rounds"] * (settings["passes"] + 1) * sizes.values,
)
