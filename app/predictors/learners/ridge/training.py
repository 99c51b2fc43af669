"""Training of Bayesian ridge regression."""

import numpy as np

from app.arrays import Float64s
from app.predictors.learner import HyperParameters, OptionValues, Standardised
from app.predictors.linear import LinearPredictor
from app.running.journal import Journal, recall_named

__all__ = ["train", "train_ridge"]


def train(data: Standardised, options: OptionValues, seed: int, journal: Journal) -> tuple[LinearPredictor, HyperParameters]:
    """Train ridge regression, which has neither random numbers nor options."""
    return train_ridge(data, journal)


def train_ridge(data: Standardised, journal: Journal) -> tuple[LinearPredictor, HyperParameters]:
    """Train ridge regression with penalty and noise by their evidence; held-out rows choose nothing."""
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
