"""Serving of a predictor that corrects another one."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from app.arrays import Float64s
from app.predictors.gaussian.process import GaussianProcess
from app.predictors.regressor import Regressor

__all__ = ["Adapted"]


@dataclass(frozen=True)
class Adapted:
    """``mean = base + shift + correction``, the correction a Gaussian process over what the base left unexplained; its variance."""

    base_learner: str
    base: Regressor
    shift: float
    correction: GaussianProcess

    def arrays(self) -> dict[str, Float64s]:
        """What is stored: the base's arrays under its learner's name, and the correction's."""
        return {
            **{f"base.{self.base_learner}.{name}": value for name, value in self.base.arrays().items()},
            **{f"correction.{name}": value for name, value in self.correction.arrays().items()},
            "shift": np.array([self.shift]),
        }

    def predict(self, x: Float64s) -> tuple[Float64s, Float64s]:
        """Mean and variance."""
        mean, variance = self.correction.predict(x)
        return mean + self.shift + self.base.means(x), variance

    def means(self, x: Float64s) -> Float64s:
        """Means alone."""
        return np.asarray(self.correction.means(x) + self.shift + self.base.means(x))


def stored_parts(arrays: Mapping[str, Float64s]) -> tuple[str, dict[str, Float64s], GaussianProcess, float]:
    """The base's learner and arrays, the correction and the shift; ValueError where they are not there."""
    names = {name.split(".")[1] for name in arrays if name.startswith("base.")}
    if len(names) != 1:
        raise ValueError("one base is needed")
    learner = names.pop()
    prefix = f"base.{learner}."
    base = {name.removeprefix(prefix): value for name, value in arrays.items() if name.startswith(prefix)}
    correction = {name.removeprefix("correction."): value for name, value in arrays.items() if name.startswith("correction.")}
    return learner, base, GaussianProcess.from_arrays(correction), float(arrays["shift"][0])
