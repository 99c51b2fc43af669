"""Bayesian ridge regression."""

from typing import Final

from app.predictors.learner import WARP, Learner
from app.predictors.learners.ridge.training import train
from app.predictors.linear import LinearPredictor

__all__ = ["LEARNER"]

LEARNER: Final = Learner("ridge", "Bayesian ridge regression", WARP, train, LinearPredictor.from_arrays)
