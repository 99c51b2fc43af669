"""Serving of the mean of several predictors that err differently."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from app.arrays import Float64s
from app.predictors.learners.gp.process import GaussianProcess
from app.predictors.learners.trees.boosted_trees import BoostedTrees
from app.predictors.linear import LinearPredictor
from app.predictors.regressor import Regressor
from app.predictors.stored import arrays_below

__all__ = ["Blend"]


@dataclass(frozen=True)
class Blend(Regressor):
    """``mean = Σ share · mean of the part``, the parts process, trees and ridge regression, in the order of `shares` (3,).

    The variance is the process's, the only part with a variance per segment.
    """

    process: GaussianProcess
    trees: BoostedTrees
    ridge: LinearPredictor
    shares: Float64s

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Float64s]) -> "Blend":
        """Read the stored arrays."""
        if arrays["shares"].shape != (3,):
            raise ValueError("a blend needs one share per part")
        return cls(
            GaussianProcess.from_arrays(arrays_below(arrays, "process.")),
            BoostedTrees.from_arrays(arrays_below(arrays, "trees.")),
            LinearPredictor.from_arrays(arrays_below(arrays, "line.")),
            arrays["shares"],
        )

    def arrays(self) -> dict[str, Float64s]:
        """Arrays to store: every part's arrays under its name, and the shares."""
        parts = {"process": self.process, "trees": self.trees, "line": self.ridge}
        stored = {f"{name}.{key}": value for name, part in parts.items() for key, value in part.arrays().items()}
        return {**stored, "shares": np.asarray(self.shares)}

    def predict(self, x: Float64s) -> tuple[Float64s, Float64s]:
        """Mean and variance."""
        mean, variance = self.process.predict(x)
        process, trees, ridge = self.shares.tolist()
        mean = mean * process
        mean += trees * self.trees.means(x)
        mean += ridge * self.ridge.means(x)
        return mean, variance

    def means(self, x: Float64s) -> Float64s:
        """Means alone."""
        parts: tuple[Regressor, ...] = (self.process, self.trees, self.ridge)
        return np.asarray(np.sum([share * part.means(x) for share, part in zip(self.shares.tolist(), parts, strict=True)], axis=0))

    def relevance(self) -> Float64s:
        """Relevance of the process's features."""
        return self.process.relevance()
