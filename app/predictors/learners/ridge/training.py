"""Training of Bayesian ridge regression."""

import numpy as np

from app.arrays import Float64s
from app.predictors.learner import HyperParameters, OptionValues, StandardisedRows
from app.predictors.linear import LinearPredictor
from app.running.journal import Journal, recall_named

__all__ = ["train", "train_ridge"]


def train(data: StandardisedRows, options: OptionValues, seed: int, journal: Journal) -> tuple[LinearPredictor, HyperParameters]:
    """Train ridge regression, which has neither random numbers nor options."""
    return train_ridge(data, journal)


def train_ridge(data: StandardisedRows, journal: Journal) -> tuple[LinearPredictor, HyperParameters]:
    """Train ridge regression with penalty and noise by their evidence; held-out rows choose nothing."""
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
