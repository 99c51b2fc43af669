"""Every learner by the name that cards and requests give it."""

from collections.abc import Mapping
from typing import Final

from app.predictors.linear import LinearPredictor
from app.predictors.rbf import GaussianProcess, SupportVectors

__all__ = ["LEARNERS", "LEARNER_NAMES"]

LEARNERS: Final[Mapping[str, type[GaussianProcess] | type[SupportVectors] | type[LinearPredictor]]] = {
    "gp": GaussianProcess,
    "svr": SupportVectors,
    "ridge": LinearPredictor,
    "lasso": LinearPredictor,
}
LEARNER_NAMES: Final = tuple(LEARNERS)
