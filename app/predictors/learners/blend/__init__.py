"""The mean of predictors that err differently."""

from typing import Final

from app.predictors.learner import WARP, Learner, trainer_of
from app.predictors.learners.blend.blended import Blend

__all__ = ["LEARNER"]

LEARNER: Final = Learner(
    "blend",
    "Mean of a Gaussian process, boosted trees and ridge regression, which err differently",
    WARP,
    trainer_of(f"{__name__}.training"),
    Blend.from_arrays,
)
