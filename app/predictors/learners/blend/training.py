"""Training of a blend: each part learns the same rows, and the shares are fixed, not chosen on held-out rows."""

from typing import Final

import numpy as np

from app.predictors.learner import HyperParameters, OptionValues, StandardisedRows
from app.predictors.learners.blend.blended import Blend
from app.predictors.learners.gp.training import train_process
from app.predictors.learners.ridge import training as ridge
from app.predictors.learners.trees import training as trees
from app.running.journal import Journal, Share

__all__ = ["train"]

PROCESS_OPTIONS: Final[OptionValues] = {
    "kernel": "rbf", "ard": True, "inducing": 200, "learn": False, "warp": "none", "optimiser": "own", "likelihood": "gaussian",
}  # fmt: skip
# Names as in cards, in the order of the parts.
SHARES: Final = {"process_share": 0.4, "trees_share": 0.4, "line_share": 0.2}


def train(data: StandardisedRows, options: OptionValues, seed: int, journal: Journal) -> tuple[Blend, HyperParameters]:
    """A process, trees and ridge regression, one after the other."""
    process, _, of_process = train_process(data, PROCESS_OPTIONS, seed, Share(journal, 0.0, 0.8))
    boosted_trees, of_trees = trees.train(data, {}, seed, Share(journal, 0.8, 0.95))
    line, of_ridge = ridge.train(data, {}, seed, Share(journal, 0.95, 1.0))
    return Blend(process, boosted_trees, line, np.array([*SHARES.values()])), {**of_process, **of_trees, **of_ridge, **SHARES}
