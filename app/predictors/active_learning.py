"""Selection of segments to annotate next from an unlabelled pool (Beck et al. 2013, SHEF-Lite, section 4; Settles 2008)."""

from collections.abc import Callable, Mapping
from typing import Final

import numpy as np

from app.arrays import Float64s, Int64s
from app.errors import InputError
from app.predictors.model import Model

__all__ = ["DEFAULT_STRATEGY", "STRATEGIES", "density", "information_density", "select_segments"]


def density(x: Float64s) -> Float64s:
    """Mean cosine of each row with all rows of the pool, not below 0; shape (n,). O(n k): a mean of cosines is a dot product."""
    norms = np.sqrt((x * x).sum(1))
    units = np.divide(x, norms[:, None], out=np.zeros_like(x), where=norms[:, None] > 0)
    return np.maximum(units @ units.mean(0), 0.0) if len(x) else np.zeros(0)


def information_density(x: Float64s, variance: Float64s, beta: float = 1.0) -> Float64s:
    """Predictive variance times density to the power `beta`: uncertain, but like many others. Without `beta`, the variance."""
    return np.asarray(variance * density(x) ** beta)


STRATEGIES: Final[Mapping[str, Callable[[Float64s, Float64s], Float64s]]] = {
    "information-density": information_density,
    "variance": lambda x, variance: variance,
    "density": lambda x, variance: density(x),
}
# About as good as chance on two of the measured pairs, far better on the third (docs/research/active-learning.md).
DEFAULT_STRATEGY: Final = "variance"


def select_segments(model: Model, values: Float64s, count: int, strategy: str) -> tuple[Int64s, Float64s]:
    """Rows of the pool's features (n, k) with the highest worth, from the best on, and the worth of each.

    InputError for a strategy that needs variances and a model with constant variance.
    """
    if strategy not in STRATEGIES:
        raise InputError("invalid-request", f"strategies are {', '.join(STRATEGIES)}", ("strategy",))
    x = model.standardise(values)
    _, variance = model.regressor.predict(x)
    if strategy != "density" and len(values) > 1 and float(np.ptp(variance)) == 0:
        detail = (
            f"this model ({model.card.learner}) is equally unsure of every segment; "
            "choose a model of the learners gp, ridge or blend, or the strategy density"
        )
        raise InputError("unknown-model", detail, ("model",))
    worth = STRATEGIES[strategy](x, variance)
    order = np.argsort(-worth, kind="stable")[:count]
    return order, worth[order]
