"""Training of linear regressions and of boosted trees."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np

from app.predictors.linear import LinearPredictor
from app.predictors.regressor import Regressor
from app.predictors.training.data import Found, Progress, Standardised
from app.predictors.trees import BoostedTrees

__all__ = ["export_trees", "train_lasso", "train_ridge", "train_trees"]

BOOSTING: Final[Mapping[str, int | float]] = {
    "max_iter": 200, "learning_rate": 0.05, "max_leaf_nodes": 15, "min_samples_leaf": 40, "l2_regularization": 1.0,
}  # fmt: skip


def train_ridge(data: Standardised, options: Mapping[str, Any], seed: int, progress: Progress) -> tuple[Regressor, Found]:
    """Ridge regression whose penalty and noise are found by their evidence; nothing is chosen on held-out rows."""
    from sklearn.linear_model import BayesianRidge

    learned = BayesianRidge().fit(data.x, data.y)
    regressor = LinearPredictor(learned.coef_, float(learned.intercept_), data.x.mean(0), learned.sigma_, float(1 / learned.alpha_))
    return regressor, {"noise_precision": float(learned.alpha_), "weight_precision": float(learned.lambda_)}


def train_lasso(data: Standardised, options: Mapping[str, Any], seed: int, progress: Progress) -> tuple[Regressor, Found]:
    """Lasso with its penalty from five-fold cross-validation of the training rows; the variance is that of held-out residuals."""
    from sklearn.linear_model import LassoCV
    from sklearn.model_selection import KFold

    learned = LassoCV(eps=0.01, max_iter=20_000, cv=KFold(5, shuffle=True, random_state=seed), n_jobs=1).fit(data.x, data.y)
    k = data.x.shape[1]
    variance = data.residual_variance(learned.predict(data.held_x))
    regressor = LinearPredictor(learned.coef_, float(learned.intercept_), np.zeros(k), np.zeros((k, k)), variance)
    return regressor, {"alpha": float(learned.alpha_), "features_used": float((learned.coef_ != 0).sum())}


def train_trees(data: Standardised, options: Mapping[str, Any], seed: int, progress: Progress) -> tuple[Regressor, Found]:
    """Histogram gradient boosting with few leaves and small steps; the variance is that of held-out residuals."""
    from sklearn.ensemble import HistGradientBoostingRegressor

    learned = HistGradientBoostingRegressor(**BOOSTING, early_stopping=False, random_state=seed).fit(data.x, data.y)
    nodes = [stage[0].nodes for stage in learned._predictors]
    trees = export_trees(nodes, float(np.squeeze(learned._baseline_prediction)), 1.0)
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
