"""Several runs of one system: how much of a score is the optimiser's luck (Clark et al. 2011, MultEval)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from app.arrays import Float64s
from app.metrics.definition import Metric
from app.metrics.significance.paired_tests import Swaps, holm, paired_randomisation
from app.metrics.significance.resampling import bootstrap_scores

__all__ = ["RunSummary", "summarise_runs"]


@dataclass(frozen=True)
class RunSummary:
    """A system over its runs, by one metric.

    `selection_deviation` is the bootstrap standard deviation of a run's score, averaged over runs (how much the
    choice of segments matters); `optimiser_deviation` that of the score between runs (how much tuning does).
    `p_value` is by approximate randomisation over all runs against the baseline's, whose mean `difference` is taken from;
    `corrected_p_value` is Holm's, over all systems. All three are None for the baseline.
    """

    system: str
    metric: str
    runs: tuple[str, ...]
    mean: float
    selection_deviation: float
    optimiser_deviation: float | None
    p_value: float | None
    difference: float | None = None
    corrected_p_value: float | None = None


def summarise_runs(
    name: str,
    metric: Metric,
    statistics: Mapping[str, Float64s],
    runs: Mapping[str, Sequence[str]],
    baseline: str,
    weights: np.ndarray,
    draws: Swaps,
) -> list[RunSummary]:
    """One summary per system of `runs` (system: names of its runs in `statistics`)."""
    resampled = bootstrap_scores(metric, statistics, weights)
    means = {
        system: float(np.mean([float(metric.score(statistics[run].sum(0, keepdims=True))[0]) for run in names]))
        for system, names in runs.items()
    }
    others = [system for system in runs if system != baseline]
    base = [statistics[run] for run in runs[baseline]]
    p_values = [paired_randomisation(metric, base, [statistics[run] for run in runs[system]], draws) for system in others]
    tests = dict(zip(others, zip(p_values, holm(p_values), strict=True), strict=True))
    out = []
    for system, names in runs.items():
        scores = [float(metric.score(statistics[run].sum(0, keepdims=True))[0]) for run in names]
        p_value, corrected = tests.get(system, (None, None))
        out.append(
            RunSummary(
                system,
                name,
                tuple(names),
                means[system],
                float(np.mean([resampled[run].std(ddof=1) for run in names])),
                float(np.std(scores, ddof=1)) if len(scores) > 1 else None,
                p_value,
                None if p_value is None else means[system] - means[baseline],
                corrected,
            )
        )
    return out
