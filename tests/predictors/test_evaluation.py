"""Measures against closed forms and hand-worked cases."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau, norm, pearsonr

from app.errors import InputError
from app.metrics.meta_evaluation.differences import williams_test
from app.predictors import Prediction, compare_predictions, evaluate_predictions, evaluate_uncertainty
from app.predictors.evaluation import correlation_bound, delta_avg


def test_delta_avg_by_hand() -> None:
    # Six segments, predicted in the right order. n = 2: head of 3 = 5. n = 3: heads of 2 and 4 = 5.5, 4.5.
    # Overall 3.5, so (5 - 3.5 + (5.5 + 4.5) / 2 - 3.5) / 2 = 1.5.
    gold = np.array([6.0, 5.0, 4.0, 3.0, 2.0, 1.0])
    assert delta_avg(gold, gold) == pytest.approx(1.5)
    assert delta_avg(gold, -gold) == pytest.approx(-1.5)


@given(st.lists(st.integers(0, 5), min_size=4, max_size=60), st.integers(0, 2**20))
def test_delta_avg_is_its_definition(labels: list[int], seed: int) -> None:
    gold = np.array(labels, float)
    predicted = np.random.default_rng(seed).permutation(len(gold)).astype(float)
    ordered = gold[np.argsort(-predicted)]
    values = []
    for n in range(2, len(gold) // 2 + 1):
        q = len(gold) // n
        values.append(np.mean([ordered[: k * q].mean() for k in range(1, n)]) - gold.mean())
    assert delta_avg(gold, predicted) == pytest.approx(np.mean(values), abs=1e-12)


def test_perfect_and_constant_predictions() -> None:
    gold = np.array([0.1, 0.5, 0.3, 0.9])
    perfect = evaluate_predictions(gold, gold, False)
    assert (perfect.pearson, perfect.spearman, perfect.mae, perfect.rmse) == pytest.approx((1, 1, 0, 0))
    flat = evaluate_predictions(gold, np.full(4, 0.4), False)
    assert (flat.pearson, flat.spearman) == (0, 0)
    assert flat.mae == pytest.approx(0.25)
    assert flat.rmse == pytest.approx(np.sqrt((0.09 + 0.01 + 0.01 + 0.25) / 4))


def test_direction_turns_delta_avg() -> None:
    gold, predicted = np.arange(8.0), np.arange(8.0)
    assert evaluate_predictions(gold, predicted, True).delta_avg == pytest.approx(
        evaluate_predictions(gold, predicted, False).delta_avg
    )


def test_unequal_and_empty_inputs_are_refused() -> None:
    with pytest.raises(InputError):
        evaluate_predictions(np.zeros(3), np.zeros(2), True)
    with pytest.raises(InputError):
        evaluate_predictions(np.zeros(1), np.zeros(1), True)


def gaussian(mean: np.ndarray, std: float) -> Callable[[float], Prediction]:
    def predict(coverage: float) -> Prediction:
        half = norm.ppf(0.5 + coverage / 2) * std
        return Prediction(mean, np.full(len(mean), std), mean - half, mean + half, coverage)

    return predict


def test_calibrated_predictions_hold_what_they_promise() -> None:
    rng = np.random.default_rng(7)
    mean = rng.normal(size=4000)
    gold = mean + 0.5 * rng.normal(size=4000)
    found = evaluate_uncertainty(gold, gaussian(mean, 0.5), True, samples=50)
    for row in found.calibration:
        assert row.measured == pytest.approx(row.coverage, abs=0.03)
        assert row.width == pytest.approx(2 * norm.ppf(0.5 + row.coverage / 2) * 0.5)
    assert found.negative_log_density == pytest.approx(-norm.logpdf(gold, mean, 0.5).mean())
    assert found.accuracy.kendall == pytest.approx(kendalltau(gold, mean).statistic)
    # The density is best at the true deviation.
    for wrong in (0.25, 1.0):
        assert evaluate_uncertainty(gold, gaussian(mean, wrong), True, samples=2).negative_log_density > found.negative_log_density


def test_bootstrap_intervals_are_as_wide_as_theory_says() -> None:
    rng = np.random.default_rng(8)
    gold = rng.normal(size=1500)
    predicted = 0.6 * gold + 0.8 * rng.normal(size=1500)
    found = evaluate_uncertainty(gold, gaussian(predicted, 1.0), True, samples=400)
    low, high = found.intervals["pearson"]
    # Fisher's transformation: standard error 1 / sqrt(n - 3).
    expected = np.tanh(np.arctanh(found.accuracy.pearson) + np.array([-1.96, 1.96]) / np.sqrt(1497))
    assert (low, high) == pytest.approx(tuple(expected), abs=0.012)
    assert set(found.intervals) == {"pearson", "spearman", "kendall", "mae", "rmse", "delta_avg"}


@pytest.mark.parametrize("n", [4, 30, 1000])
@pytest.mark.parametrize("noise", [0.0, 0.5, 3.0])
def test_bounds_of_correlations_are_scipys(n: int, noise: float) -> None:
    rng = np.random.default_rng(n)
    gold = rng.normal(size=n)
    found = pearsonr(gold, noise * rng.normal(size=n) - gold)
    assert correlation_bound(float(found.statistic), n) == pytest.approx(found.confidence_interval(0.95).low, abs=1e-6)


def test_bounds_of_correlations_at_the_limits() -> None:
    assert [correlation_bound(r, 30) for r in (-1.0, 1.0)] == [-1.0, 1.0]
    assert correlation_bound(0.9, 3) == -1.0
    assert correlation_bound(0.897, 30) < correlation_bound(0.8217, 1000) < correlation_bound(0.897, 300)


def test_predictors_are_compared_with_the_best() -> None:
    rng = np.random.default_rng(9)
    gold = rng.normal(size=300)
    good, near, bad = (gold + s * rng.normal(size=300) for s in (0.3, 0.55, 3.0))
    found = compare_predictions(gold, {"good": good, "near": near, "bad": bad})
    assert set(found) == {"near", "bad"}
    assert found["bad"] < 1e-6
    assert found["near"] == pytest.approx(williams_test(gold, good, near))
    with pytest.raises(InputError):
        compare_predictions(gold, {"a": good[:5]})
