"""Tuning towards one metric, scored by another (Song's thesis §3.4; Stanojević's, Table 6.4).

A metric can rank systems well and still be a bad target of tuning. Output grows too long or too short if weights can use a bias of
the metric. Rows therefore have the ratio of lengths.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from app.arrays import Float64s
from app.errors import InputError
from app.metrics import RunSummary
from app.running.journal import SILENT, Journal, Share
from app.smt.tuning.tune import TuningRuns
from benchmarks.smt.protocols.instability import compare_runs
from benchmarks.smt.protocols.measured_lists import MeasuredLists
from benchmarks.smt.protocols.runs import FIRST, check_columns, choices, tune_all

__all__ = ["CrossRow", "cross_metrics"]


@dataclass(frozen=True)
class CrossRow:
    """Scores of a set by every metric, after tuning towards one metric, or of the first hypotheses; means over runs.

    The p-value of a summary is by approximate randomisation over all runs, against the baseline. `length_ratio` is a mean over runs.
    """

    set: str
    towards: str
    scores: Mapping[str, RunSummary]
    length_ratio: float


def cross_metrics(
    dev: MeasuredLists,
    test: MeasuredLists,
    start: Float64s,
    method: str,
    towards: Sequence[str],
    seeds: Sequence[int],
    baseline: str = FIRST,
    journal: Journal = SILENT,
) -> list[CrossRow]:
    """Tune on `dev` towards each metric of `towards`, and measure both sets by all metrics; InputError for an unmeasured metric.

    The baseline is a metric of `towards`, or the first hypotheses.
    """
    check_columns(dev, test)
    if not towards or len(set(towards)) < len(towards) or not set(towards) <= dev.metrics.keys() or FIRST in towards:
        raise InputError("invalid-request", "metrics to tune towards are some of those that are measured, none twice", ("metrics",))
    if baseline not in (FIRST, *towards):
        raise InputError("invalid-request", f"the baseline is {FIRST}, or one of the metrics tuned towards", ("baseline",))
    tunings = {}
    for number, metric in enumerate(towards):
        share = Share(journal, number / len(towards), (number + 1) / len(towards))
        tunings[metric] = tune_all(dev.by(metric), start, [method], seeds, share)[method]
    return [row for name, lists in (("dev", dev), ("test", test)) for row in _rows(name, lists, tunings, baseline)]


def _rows(set_name: str, lists: MeasuredLists, tunings: Mapping[str, TuningRuns], baseline: str) -> list[CrossRow]:
    by_metric = {
        metric: {row.summary.system: row.summary for row in compare_runs(set_name, lists, metric, tunings, baseline)}
        for metric in lists.metrics
    }
    selections = {FIRST: [lists.pool.offsets[:-1]], **{metric: choices(lists.pool, result) for metric, result in tunings.items()}}
    return [
        CrossRow(
            set_name,
            system,
            {metric: summaries[system] for metric, summaries in by_metric.items()},
            float(np.mean([lists.length_ratio(hypotheses) for hypotheses in selection])),
        )
        for system, selection in selections.items()
    ]
