"""Several runs of a system: the share of a score that is due to the optimiser's luck (Clark et al. 2011, MultEval)."""

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
    """Scores of a system over its runs, by one metric.

    `selection_deviation` is the bootstrap standard deviation of a run's score, averaged over runs: the effect of the choice of
    segments. `optimiser_deviation` is the standard deviation between runs: the effect of tuning.
    `difference` is the system's mean less the baseline's, `p_value` that of approximate randomisation over all runs, and
    `corrected_p_value` adds Holm's correction for all systems. All three are None for the baseline.
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
    """A summary per system of `runs`, which maps a system to the names of its runs in `statistics`."""
    resamples = bootstrap_scores(metric, statistics, weights)
    run_scores = {
        system: [float(metric.score(statistics[run].sum(0, keepdims=True))[0]) for run in names] for system, names in runs.items()
    }
    means = {system: float(np.mean(scores)) for system, scores in run_scores.items()}
    rivals = [system for system in runs if system != baseline]
    baseline_runs = [statistics[run] for run in runs[baseline]]
    p_values = [paired_randomisation(metric, baseline_runs, [statistics[run] for run in runs[system]], draws) for system in rivals]
    tests = dict(zip(rivals, zip(p_values, holm(p_values), strict=True), strict=True))
    summaries = []
    for system, names in runs.items():
        scores = run_scores[system]
        p_value, corrected_p_value = tests.get(system, (None, None))
        summaries.append(
            RunSummary(
                system,
                name,
                tuple(names),
                means[system],
                float(np.mean([resamples[run].std(ddof=1) for run in names])),
                float(np.std(scores, ddof=1)) if len(scores) > 1 else None,
                p_value,
                None if p_value is None else means[system] - means[baseline],
                corrected_p_value,
            )
        )
    return summaries
