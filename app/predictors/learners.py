"""Every learner by the name that cards and requests give it."""

from collections.abc import Mapping
from typing import Final

from app.predictors.blend import Blend
from app.predictors.linear import LinearPredictor
from app.predictors.rbf import GaussianProcess, SupportVectors
from app.predictors.trees import BoostedTrees

__all__ = ["LEARNERS", "LEARNER_NAMES"]

Learner = type[GaussianProcess] | type[SupportVectors] | type[LinearPredictor] | type[BoostedTrees] | type[Blend]
LEARNERS: Final[Mapping[str, Learner]] = {
    "gp": GaussianProcess,
    "svr": SupportVectors,
    "ridge": LinearPredictor,
    "lasso": LinearPredictor,
    "trees": BoostedTrees,
    "blend": Blend,
}
LEARNER_NAMES: Final = tuple(LEARNERS)
