"""Training of Bayesian ridge regression."""

import numpy as np

from app.arrays import Float64s
from app.predictors.learner import HyperParameters, OptionValues, StandardisedRows
from app.predictors.linear import LinearPredictor
from app.running.journal import Journal, recall_named

__all__ = ["train"]


def train(data: StandardisedRows, options: OptionValues, seed: int, journal: Journal) -> tuple[LinearPredictor, HyperParameters]:
    """Train ridge regression with penalty and noise by their evidence, without options, seed and held-out rows."""
    from sklearn.linear_model import BayesianRidge

    def fit() -> dict[str, Float64s]:
        ridge = BayesianRidge().fit(data.x, data.y)
        numbers = np.array([ridge.intercept_, ridge.alpha_, ridge.lambda_])
        return {"weights": ridge.coef_, "covariance": ridge.sigma_, "numbers": numbers}

    journal.report("ridge regression", 0.0)
    arrays = recall_named(journal, fit)
    intercept, noise_precision, weight_precision = arrays["numbers"].tolist()
    regressor = LinearPredictor(arrays["weights"], intercept, data.x.mean(0), arrays["covariance"], 1 / noise_precision)
    return regressor, {"noise_precision": noise_precision, "weight_precision": weight_precision}
