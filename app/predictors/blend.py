"""The mean of several predictors that err differently."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from app.arrays import Float64s
from app.predictors.gaussian.process import GaussianProcess
from app.predictors.linear import LinearPredictor
from app.predictors.regressor import Regressor
from app.predictors.trees import BoostedTrees

__all__ = ["Blend"]

PARTS: dict[str, type[GaussianProcess] | type[BoostedTrees] | type[LinearPredictor]] = {
    "process": GaussianProcess,
    "trees": BoostedTrees,
    "line": LinearPredictor,
}


@dataclass(frozen=True)
class Blend:
    """``mean = Σ share · mean of the part``; the variance is the process's. `parts` and their shares (parts,), in one order."""

    parts: Mapping[str, Regressor]
    shares: Float64s

    @property
    def process(self) -> GaussianProcess:
        """The part that knows how sure it is."""
        found = self.parts["process"]
        assert isinstance(found, GaussianProcess)
        return found

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Float64s]) -> "Blend":
        """Read what `arrays` stores."""
        names = [name for name in PARTS if any(key.startswith(f"{name}.") for key in arrays)]
        parts = {
            name: PARTS[name].from_arrays(
                {key.removeprefix(f"{name}."): value for key, value in arrays.items() if key.startswith(f"{name}.")}
            )
            for name in names
        }
        if "process" not in parts or arrays["shares"].shape != (len(parts),):
            raise ValueError("a blend needs a process, and one share per part")
        return cls(parts, arrays["shares"])

    def arrays(self) -> dict[str, Float64s]:
        """What is stored: every part's arrays under its name, and the shares."""
        stored = {f"{name}.{key}": value for name, part in self.parts.items() for key, value in part.arrays().items()}
        return {**stored, "shares": np.asarray(self.shares)}

    def predict(self, x: Float64s) -> tuple[Float64s, Float64s]:
        """Mean and variance."""
        mean, variance = self.process.predict(x)
        shares = dict(zip(self.parts, self.shares.tolist(), strict=True))
        mean = mean * shares["process"]
        for name, part in self.parts.items():
            if name != "process":
                mean += shares[name] * part.means(x)
        return mean, variance

    def means(self, x: Float64s) -> Float64s:
        """Means alone."""
        parts = zip(self.parts.values(), self.shares.tolist(), strict=True)
        return np.asarray(np.sum([share * part.means(x) for part, share in parts], axis=0))
