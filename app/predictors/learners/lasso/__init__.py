"""Lasso, its penalty by cross-validation."""

from typing import Final

from app.predictors.learner import WARP, Learner
from app.predictors.learners.lasso.training import train
from app.predictors.linear import LinearPredictor

__all__ = ["LEARNER"]

LEARNER: Final = Learner("lasso", "Lasso, its penalty by cross-validation", WARP, train, LinearPredictor.from_arrays)
