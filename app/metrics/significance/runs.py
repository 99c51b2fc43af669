"""Several runs of one system: how much of a score is the optimiser's luck (Clark et al. 2011, MultEval)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from app.arrays import Bools, Float64s
from app.metrics.definition import Metric
from app.metrics.significance.paired_tests import paired_randomisation
from app.metrics.significance.resampling import bootstrap_scores

__all__ = ["RunSummary", "summarise_runs"]


@dataclass(frozen=True)
class RunSummary:
    """A system over its runs, by one metric.

    `selection_deviation` is the bootstrap standard deviation of a run's score, averaged over runs (how much the
    choice of segments matters); `optimiser_deviation` that of the score between runs (how much tuning does).
    `p_value` is by approximate randomisation over all runs against the baseline's.
    """

    system: str
    metric: str
    runs: tuple[str, ...]
    mean: float
    selection_deviation: float
    optimiser_deviation: float | None
    p_value: float | None


def summarise_runs(
    name: str,
    metric: Metric,
    statistics: Mapping[str, Float64s],
    runs: Mapping[str, Sequence[str]],
    baseline: str,
    weights: np.ndarray,
    draws: Bools,
) -> list[RunSummary]:
    """One summary per system of `runs` (system: names of its runs in `statistics`)."""
    resampled = bootstrap_scores(metric, statistics, weights)
    out = []
    for system, names in runs.items():
        rows = [statistics[run] for run in names]
        scores = [float(metric.score(matrix.sum(0, keepdims=True))[0]) for matrix in rows]
        p_value = None
        if system != baseline:
            p_value = paired_randomisation(metric, [statistics[run] for run in runs[baseline]], rows, draws)
        out.append(
            RunSummary(
                system,
                name,
                tuple(names),
                float(np.mean(scores)),
                float(np.mean([resampled[run].std(ddof=1) for run in names])),
                float(np.std(scores, ddof=1)) if len(scores) > 1 else None,
                p_value,
            )
        )
    return out
