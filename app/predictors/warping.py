"""Monotone functions of labels, so that skewed, positive or bounded ones suit a Gaussian model.

``tanh`` is learned with the process (Snelson et al. 2004); ``log`` and ``logit`` are fixed. The regressor of a warped learner
integrates over its Gaussian, so means and deviations are those of the label itself.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Protocol

import numpy as np

from app.arrays import Float64s
from app.errors import InputError
from app.predictors.regressor import Regressor

__all__ = ["WARPS", "FixedWarp", "TanhWarp", "Warp", "WarpedRegressor", "fixed_warp"]

WARPS: Final[Mapping[str, str]] = {
    "none": "labels as they are",
    "log": "logarithms, for labels that are never below 0, such as times",
    "logit": "logits, for labels between two bounds",
    "tanh": "learned: a straight line and a sum of hyperbolic tangents",
}
# Nodes of the Gauss-Hermite sums.
NODES, NODE_WEIGHTS = np.polynomial.hermite_e.hermegauss(20)
NODE_WEIGHTS = NODE_WEIGHTS / NODE_WEIGHTS.sum()
# Newton's steps for the inverse are safeguarded, so they end; no label has needed as many.
STEPS: Final = 100
# Bounded labels are drawn in from their bounds by this share, since a bound's logit is infinite.
EDGE: Final = 0.01


class Warp(Protocol):
    """A monotone function of standardised labels."""

    def forward(self, y: Float64s) -> Float64s:
        """The warped labels."""
        ...

    def inverse(self, z: Float64s) -> Float64s:
        """The labels of warped values."""
        ...

    def arrays(self) -> dict[str, Float64s]:
        """Arrays to store, by name."""
        ...


@dataclass(frozen=True)
class FixedWarp:
    """``z = (g(label) - centre) / scale`` with g a logarithm or logit of the label ``y · label_scale + label_centre``.

    `low` and, for a logit, `high` bound the training labels; the logarithm is that of ``label - low + edge``.
    """

    kind: str
    label_centre: float
    label_scale: float
    low: float
    high: float
    edge: float
    centre: float
    scale: float

    def forward(self, y: Float64s) -> Float64s:
        """The warped labels."""
        return np.asarray((self._g(y * self.label_scale + self.label_centre) - self.centre) / self.scale)

    def _g(self, label: Float64s) -> Float64s:
        if self.kind == "log":
            return np.asarray(np.log(np.maximum(label - self.low, 0.0) + self.edge))
        share = np.clip((label - self.low) / (self.high - self.low), 0.0, 1.0) * (1 - 2 * EDGE) + EDGE
        return np.asarray(np.log(share / (1 - share)))

    def inverse(self, z: Float64s) -> Float64s:
        """The labels of warped values."""
        g = z * self.scale + self.centre
        if self.kind == "log":
            label = np.exp(np.minimum(g, 50.0)) - self.edge + self.low
        else:
            share = (1.0 / (1.0 + np.exp(-g)) - EDGE) / (1 - 2 * EDGE)
            label = np.clip(share, 0.0, 1.0) * (self.high - self.low) + self.low
        return np.asarray((label - self.label_centre) / self.label_scale)

    def arrays(self) -> dict[str, Float64s]:
        """Arrays to store, by name."""
        values = (self.label_centre, self.label_scale, self.low, self.high, self.edge, self.centre, self.scale)
        return {f"warp.{self.kind}": np.array(values)}


def fixed_warp(kind: str, labels: Float64s, low: float | None, high: float | None) -> FixedWarp:
    """The warp of these training labels (in their own unit); InputError if the label's range does not allow the warp."""
    if low is None or (kind == "logit" and high is None):
        bounds = "a lower bound" if kind == "log" else "two bounds"
        raise InputError("invalid-training-data", f"the warp {kind} is for labels with {bounds}", ("learner",))
    # A tenth of the median keeps labels at the bound within the distances of the others.
    edge = max(0.1 * float(np.median(labels - low)), 1e-3)
    rough = FixedWarp(kind, 0.0, 1.0, low, high or 0.0, edge, 0.0, 1.0)
    values = rough.forward(labels)
    return FixedWarp(
        kind, float(labels.mean()), float(labels.std()), low, high or 0.0, edge, float(values.mean()), float(values.std())
    )


@dataclass(frozen=True)
class TanhWarp:
    """``z = d y + Σ a tanh(b (y + c))`` with a, b, d > 0; `steps` (3, terms) holds log a, log b and c."""

    log_line: float
    steps: Float64s

    @classmethod
    def initial(cls, terms: int, seed: int) -> "TanhWarp":
        """Nearly a straight line, with steps spread over two deviations."""
        rng = np.random.default_rng(seed)
        places = np.linspace(-1.5, 1.5, terms) + 0.1 * rng.standard_normal(terms)
        return cls(0.0, np.stack([np.full(terms, np.log(0.1)), np.zeros(terms), places]))

    def _parts(self, y: Float64s) -> tuple[Float64s, Float64s, Float64s, Float64s]:
        a, b, c = np.exp(self.steps[0]), np.exp(self.steps[1]), self.steps[2]
        shifted_labels = y[..., None] + c
        return a, b, shifted_labels, np.tanh(b * shifted_labels)

    def forward(self, y: Float64s) -> Float64s:
        """The warped labels."""
        a, _, _, tanh = self._parts(y)
        return np.asarray(np.exp(self.log_line) * y + tanh @ a)

    def slope(self, y: Float64s) -> Float64s:
        """``dz / dy``."""
        a, b, _, tanh = self._parts(y)
        return np.asarray(np.exp(self.log_line) + (1 - tanh**2) @ (a * b))

    def inverse(self, z: Float64s) -> Float64s:
        """The labels of warped values: Newton's steps, halved outside the bracket that follows from the function's form."""
        line, reach = np.exp(self.log_line), float(np.exp(self.steps[0]).sum())
        low, high = (z - reach) / line, (z + reach) / line
        y = np.asarray(z / line)
        for _ in range(STEPS):
            error = self.forward(y) - z
            low, high = np.where(error < 0, y, low), np.where(error > 0, y, high)
            step = y - error / self.slope(y)
            next_values = np.where((step > low) & (step < high), step, 0.5 * (low + high))
            next_values = np.where(error == 0, y, next_values)
            if float(np.abs(next_values - y).max(initial=0.0)) < 1e-13:
                return next_values
            y = next_values
        return y

    def parameters(self) -> Float64s:
        """Parameters of the optimisation."""
        return np.concatenate([[self.log_line], self.steps.ravel()])

    def with_parameters(self, values: Float64s) -> "TanhWarp":
        """A copy with other parameters."""
        return TanhWarp(float(values[0]), values[1:].reshape(self.steps.shape).copy())

    def log_slopes(self, y: Float64s, by_label: Float64s) -> tuple[float, Float64s]:
        """``Σ log dz/dy``, and derivatives of that plus ``by_warped · z`` by the parameters."""
        a, b, shifted_labels, tanh = self._parts(y)
        line, bell = np.exp(self.log_line), 1 - tanh**2
        slope = line + bell @ (a * b)
        share = (1.0 / slope)[:, None]
        by_line = line * (by_label @ y + float((1.0 / slope).sum()))
        fall = -2.0 * bell * tanh
        by_a = a * (by_label @ tanh + (share * bell * b).sum(0))
        by_b = b * (by_label @ (a * shifted_labels * bell) + (share * a * (bell + b * shifted_labels * fall)).sum(0))
        by_c = by_label @ (a * b * bell) + (share * a * b * b * fall).sum(0)
        return float(np.log(slope).sum()), np.concatenate([[by_line], by_a, by_b, by_c])

    def arrays(self) -> dict[str, Float64s]:
        """Arrays to store, by name."""
        return {"warp.tanh": self.parameters()}


@dataclass(frozen=True)
class WarpedRegressor(Regressor):
    """A learner of warped labels: mean and variance of the label under its Gaussian, by Gauss-Hermite sums."""

    inner: Regressor
    warp: Warp

    def arrays(self) -> dict[str, Float64s]:
        """Arrays to store, by name."""
        return {**self.inner.arrays(), **self.warp.arrays()}

    def predict(self, x: Float64s) -> tuple[Float64s, Float64s]:
        """Mean and variance of new labels."""
        mean, variance = self.inner.predict(x)
        labels = self.warp.inverse(mean[:, None] + np.sqrt(variance)[:, None] * NODES)
        expected = labels @ NODE_WEIGHTS
        spread = (labels - expected[:, None]) ** 2 @ NODE_WEIGHTS
        return expected, np.maximum(spread, 1e-12)

    def relevance(self) -> Float64s | None:
        """Relevance of the learner of warped labels."""
        return self.inner.relevance()


def stored_warp(arrays: Mapping[str, Float64s]) -> Warp | None:
    """The warp among stored arrays; None without one."""
    if "warp.tanh" in arrays:
        values = arrays["warp.tanh"]
        return TanhWarp(float(values[0]), values[1:].reshape(3, -1))
    for kind in ("log", "logit"):
        if f"warp.{kind}" in arrays:
            return FixedWarp(kind, *map(float, arrays[f"warp.{kind}"]))
    return None
