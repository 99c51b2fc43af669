"""Scores of a combination, its systems, the minimum-Bayes-risk choice and the oracle."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from app.arrays import Float64s, Int64s
from app.metrics import Metric
from app.metrics.significance.resampling import Interval
from app.smt.lists.combination.outputs import SystemOutputs
from app.smt.tuning.significance import chosen_scores

__all__ = ["CombinationScore", "measure_combination"]


@dataclass(frozen=True)
class CombinationScore:
    """A corpus score, and its 95 % interval by resampled segments."""

    score: float
    interval: Interval


def measure_combination(
    outputs: SystemOutputs, texts: Sequence[str], choices: Int64s, metric: Metric, references: Sequence[Sequence[str]]
) -> dict[str, CombinationScore]:
    """Return scores by name: every system, the systems chosen by `choices` (n,), the combined texts and the oracles.

    The last three have the names ``(mbr)``, ``(combined)`` and ``(oracle)``. An oracle is the output of a segment with the best
    score, the first of equal ones (Srivastava's thesis §2.5.8).
    """
    statistics = outputs.statistics(metric, references)
    segments = np.arange(len(outputs))
    rows: dict[str, Float64s] = {name: statistics[:, place] for place, name in enumerate(outputs.systems)}
    rows["(mbr)"] = statistics[segments, choices]
    rows["(combined)"] = metric.prepare(references).statistics(texts)
    rows["(oracle)"] = statistics[segments, np.argmax(_gains(metric, statistics), axis=1)]
    return {name: CombinationScore(*chosen_scores(metric, row)) for name, row in rows.items()}


def _gains(metric: Metric, statistics: Float64s) -> Float64s:
    """Return segment scores, higher is better; (n, systems, s) to (n, systems)."""
    scores = metric.segment_scores(statistics.reshape(-1, statistics.shape[2])).reshape(statistics.shape[:2])
    return scores if metric.higher_is_better else -scores
