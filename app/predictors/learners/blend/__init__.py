"""The mean of predictors that err differently."""

from typing import Final

from app.predictors.learner import WARP, Learner
from app.predictors.learners.blend.blended import Blend
from app.predictors.learners.blend.training import train

__all__ = ["LEARNER"]

LEARNER: Final = Learner(
    "blend",
    "Mean of a Gaussian process, boosted trees and ridge regression, which err differently",
    WARP,
    train,
    Blend.from_arrays,
)
