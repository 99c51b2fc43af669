"""Training of boosted trees by scikit-learn's histogram gradient boosting."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from app.arrays import Float64s
from app.predictors.learner import HyperParameters, OptionValues, StandardisedRows
from app.predictors.learners.trees.boosted_trees import BoostedTrees
from app.running.journal import Journal, recall_named

__all__ = ["export_trees", "train"]

# Few leaves and small steps.
BOOSTING: Final[Mapping[str, int | float]] = {
    "max_iter": 200, "learning_rate": 0.05, "max_leaf_nodes": 15, "min_samples_leaf": 40, "l2_regularization": 1.0,
}  # fmt: skip


def train(data: StandardisedRows, options: OptionValues, seed: int, journal: Journal) -> tuple[BoostedTrees, HyperParameters]:
    """Train histogram gradient boosting, which has no options; the variance is that of held-out residuals."""
    from sklearn.ensemble import HistGradientBoostingRegressor

    def fit() -> dict[str, Float64s]:
        booster = HistGradientBoostingRegressor(**BOOSTING, early_stopping=False, random_state=seed).fit(data.x, data.y)
        nodes = [stage[0].nodes for stage in booster._predictors]
        return export_trees(nodes, float(np.squeeze(booster._baseline_prediction)), 1.0).arrays()

    journal.report("boosted trees", 0.0)
    trees = BoostedTrees.from_arrays(recall_named(journal, fit))
    variance = data.residual_variance(trees.means(data.held_x))
    return replace(trees, residual_variance=variance), {name: float(value) for name, value in BOOSTING.items()}


def export_trees(nodes: Sequence[np.ndarray], baseline: float, variance: float) -> BoostedTrees:
    """scikit-learn's nodes of each tree as arrays."""
    sizes = np.array([len(tree) for tree in nodes])
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
