"""Lasso, its penalty by cross-validation."""

from typing import Final

from app.predictors.learner import WARP, Learner, trainer_of
from app.predictors.linear import LinearPredictor

__all__ = ["LEARNER"]

LEARNER: Final = Learner(
    "lasso", "Lasso, its penalty by cross-validation", WARP, trainer_of(f"{__name__}.training"), LinearPredictor.from_arrays
)
