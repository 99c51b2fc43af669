"""Whoever does not wait any more stops a tuning, and start weights of any size are taken."""

import numpy as np
import pytest

from app.errors import InputError
from app.metrics import metric_named
from app.running.deadline import Deadline, until
from app.smt.lists.combination.combine import Combiner
from app.smt.lists.combination.outputs import SystemOutputs
from app.smt.lists.combination.paths import Scorers, start_weights
from app.smt.tuning.method import TuningData
from app.smt.tuning.methods import METHODS
from app.smt.tuning.pool import pool_of
from app.smt.tuning.tune import tune
from app.text.n_best import NBestLists
from tests.smt.tuning.pools import random_pool


@pytest.mark.parametrize("method", METHODS)
def test_no_method_goes_on_where_nobody_waits(method: str) -> None:
    gone = Deadline()
    gone.give_up()
    with until(gone), pytest.raises(InputError, match="the caller has closed the connection"):
        tune(TuningData(random_pool(), np.ones(4)), method)


def test_hypotheses_are_not_measured_for_nobody() -> None:
    """Twelve texts that take a second each, by what shifts may take."""
    lists = NBestLists.from_json([[{"text": "x " * 2000 + str(k), "score": 0.0, "features": {"a": [k]}} for k in range(12)]])
    gone = Deadline()
    gone.give_up()
    with until(gone), pytest.raises(InputError, match="the caller has closed the connection"):
        pool_of(lists, metric_named("ter"), [["y"]])


def test_networks_are_not_built_for_nobody() -> None:
    outputs = SystemOutputs({"one": ["a b"], "two": ["a c"]})
    scorers, gone = Scorers(metric_named("bleu")), Deadline()
    combiner = Combiner(outputs, metric_named("bleu"), scorers, 10)
    gone.give_up()
    with until(gone), pytest.raises(InputError, match="the caller has closed the connection"):
        combiner.combine(start_weights(2, scorers))


@pytest.mark.parametrize("size", [5e-324, 1e-300, 1e308])
@pytest.mark.parametrize("method", METHODS)
def test_start_weights_of_any_size_are_taken(method: str, size: float) -> None:
    pool = random_pool(segments=4, size=4)
    spec = {"mert": "mert|restarts:0", "mira": "mira|steps:0|epochs:2", "perceptron": "perceptron|steps:0|epochs:2"}.get(
        method, method
    )
    tuned = tune(TuningData(pool, np.array([size, -size, size, 0.0])), spec)
    assert np.abs(tuned.best.weights).sum() == pytest.approx(1) and np.isfinite(tuned.best.score)
