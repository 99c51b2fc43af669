"""Boosted regression trees."""

from typing import Final

from app.predictors.learner import WARP, Learner, trainer_of
from app.predictors.learners.trees.boosted_trees import BoostedTrees

__all__ = ["LEARNER"]

LEARNER: Final = Learner("trees", "Boosted regression trees", WARP, trainer_of(f"{__name__}.training"), BoostedTrees.from_arrays)
