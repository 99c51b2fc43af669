"""A correction of another predictor: learned from a base and few rows, not from rows alone, so no `Learner` of its own."""

from typing import Final

from app.predictors.learners.adapted.corrected import CorrectedRegressor, serve

__all__ = ["NAME", "CorrectedRegressor", "serve"]

NAME: Final = "adapted"
