"""The thesis' system-level protocol: verdicts, ties and shares of oracles on top."""

import numpy as np
import pytest

from app.errors import InputError
from app.smt.lists.diagnosis.oracles import attains, oracles
from benchmarks.smt.protocols.measured_lists import MeasuredLists
from benchmarks.smt.protocols.systems import SystemRow, best_by_metric, measure_systems
from tests.smt.experiments.small_lists import measured

SYSTEMS = {
    "good": np.array([1.0, 0.0, 0.0]),
    "again": np.array([2.0, 0.0, 5.0]),
    "bad": np.array([-1.0, 0.0, 0.0]),
    "none": np.array([0.0, 0.0, 1.0]),
}


@pytest.fixture(scope="module")
def lists() -> MeasuredLists:
    return measured(4, "bleu|tok:none", "sbleu|tok:none", "ter", segments=40)


@pytest.fixture(scope="module")
def rows(lists: MeasuredLists) -> dict[str, SystemRow]:
    return {row.system: row for row in measure_systems({"test": lists}, SYSTEMS, ["sbleu|tok:none"])}


@pytest.mark.parametrize("metric", ["bleu|tok:none", "ter"])
def test_verdicts_say_which_way(rows: dict[str, SystemRow], metric: str) -> None:
    verdicts = {system: row.measured[metric].verdict for system, row in rows.items()}
    assert verdicts == {"baseline": None, "good": "better", "again": "better", "bad": "worse", "none": "equal"}
    assert rows["none"].measured[metric].score == rows["baseline"].measured[metric].score
    assert all(
        row.measured[metric].interval.low <= row.measured[metric].score <= row.measured[metric].interval.high
        for row in rows.values()
    )


def test_the_best_are_listed_with_their_ties(rows: dict[str, SystemRow], lists: MeasuredLists) -> None:
    best = best_by_metric(list(rows.values()), lists.metrics)
    assert [(row.metric, row.best, row.not_worse) for row in best] == [
        (metric, ("good", "again"), ("good", "again")) for metric in lists.metrics
    ]


def test_shares_on_top_are_counted_by_the_oracles_metric(rows: dict[str, SystemRow], lists: MeasuredLists) -> None:
    gains, offsets = lists.gains("sbleu|tok:none"), lists.pool.offsets
    best = gains[oracles(gains, offsets)]
    for system, weights in SYSTEMS.items():
        chosen = lists.pool.best_hypotheses(weights)
        assert rows[system].on_top == {"sbleu|tok:none": float((gains[chosen] == best).mean())}
    assert rows["baseline"].on_top["sbleu|tok:none"] == float(attains(gains, offsets, offsets[:-1]).mean())


def test_what_is_not_measured_or_called_so_is_refused(lists: MeasuredLists) -> None:
    with pytest.raises(InputError):
        measure_systems({"test": lists}, {}, ["chrf"])
    with pytest.raises(InputError):
        measure_systems({"test": lists}, {"baseline": np.ones(3)}, [])
