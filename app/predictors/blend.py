"""The mean of two predictors that err differently: a Gaussian process and boosted trees."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from app.predictors.rbf import GaussianProcess
from app.predictors.trees import BoostedTrees
from app.text.arrays import Float64s

__all__ = ["Blend"]


@dataclass(frozen=True)
class Blend:
    """``mean = (1 - share) · process + share · trees``; the variance is the process's."""

    process: GaussianProcess
    trees: BoostedTrees
    share: float

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Float64s]) -> "Blend":
        """Read what `arrays` stores."""

        def part(prefix: str) -> dict[str, Float64s]:
            return {name.removeprefix(prefix): value for name, value in arrays.items() if name.startswith(prefix)}

        share = float(arrays["share"][0])
        return cls(GaussianProcess.from_arrays(part("process.")), BoostedTrees.from_arrays(part("trees.")), share)

    def arrays(self) -> dict[str, Float64s]:
        """What is stored: both predictors' arrays under their names, and the share of the trees."""
        return {
            **{f"process.{name}": value for name, value in self.process.arrays().items()},
            **{f"trees.{name}": value for name, value in self.trees.arrays().items()},
            "share": np.array([self.share]),
        }

    def predict(self, x: Float64s) -> tuple[Float64s, Float64s]:
        """Mean and variance."""
        mean, variance = self.process.predict(x)
        return (1 - self.share) * mean + self.share * self.trees.predict(x)[0], variance
