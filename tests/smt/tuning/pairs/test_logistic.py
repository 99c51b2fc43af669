"""Regressions against the digest's worked example, scikit-learn and finite differences."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression, Ridge

from app.smt.tuning.matrix import HypothesisFeatures
from app.smt.tuning.pairs.logistic import Regression
from app.smt.tuning.pairs.logistic_kernels import logistic_curvature

# Digest 4.9, after figure 5.1: better less worse of two sentences that no weights satisfy both.
FIGURE = HypothesisFeatures(np.array([[1.0, 0.0], [-2.0, 0.0]]))


@pytest.mark.parametrize(
    ("weights", "free", "held"),
    [
        ((1, 1), -0.419618, -0.290522),
        ((1, 0.2), 0.731703, 0.318674),
        # The digest has -1.238623, where the slope is not 0: its digits are exchanged.
        ((0.2, 1), -1.238226, -0.627126),
        ((0.9, 0.1), 1.337629, 0.428975),
        ((0.1, 0.9), -1.520690, -0.645395),
    ],
)
def test_the_sign_follows_the_heavier_sentence(weights: tuple[float, float], free: float, held: float) -> None:
    """The four instances of the figure are two and their mirror images."""
    shares = 2.0 * np.array(weights)
    assert Regression(FIGURE).logistic(shares).weights == pytest.approx([free, 0], abs=5e-7)
    regression = Regression(FIGURE, 1.0)
    assert regression.logistic(shares).weights == pytest.approx([held, 0], abs=5e-7)
    assert regression.logistic(shares, np.array([30.0, -3.0])).weights == pytest.approx([held, 0], abs=5e-7)


def rows_of(seed: int, count: int = 300, width: int = 7) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(count, width)) * 10.0 ** rng.integers(-3, 4, width) + rng.normal(size=width) * 0.1
    return rows * np.where(rng.random(count) < 0.3, -1, 1)[:, None], rng.random(count)


def peer(rows: np.ndarray, shares: np.ndarray, prior: float) -> np.ndarray:
    """scikit-learn with mirrored instances and weights, on columns of like size, which it needs for its precision."""
    labels = np.concatenate([np.ones(len(rows)), np.zeros(len(rows))])
    model = LogisticRegression(C=1 / prior, fit_intercept=False, solver="newton-cholesky", tol=1e-14, max_iter=10_000)
    return model.fit(np.concatenate([rows, -rows]), labels, np.tile(shares / 2, 2)).coef_[0]


@pytest.mark.parametrize("prior", [1e-4, 1.0, 100.0])
@pytest.mark.parametrize("sparse", [0, 40])
def test_scikit_learn_finds_the_same(prior: float, sparse: int) -> None:
    rows, shares = rows_of(1)
    rows /= np.abs(rows).max(0)
    features = HypothesisFeatures(rows)
    if sparse:
        more = np.random.default_rng(2).binomial(1, 0.05, (len(rows), sparse)) * np.random.default_rng(3).normal(
            size=(len(rows), sparse)
        )
        features, rows = HypothesisFeatures(rows, csr_matrix(more)), np.concatenate([rows, more], axis=1)
    fit = Regression(features, prior).logistic(shares)
    assert fit.weights == pytest.approx(peer(rows, shares, prior), rel=1e-6, abs=1e-6 if not sparse else 3e-6)
    assert not fit.separated


@given(st.integers(0, 2**32), st.floats(0, 10))
@settings(max_examples=20)
def test_there_is_no_slope_where_the_loss_is_least(seed: int, prior: float) -> None:
    rows, shares = rows_of(seed)
    weights = Regression(HypothesisFeatures(rows), prior).logistic(shares).weights
    _, gradient, _ = logistic_curvature(rows, shares, weights)
    scale = np.sqrt((rows**2).mean(0))
    assert (gradient + prior * weights) / scale == pytest.approx(np.zeros(7), abs=1e-5)


def test_slopes_and_curvatures_are_those_of_the_loss() -> None:
    rows, shares = rows_of(5, 40, 4)
    rows /= np.abs(rows).max(0)
    weights = np.array([0.3, -2.0, 1.0, 5.0])
    loss, gradient, curvature = logistic_curvature(rows, shares, weights)
    assert loss == pytest.approx(float(shares @ np.log1p(np.exp(-rows @ weights))), rel=1e-12)
    for k, step in enumerate(1e-5 * np.eye(4)):
        up, slope_up, _ = logistic_curvature(rows, shares, weights + step)
        down, slope_down, _ = logistic_curvature(rows, shares, weights - step)
        assert (up - down) / 2e-5 == pytest.approx(gradient[k], rel=1e-6)
        assert (slope_up - slope_down) / 2e-5 == pytest.approx(curvature[k], rel=1e-5, abs=1e-9)


def test_margins_far_from_zero_keep_their_loss() -> None:
    one = np.ones((1, 1))
    assert logistic_curvature(one, np.ones(1), np.array([-1e5]))[0] == 1e5
    assert logistic_curvature(one, np.ones(1), np.array([1e5]))[0] == 0


@pytest.mark.parametrize("prior", [1e-9, 3.0])
def test_linear_regression_is_ridge(prior: float) -> None:
    rows, shares = rows_of(7)
    rows /= np.abs(rows).max(0)
    targets = np.random.default_rng(8).random(len(rows))
    expected = Ridge(alpha=prior, fit_intercept=False, solver="cholesky").fit(rows, targets, shares).coef_
    assert Regression(HypothesisFeatures(rows), prior).linear(shares, targets).weights == pytest.approx(
        expected, rel=1e-6, abs=1e-9
    )
    wide = Regression(HypothesisFeatures(rows, csr_matrix(np.zeros((len(rows), 40)))), prior).linear(shares, targets)
    assert wide.weights[:7] == pytest.approx(expected, rel=1e-4, abs=1e-5)


def test_separated_pairs_have_a_direction() -> None:
    rows = np.array([[1.0, 0.1], [2.0, -0.1], [0.5, 0.0]])
    for features in (HypothesisFeatures(rows), HypothesisFeatures(rows, csr_matrix(np.zeros((3, 40))))):
        fit = Regression(features).logistic(np.ones(3))
        assert fit.separated
        assert np.isfinite(fit.weights).all()
        assert (rows @ fit.weights[:2] > 0).all()
    assert not Regression(HypothesisFeatures(rows), 0.1).logistic(np.ones(3)).separated


def test_columns_that_say_nothing_or_the_same_do_no_harm() -> None:
    rows, shares = rows_of(9, 200, 2)
    doubled = np.concatenate([rows, rows[:, :1] * 1000, np.zeros((200, 1))], axis=1)
    plain = Regression(HypothesisFeatures(rows)).logistic(shares).weights
    weights = Regression(HypothesisFeatures(doubled)).logistic(shares).weights
    assert weights[3] == 0
    assert doubled @ weights == pytest.approx(rows @ plain, abs=1e-6)


def test_units_of_features_do_not_matter() -> None:
    rows, shares = rows_of(11, 200, 3)
    factors = np.array([1e12, 1.0, 1e-12])
    plain = Regression(HypothesisFeatures(rows)).logistic(shares).weights
    assert Regression(HypothesisFeatures(rows * factors)).logistic(shares).weights * factors == pytest.approx(plain, rel=1e-9)


def test_a_prior_in_units_of_the_columns_holds_features_of_any_unit_alike() -> None:
    rows, shares = rows_of(13, 200, 3)
    scale = np.sqrt((rows**2).mean(0))
    weights = Regression(HypothesisFeatures(rows), 5.0, "spread").logistic(shares).weights
    assert weights * scale == pytest.approx(Regression(HypothesisFeatures(rows / scale), 5.0).logistic(shares).weights, rel=1e-8)
