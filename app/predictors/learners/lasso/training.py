"""Training of lasso (Tibshirani 1996)."""

import numpy as np

from app.arrays import Float64s
from app.predictors.learner import HyperParameters, OptionValues, StandardisedRows
from app.predictors.linear import LinearPredictor
from app.running.journal import Journal, recall_named

__all__ = ["train"]


def train(data: StandardisedRows, options: OptionValues, seed: int, journal: Journal) -> tuple[LinearPredictor, HyperParameters]:
    """The penalty from five-fold cross-validation of the training rows; the variance is that of held-out residuals."""
    from sklearn.linear_model import LassoCV
    from sklearn.model_selection import KFold

    def fit() -> dict[str, Float64s]:
        lasso = LassoCV(eps=0.01, max_iter=20_000, cv=KFold(5, shuffle=True, random_state=seed), n_jobs=1).fit(data.x, data.y)
        return {"weights": lasso.coef_, "numbers": np.array([lasso.intercept_, lasso.alpha_])}

    journal.report("lasso", 0.0)
    arrays = recall_named(journal, fit)
    weights, (intercept, penalty) = arrays["weights"], arrays["numbers"].tolist()
    k = data.x.shape[1]
    variance = data.residual_variance(data.held_x @ weights + intercept)
    regressor = LinearPredictor(weights, intercept, np.zeros(k), np.zeros((k, k)), variance)
    return regressor, {"alpha": penalty, "features_used": float((weights != 0).sum())}
