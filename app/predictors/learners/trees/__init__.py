"""Boosted regression trees."""

from typing import Final

from app.predictors.learner import WARP, Learner
from app.predictors.learners.trees.boosted_trees import BoostedTrees
from app.predictors.learners.trees.training import train

__all__ = ["LEARNER"]

LEARNER: Final = Learner("trees", "Boosted regression trees", WARP, train, BoostedTrees.from_arrays)
