"""Experiments with weights, by their laws and against what is computed without them."""

import numpy as np
import pytest

from app.errors import InputError
from app.metrics import metric_named, metrics_named
from app.smt.tuning.method import TuningData
from app.smt.tuning.pool import pool_of
from app.smt.tuning.tune import tune
from app.text.n_best import NBestLists
from benchmarks.smt.protocols.cross_metric import cross_metrics
from benchmarks.smt.protocols.instability import Instability, measure_instability
from benchmarks.smt.protocols.learning_curves import learning_curve
from benchmarks.smt.protocols.measured_lists import MeasuredLists, measure
from benchmarks.smt.protocols.runs import tune_all, weight_spreads
from benchmarks.smt.protocols.synthetic_features import with_synthetic_features
from benchmarks.smt.protocols.unjudged_pairs import draw_unjudged_pairs
from tests.smt.experiments.small_lists import measured, small_lists

START = np.ones(3)
MERT = "mert|restarts:1|directions:1"


@pytest.fixture(scope="module")
def dev() -> MeasuredLists:
    return measured(1)


@pytest.fixture(scope="module")
def test() -> MeasuredLists:
    return measured(2)


@pytest.fixture(scope="module")
def runs(dev: MeasuredLists, test: MeasuredLists) -> Instability:
    return measure_instability(dev, test, START, [MERT, "resc-sum"], [1, 2, 3])


def test_what_was_measured_is_what_pools_measure(dev: MeasuredLists) -> None:
    lists, references = small_lists(1)
    pool = pool_of(lists, metric_named("ter"), [references])
    np.testing.assert_array_equal(dev.by("ter").statistics, pool.statistics)
    assert dev.length_ratio(dev.pool.offsets[:-1]) == 1.0
    one, other = dev.halves()
    assert one.pool.segments.tolist() == list(range(0, 20, 2)) and other.pool.segments.tolist() == list(range(1, 20, 2))
    np.testing.assert_array_equal(one.first(2).statistics["ter"], dev.first(2).rows(np.arange(0, 20, 2)).statistics["ter"])
    assert dev.first(2).pool.lengths.tolist() == [2] * 20 and dev.first(99).pool.lengths.tolist() == [6] * 20


def test_means_and_deviations_are_those_of_the_runs(runs: Instability, dev: MeasuredLists, test: MeasuredLists) -> None:
    tuned = tune(TuningData(dev.pool, START), MERT, [1, 2, 3])
    for name, one in (("dev", dev), ("test", test)):
        for metric in ("bleu|tok:none", "ter"):
            scores = [one.by(metric).score(run.weights) for run in tuned.runs]
            row = next(row for row in runs.rows if (row.set, row.summary.system, row.summary.metric) == (name, MERT, metric))
            assert row.summary.mean == pytest.approx(np.mean(scores), abs=1e-12)
            assert row.summary.optimiser_deviation == pytest.approx(np.std(scores, ddof=1), abs=1e-12)
            assert (row.lowest, row.highest) == (min(scores), max(scores))
            assert row.interval.low <= row.interval.mean <= row.interval.high


def test_what_draws_nothing_has_no_deviation(runs: Instability) -> None:
    rows = [row.summary for row in runs.rows if row.summary.system == "resc-sum"]
    assert len(rows) == 4 and {row.optimiser_deviation for row in rows} == {0.0}
    first = [row.summary for row in runs.rows if row.summary.system == "first"]
    assert {row.p_value for row in first} == {None} and {len(row.runs) for row in first} == {1}


def test_a_gain_that_is_there_is_told_from_the_first_hypotheses(runs: Instability) -> None:
    """Ranks say nothing of these lists, and one feature does."""
    row = next(row for row in runs.rows if (row.set, row.summary.system, row.summary.metric) == ("test", MERT, "bleu|tok:none"))
    assert row.summary.difference is not None and row.summary.difference > 10
    assert row.summary.p_value is not None and row.summary.p_value < 0.01


def test_a_method_may_be_the_baseline(dev: MeasuredLists, test: MeasuredLists) -> None:
    answer = measure_instability(dev, test, START, ["resc-sum", "resc-sum|step:1"], [1], "resc-sum")
    rows = {row.summary.system: row.summary for row in answer.rows if row.set == "test"}
    assert rows["resc-sum"].p_value is None
    # The same under another name is no better.
    assert (rows["resc-sum|step:1"].p_value, rows["resc-sum|step:1"].difference) == (1.0, 0.0)
    with pytest.raises(InputError):
        measure_instability(dev, test, START, ["resc-sum"], [1], "mert")


def test_the_spread_of_weights(dev: MeasuredLists) -> None:
    tuned = tune_all(dev.pool, START, [MERT], [1, 2])
    spread = list(weight_spreads(dev.pool, tuned))
    assert [(row.feature, row.component) for row in spread] == [("good", 1), ("good", 2), ("flat", 1)]
    weights = np.stack([run.weights for run in tuned[MERT].runs])
    assert [row.mean for row in spread] == pytest.approx(weights.mean(0).tolist())
    assert [row.deviation for row in spread] == pytest.approx(weights.std(0, ddof=1).tolist())
    # A feature that never varies moves nothing, whatever its weight is.
    assert spread[2].effect == 0.0 and spread[0].positive == 2
    assert [row.deviation for row in weight_spreads(dev.pool, tune_all(dev.pool, START, [MERT], [1]))] == [None] * 3


def test_a_metric_that_is_tuned_towards_gets_better(dev: MeasuredLists, test: MeasuredLists) -> None:
    rows = cross_metrics(dev, test, START, MERT, ["bleu|tok:none", "ter"], [1, 2])
    assert [(row.set, row.towards) for row in rows[:3]] == [("dev", "first"), ("dev", "bleu|tok:none"), ("dev", "ter")]
    first, bleu, ter = (row.scores for row in rows[:3])
    assert bleu["bleu|tok:none"].mean > first["bleu|tok:none"].mean
    assert ter["ter"].mean < first["ter"].mean
    assert rows[0].length_ratio == 1.0
    with pytest.raises(InputError):
        cross_metrics(dev, test, START, MERT, ["chrf"], [1])


def test_ends_of_curves_are_what_tuning_gives(dev: MeasuredLists, test: MeasuredLists) -> None:
    plain = tune(TuningData(dev.pool, START), MERT, [1], test.pool).best
    for axis, amounts in (("segments", (5, 99)), ("size", (2, 99)), ("features", (0,))):
        point = learning_curve(dev, test, START, [MERT], axis, amounts, [1])[-1]
        assert point.amount == {"segments": 20, "size": 6, "features": 0}[axis]
        assert (point.dev, point.test, point.deviation) == (plain.score, plain.held_out, None)
        assert point.low <= point.test <= point.high


def test_a_curve_goes_up_method_by_method(dev: MeasuredLists, test: MeasuredLists) -> None:
    points = learning_curve(dev, test, START, ["resc-sum", "resc-prod"], "segments", (20, 3, 7), [1, 2])
    assert [(point.method, point.amount) for point in points] == [
        (method, amount) for method in ("resc-sum", "resc-prod") for amount in (3, 7, 20)
    ]
    assert points[0].deviation is not None and points[2].deviation == 0.0
    for axis, amounts in (("segments", [0]), ("words", [3]), ("size", [])):
        with pytest.raises(InputError):
            learning_curve(dev, test, START, ["resc-sum"], axis, amounts, [1])


def test_synthetic_features_are_drawn_by_number(dev: MeasuredLists, test: MeasuredLists) -> None:
    many, few = (with_synthetic_features(dev, count, 7).pool.features.sparse.toarray() for count in (30, 10))
    assert many.shape == (120, 30) and set(np.unique(many)) == {0.0, 1.0}
    np.testing.assert_array_equal(many[:, :10], few)
    again = with_synthetic_features(with_synthetic_features(dev, 3, 7), 2, 8).pool
    assert again.features.width == 8 and again.names[-2:] == ("synthetic1", "synthetic2")
    np.testing.assert_array_equal(again.features.sparse.toarray()[:, :3], many[:, :3])
    for count, signal, share in ((-1, 0, 0.1), (1, 2, 0.1), (1, 0, 0)):
        with pytest.raises(InputError):
            with_synthetic_features(dev, count, 7, 0, signal, share)


def test_their_shares_and_their_signal() -> None:
    lists = measured(3, "ter", segments=150)
    noise = with_synthetic_features(lists, 100, 1).pool.features.sparse
    assert noise.mean() == pytest.approx(0.02, abs=0.001)
    told = with_synthetic_features(lists, 100, 1, signal=1.0).pool.features.sparse.toarray()
    low, high = lists.pool.gains < np.median(lists.pool.gains), lists.pool.gains > np.median(lists.pool.gains)
    apart = told[high].mean(0) - told[low].mean(0)
    signs = np.array([1.0 if np.random.default_rng([1, number]).random() < 0.5 else -1.0 for number in range(100)])
    assert float(np.mean(np.sign(apart) == signs)) > 0.8


def test_pairs_are_two_texts_of_one_list() -> None:
    lists, references = small_lists(1)
    pairs = draw_unjudged_pairs(lists, references, 50, 3)
    assert pairs == draw_unjudged_pairs(lists, references, 50, 3) and 40 < len(pairs) <= 50
    texts = [{lists.texts[h] for h in row} for row in lists]
    for one, other, reference in pairs:
        assert one != other and {one, other} <= texts[references.index(reference)]
    same = NBestLists.from_json([[{"text": "a", "score": 0.0}, {"text": "a", "score": 1.0}]])
    for references_of, code in ((["a"], "empty-input"), (["a", "b"], "unequal-lengths")):
        with pytest.raises(InputError) as refused:
            draw_unjudged_pairs(same, references_of, 5, 1)
        assert refused.value.code == code


def test_sets_with_other_features_are_refused(dev: MeasuredLists) -> None:
    other = with_synthetic_features(dev, 1, 1)
    with pytest.raises(InputError) as refused:
        measure_instability(dev, other, START, ["resc-sum"], [1])
    assert refused.value.code == "missing-weights"
    with pytest.raises(InputError):
        measure_instability(dev, measured(1, "chrf"), START, ["resc-sum"], [1])
    for methods in ([], ["resc-sum", "resc-sum"], ["nothing"], ["first"]):
        with pytest.raises(InputError):
            tune_all(dev.pool, START, methods, [1])


def test_lists_without_a_choice_and_segments_without_lists() -> None:
    """One hypothesis a list, one list empty: every method chooses what there is, and nothing differs."""
    rows = [
        [{"text": "a man \ud800", "score": 0.0, "features": {"x": [1e15]}}],
        [],
        [{"text": "", "score": 0.0, "features": {"x": [2.0]}}],
    ]
    lists = measure(NBestLists.from_json(rows), metrics_named(["bleu|tok:none"]), [["a man", "x", "رجل"]])
    answer = measure_instability(lists, lists, np.ones(1), [MERT, "mira"], [1, 2])
    assert len({row.summary.mean for row in answer.rows}) == 1
    assert {row.summary.p_value for row in answer.rows} == {None, 1.0}
    with pytest.raises(InputError):
        lists.rows(np.array([0])).halves()
