"""Rankings of features against a plain twin, and on data whose useful features are known."""

import numpy as np
import pytest
from sklearn.linear_model import Lasso, LassoLarsIC

from app.predictors.training import TrainingSet, split_held_out
from app.predictors.training.selection import METHODS, rank_features, select_features
from app.running.journal import SILENT

RNG = np.random.default_rng(3)
X = RNG.normal(size=(400, 10))
# The last feature is constant.
X[:, 9] = 1.0
Y = 1.5 * X[:, 4] - 1.0 * X[:, 7] + 0.5 * X[:, 1] + RNG.normal(scale=1.0, size=400)
NAMES = [f"f{k}" for k in range(10)]
ROWS = TrainingSet(X, Y, "drawn", "0" * 64)


@pytest.mark.parametrize("method", METHODS)
def test_useful_features_come_first_and_a_constant_one_last(method: str) -> None:
    order, worth = rank_features(ROWS, method, 1, SILENT)
    assert order[:2].tolist() == [4, 7]
    assert order[2] == 1
    assert order[-1] == 9
    assert (np.diff(worth) <= 0).all()


def test_the_randomised_lasso_counts_selections_as_a_plain_loop() -> None:
    _, worth = rank_features(ROWS, "randomised-lasso", 1, SILENT)
    x, y = (X - X.mean(0)) / np.where(X.std(0) > 0, X.std(0), 1.0), (Y - Y.mean()) / Y.std()
    penalty = LassoLarsIC(criterion="aic").fit(x, y).alpha_
    rng, shares = np.random.default_rng(99), np.zeros(10)
    for _ in range(1000):
        rows = rng.choice(400, 300, replace=False)
        shares += Lasso(alpha=penalty).fit(x[rows] * rng.choice([0.5, 1.0], 10), y[rows]).coef_ != 0
    # Other samples: shares of 1,000 differ by less than 4 deviations of a binomial share.
    assert np.sort(worth)[1:] == pytest.approx(np.sort(shares / 1000)[1:], abs=4 * np.sqrt(0.5 * 0.5 / 1000 * 2))


def test_the_randomised_lasso_chooses_features_of_a_quarter_of_the_samples() -> None:
    curve = select_features(*split_held_out(ROWS, 0.3, 1), "ro-en", "hter", NAMES, "randomised-lasso", "ridge")
    assert curve.chosen == (curve.worth >= 0.25).sum()
    assert set(curve.ranking[:3]) == {"f1", "f4", "f7"}
    assert curve.chosen in [point.features for point in curve.points]
