"""Minimum error rate training: its laws, its penalties, and real lists."""

from dataclasses import replace

import numpy as np
import pytest

from app.metrics import metric_named
from app.running.journal import ProgressJournal
from app.smt.tuning.matrix import HypothesisFeatures
from app.smt.tuning.mert.line_search import best_on_line
from app.smt.tuning.mert.regularisation import Penalty
from app.smt.tuning.mert.search import usual_restarts
from app.smt.tuning.method import TuningData
from app.smt.tuning.pool import pool_of
from app.smt.tuning.tune import tune
from app.text.n_best import NBestLists
from app.text.reading.n_best_lists.bars import read_n_best
from tests.smt.tuning.pools import BLEU, DATA, moses_pool, random_pool, read


@pytest.mark.parametrize("spec", ["mert|restarts:2", "mert|restarts:2|smooth:average", "mert|restarts:2|l2:0.1|l0:0.05"])
@pytest.mark.parametrize("seed", [1, 2])
def test_tuned_weights_are_not_worse_than_the_start_and_score_what_is_reported(spec: str, seed: int) -> None:
    pool = random_pool(seed)
    tuned = tune(TuningData(pool, np.ones(4)), spec, (1, 2))
    for run in tuned.runs:
        if "l0" not in spec:
            assert run.score >= tuned.start
        assert run.score == pool.score(run.weights)
        assert np.abs(run.weights).sum() == pytest.approx(1)
        assert [step.iteration for step in run.curve] == list(range(4))
    assert tuned.best.score == max(run.score for run in tuned.runs)


def test_the_same_seed_gives_the_same_bytes_and_another_one_others() -> None:
    data = TuningData(random_pool(), np.ones(4))
    one, other, third = (tune(data, "mert|restarts:3", (seed,)).best.weights.tobytes() for seed in (1, 1, 2))
    assert one == other != third


@pytest.mark.parametrize("smooth", ["none", "average", "minimum"])
def test_a_climb_ends_where_nothing_is_better_than_before(smooth: str) -> None:
    """By smoothed scores, which every line has its own of, there would be a gain in sixty sweeps of fourteen searches."""
    pool = random_pool(segments=60)
    searches: list[str] = []
    spec = f"mert|restarts:0|smooth:{smooth}"
    tune(TuningData(pool, np.ones(4)), spec, (1,), journal=ProgressJournal(lambda what, share: searches.append(what)))
    assert 14 * 0.8 < searches.count("climbing") < 14 * 30


def test_units_of_features_change_nothing() -> None:
    """A column times a power of 2, its start weight over it: the same choices to the last one."""
    pool, units = random_pool(), 2.0 ** np.array([10, -7, 0, 3])
    scaled = replace(pool, features=HypothesisFeatures(pool.features.dense * units))
    plain = tune(TuningData(pool, np.ones(4)), "mert|restarts:3").best.weights
    other = tune(TuningData(scaled, 1 / units), "mert|restarts:3").best.weights
    assert (pool.best_hypotheses(plain) == scaled.best_hypotheses(other)).all()


def test_a_metric_of_errors_goes_down() -> None:
    lists = NBestLists.from_json(
        [[{"text": t, "score": 0, "features": {"a": [a], "b": [b]}} for t, a, b in row] for row in
         ([("a b x y", 1, 0), ("a b c d", 0, 1)], [("p q", 2, 1), ("p q r", 1, 3)])]
    )  # fmt: skip
    pool = pool_of(lists, metric_named("ter"), [["a b c d", "p q r"]])
    tuned = tune(TuningData(pool, np.array([1.0, 0.1])), "mert|restarts:1")
    assert tuned.start > tuned.best.score == 0


def test_one_hypothesis_a_list_and_constant_features_leave_the_start() -> None:
    pool = random_pool(size=1)
    tuned = tune(TuningData(pool, np.array([4.0, 3.0, 2.0, 1.0])), "mert|restarts:1")
    assert tuned.best.weights == pytest.approx([0.4, 0.3, 0.2, 0.1])
    assert tuned.constant == ("a", "b", "c", "d")
    dense = random_pool().features.dense.copy()
    dense[:, 1] = 7.0
    tuned = tune(TuningData(replace(random_pool(), features=HypothesisFeatures(dense)), np.ones(4)), "mert|restarts:1")
    assert tuned.constant == ("b",)
    assert tuned.best.weights[1] != 0
    # Of a feature with several components those that are equal everywhere are told from those that were tuned.
    pool = replace(random_pool(), features=HypothesisFeatures(dense), names=("d", "d", "d", "lm"))
    assert tune(TuningData(pool, np.ones(4)), "mert|restarts:1").constant == ("d 2",)


def test_a_start_without_weights_is_refused_and_tiny_ones_are_normalised() -> None:
    pool = random_pool()
    with pytest.raises(Exception, match="all weights are 0"):
        tune(TuningData(pool, np.zeros(4)), "mert|restarts:0")
    tuned = tune(TuningData(pool, np.full(4, 1e-39)), "mert|restarts:0")
    assert np.abs(tuned.best.weights).sum() == pytest.approx(1)
    assert ((tuned.best.weights == 0) | (np.abs(tuned.best.weights) >= 1e-9)).all()


def test_penalties_on_a_line_are_those_of_its_points() -> None:
    rng = np.random.default_rng(0)
    penalty = Penalty(0.3, 0.2, rng.normal(size=5), 100.0)
    weights = np.array([0.5, 0.0, -0.2, 0.1, 0.2])
    for direction in (np.eye(5)[2], rng.normal(size=5)):
        line = penalty.along(weights, direction)
        assert line is not None
        steps = np.concatenate([line.favourites, [0.0, 0.3, -2.0]])
        assert line(steps) == pytest.approx([penalty.cost(weights + step * direction) for step in steps])
        assert penalty.cost(3 * weights) == pytest.approx(penalty.cost(weights))
    assert penalty.along(weights, np.eye(5)[2]).favourites.tolist() == [0.2]
    assert Penalty(0, 0, weights, 1.0).along(weights, weights) is None


def test_a_strong_penalty_keeps_the_start_and_l0_drops_features() -> None:
    pool = random_pool(width=6)
    start = 1.0 / 10.0 ** np.arange(6)
    held = tune(TuningData(pool, start), "mert|restarts:1|l2:1").best.weights * 10.0 ** np.arange(6)
    free = tune(TuningData(pool, start), "mert|restarts:1").best.weights * 10.0 ** np.arange(6)
    cosines = [float(w @ np.ones(6)) / float(np.linalg.norm(w) * 6**0.5) for w in (held, free)]
    assert cosines[0] > cosines[1]
    few = tune(TuningData(pool, start), "mert|restarts:3|l0:0.5").best.weights
    assert np.count_nonzero(few) < 6


def test_cancelling_stops_the_climb() -> None:
    def cancel(what: str, share: float) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        tune(TuningData(random_pool(), np.ones(4)), "mert", journal=ProgressJournal(cancel))


def test_a_line_where_nothing_is_gained_ends_where_it_began() -> None:
    pool = random_pool()
    point = best_on_line(pool, pool.features @ np.ones(4), np.zeros(len(pool.features)))
    assert (point.step, point.gain) == (0.0, 0.0)
    assert point.score == pool.score(np.ones(4))


def test_real_lists_reach_what_the_toolkit_reached() -> None:
    """Moses' `mert -n 20` reached 9.87 to 10.02 here with five seeds; ten seeds of ours: `benchmarks/smt/tuning/methods.py`."""
    tuned = tune(TuningData(moses_pool(), np.ones(15)), "mert", (1,))
    assert tuned.first == pytest.approx(7.2223, abs=1e-3)
    assert tuned.start == pytest.approx(9.10, abs=0.01)
    assert tuned.best.score >= 10.0


def test_five_segments_reach_the_toolkits_first_iteration() -> None:
    """Three references, closest length; its best was .379. The other iterations: `benchmarks/smt/tuning/methods.py`."""
    folder = DATA / "moses-mert"
    references = [read(folder / f"reference.{number}") for number in range(3)]
    pool = pool_of(read_n_best(read(folder / "run1.nbest.gz")), metric_named(BLEU), references)
    assert tune(TuningData(pool, np.ones(14)), "mert", (1,)).best.score / 100 >= 0.379


def test_usual_restarts_follow_features_and_lists() -> None:
    assert [usual_restarts(50, 500, width) for width in (2, 5, 10)] == [1, 8, 33]
    assert usual_restarts(5, 50, 10) == 198
    assert usual_restarts(1000, 1_000_000, 14) == 20
