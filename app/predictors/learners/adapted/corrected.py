"""Serving of a predictor that corrects another one."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from app.arrays import Float64s
from app.predictors.learners.gp.process import GaussianProcess
from app.predictors.regressor import Regressor
from app.predictors.stored import arrays_below

__all__ = ["CorrectedRegressor", "serve"]


@dataclass(frozen=True)
class CorrectedRegressor(Regressor):
    """``mean = scale · base + shift + weight · correction``.

    The correction is a Gaussian process over the base's residuals. Its variance is that of the whole.
    """

    base_learner: str
    base: Regressor
    shift: float
    correction: GaussianProcess
    scale: float = 1.0
    weight: float = 1.0

    def arrays(self) -> dict[str, Float64s]:
        """Arrays to store: the base's arrays under its learner's name, and the correction's."""
        return {
            **{f"base.{self.base_learner}.{name}": value for name, value in self.base.arrays().items()},
            **{f"correction.{name}": value for name, value in self.correction.arrays().items()},
            **{name: np.array([getattr(self, name)]) for name in ("shift", "scale", "weight")},
        }

    def predict(self, x: Float64s) -> tuple[Float64s, Float64s]:
        """Mean and variance."""
        mean, variance = self.correction.predict(x)
        return self._mean(x, mean), variance

    def means(self, x: Float64s) -> Float64s:
        """Means alone."""
        return self._mean(x, self.correction.means(x))

    def _mean(self, x: Float64s, correction: Float64s) -> Float64s:
        return np.asarray(self.scale * self.base.means(x) + self.shift + self.weight * correction)

    def relevance(self) -> Float64s | None:
        """Relevance of the base's features."""
        return self.base.relevance()


def serve(arrays: Mapping[str, Float64s], regressor_of: Callable[[str, Mapping[str, Float64s]], Regressor]) -> CorrectedRegressor:
    """Read the stored arrays, the base by its learner's name; ValueError unless there is exactly one base."""
    names = {name.split(".")[1] for name in arrays if name.startswith("base.")}
    if len(names) != 1:
        raise ValueError("one base is needed")
    learner = names.pop()
    base = regressor_of(learner, arrays_below(arrays, f"base.{learner}."))
    correction = GaussianProcess.from_arrays(arrays_below(arrays, "correction."))
    # Corrections of older versions have no scale and no weight, which are 1.
    scale, weight = (float(arrays[name][0]) if name in arrays else 1.0 for name in ("scale", "weight"))
    return CorrectedRegressor(learner, base, float(arrays["shift"][0]), correction, scale, weight)
