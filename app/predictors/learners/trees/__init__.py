"""Boosted regression trees."""

from typing import Final

from app.predictors.learner import WARP, Learner, trained_in
from app.predictors.learners.trees.boosted_trees import BoostedTrees

__all__ = ["LEARNER"]

LEARNER: Final = Learner("trees", "Boosted regression trees", WARP, trained_in(f"{__name__}.training"), BoostedTrees.from_arrays)
