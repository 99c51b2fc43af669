"""Training of linear regressions and of boosted trees."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np

from app.arrays import Float64s
from app.predictors.journal import Journal, recall_named
from app.predictors.linear import LinearPredictor
from app.predictors.regressor import Regressor
from app.predictors.training.data import Found, Standardised
from app.predictors.trees import BoostedTrees

__all__ = ["export_trees", "train_lasso", "train_ridge", "train_trees"]

BOOSTING: Final[Mapping[str, int | float]] = {
    "max_iter": 200, "learning_rate": 0.05, "max_leaf_nodes": 15, "min_samples_leaf": 40, "l2_regularization": 1.0,
}  # fmt: skip


def train_ridge(data: Standardised, options: Mapping[str, Any], seed: int, journal: Journal) -> tuple[Regressor, Found]:
    """Ridge regression whose penalty and noise are found by their evidence; nothing is chosen on held-out rows."""
    from sklearn.linear_model import BayesianRidge

    def fit() -> dict[str, Float64s]:
        learned = BayesianRidge().fit(data.x, data.y)
        numbers = np.array([learned.intercept_, learned.alpha_, learned.lambda_])
        return {"weights": learned.coef_, "covariance": learned.sigma_, "numbers": numbers}

    journal.report("ridge regression", 0.0)
    recalled = recall_named(journal, fit)
    intercept, noise_precision, weight_precision = recalled["numbers"].tolist()
    regressor = LinearPredictor(recalled["weights"], intercept, data.x.mean(0), recalled["covariance"], 1 / noise_precision)
    return regressor, {"noise_precision": noise_precision, "weight_precision": weight_precision}


def train_lasso(data: Standardised, options: Mapping[str, Any], seed: int, journal: Journal) -> tuple[Regressor, Found]:
    """Lasso with its penalty from five-fold cross-validation of the training rows; the variance is that of held-out residuals."""
    from sklearn.linear_model import LassoCV
    from sklearn.model_selection import KFold

    def fit() -> dict[str, Float64s]:
        learned = LassoCV(eps=0.01, max_iter=20_000, cv=KFold(5, shuffle=True, random_state=seed), n_jobs=1).fit(data.x, data.y)
        return {"weights": learned.coef_, "numbers": np.array([learned.intercept_, learned.alpha_])}

    journal.report("lasso", 0.0)
    recalled = recall_named(journal, fit)
    weights, (intercept, penalty) = recalled["weights"], recalled["numbers"].tolist()
    k = data.x.shape[1]
    variance = data.residual_variance(data.held_x @ weights + intercept)
    regressor = LinearPredictor(weights, intercept, np.zeros(k), np.zeros((k, k)), variance)
    return regressor, {"alpha": penalty, "features_used": float((weights != 0).sum())}


def train_trees(data: Standardised, options: Mapping[str, Any], seed: int, journal: Journal) -> tuple[Regressor, Found]:
    """Histogram gradient boosting with few leaves and small steps; the variance is that of held-out residuals."""
    from sklearn.ensemble import HistGradientBoostingRegressor

    def fit() -> dict[str, Float64s]:
        learned = HistGradientBoostingRegressor(**BOOSTING, early_stopping=False, random_state=seed).fit(data.x, data.y)
        nodes = [stage[0].nodes for stage in learned._predictors]
        return export_trees(nodes, float(np.squeeze(learned._baseline_prediction)), 1.0).arrays()

    journal.report("boosted trees", 0.0)
    trees = BoostedTrees.from_arrays(recall_named(journal, fit))
    variance = data.residual_variance(trees.predict(data.held_x)[0])
    return replace(trees, residual_variance=variance), {name: float(value) for name, value in BOOSTING.items()}


def export_trees(nodes: Sequence[np.ndarray], baseline: float, variance: float) -> BoostedTrees:
    """scikit-learn's nodes of each tree as arrays."""
    sizes = np.array([len(each) for each in nodes])
    flat = np.concatenate(nodes)
    leaf = flat["is_leaf"].astype(bool)
    return BoostedTrees(
        (np.cumsum(sizes) - sizes).astype(np.int32),
        np.where(leaf, -1, flat["feature_idx"]).astype(np.int32),
        np.where(leaf, 0.0, flat["num_threshold"]),
        flat["left"].astype(np.int32),
        flat["right"].astype(np.int32),
        np.where(leaf, flat["value"], 0.0),
        baseline,
        variance,
    )
