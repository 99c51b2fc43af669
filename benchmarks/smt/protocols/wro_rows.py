"""Rows of Table 5.1 of Song's thesis on one set of lists: the effect of each part of WRO."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from app.arrays import Int64s
from app.metrics.significance.paired_tests import randomisation_draws
from app.metrics.significance.resampling import resample_weights
from app.metrics.significance.runs import RunSummary, summarise_runs
from app.running.journal import SILENT, Journal, Share
from app.smt.tuning.method import TuningData
from app.smt.tuning.pairs.local import NAME, chosen_locally, tune_locally
from app.smt.tuning.pool import TuningPool
from app.smt.tuning.significance import DRAWS, SEED
from app.smt.tuning.tune import tune

__all__ = ["ROWS", "AblationRow", "compare_rows"]

# One training from one draw, as in Algorithms 5.1 and 5.2: rows then differ in one part only.
SINGLE_ROUND: Final = "rounds:1|take:last"
ROWS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "Baseline PRO": f"pro|{SINGLE_ROUND}",
        "Global weight": f"wro|top:1|{SINGLE_ROUND}",
        "OS": f"wro|weight:one|{SINGLE_ROUND}",
        "Trans": f"{NAME}|top:1|global:0",
        "Trans-OS": f"{NAME}|global:0",
        "WRO-Global": f"wro|{SINGLE_ROUND}",
        "WRO-Local": NAME,
    }
)


@dataclass(frozen=True)
class AblationRow:
    """A row of the table: corpus scores on the test lists by metric, one per seed, and their summaries.

    `summaries` have the mean, its deviation between runs, and the difference from the first row with its p-value (MultEval's test).
    """

    name: str
    method: str
    scores: Mapping[str, Sequence[float]]
    summaries: Mapping[str, RunSummary]


def compare_rows(
    data: TuningData,
    test: Sequence[TuningPool],
    sources: Sequence[str],
    seeds: Sequence[int] = (1, 2, 3),
    options: str = "",
    rows: Sequence[str] = tuple(ROWS),
    journal: Journal = SILENT,
) -> list[AblationRow]:
    """Tune on `data` by each of `rows`, and choose from the test lists; the first row is the baseline.

    `test` are pools of one set of hypotheses, with the columns of `data`, by one metric or several: a system tuned on a metric wins
    on that metric. `sources` are those of the test segments. `options` go to every row, such as ``prior:1|threshold:0.02``.
    """
    methods = {name: "|".join(filter(None, (ROWS[name], options))) for name in rows}
    selections: dict[str, list[Int64s]] = {}
    for number, (name, method) in enumerate(methods.items()):
        share = Share(journal, number / len(methods), (number + 1) / len(methods))
        selections[name] = _selections(data, test[0], sources, method, seeds, share)
    summaries_of = {pool.metric.name: _summaries(pool, selections) for pool in test}
    out = []
    for number, (name, method) in enumerate(methods.items()):
        scores = {pool.metric.name: [pool.score_of(places) for places in selections[name]] for pool in test}
        out.append(AblationRow(name, method, scores, {metric: summaries[number] for metric, summaries in summaries_of.items()}))
    return out


def _summaries(pool: TuningPool, selections: Mapping[str, Sequence[Int64s]]) -> list[RunSummary]:
    """Summaries of the runs of each row."""
    runs = {name: [f"{name} {number}" for number in range(len(places))] for name, places in selections.items()}
    statistics = {
        run: pool.statistics[places] for name in selections for run, places in zip(runs[name], selections[name], strict=True)
    }
    draws, swaps = resample_weights(len(pool), DRAWS, SEED), randomisation_draws(DRAWS, len(pool), SEED)
    return summarise_runs(pool.metric.name, pool.metric, statistics, runs, next(iter(selections)), draws, swaps)


def _selections(
    data: TuningData, test: TuningPool, sources: Sequence[str], method: str, seeds: Sequence[int], journal: Journal
) -> list[Int64s]:
    """Return the choices of each seed's weights in the test lists."""
    if not method.startswith(NAME):
        return [test.best_hypotheses(run.weights) for run in tune(data, method, seeds, None, journal).runs]
    shares = [Share(journal, k / len(seeds), (k + 1) / len(seeds)) for k in range(len(seeds))]
    return [
        chosen_locally(test, tune_locally(data, sources, method, seed, share).weights)
        for seed, share in zip(seeds, shares, strict=True)
    ]
