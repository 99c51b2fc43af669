"""Support vector regression with an RBF or a linear kernel."""

from collections.abc import Mapping
from typing import Final

from app.arrays import Float64s
from app.predictors.learner import WARP, Learner, trainer_of
from app.predictors.learners.svr.support_vectors import SupportVectors
from app.predictors.linear import LinearPredictor
from app.predictors.regressor import Regressor
from app.text.reading.options import Choice

__all__ = ["LEARNER"]


def _serve(arrays: Mapping[str, Float64s]) -> Regressor:
    """An RBF machine stores its vectors, a linear one their weighted sum; the card of a correction has no kernel."""
    return SupportVectors.from_arrays(arrays) if "vectors" in arrays else LinearPredictor.from_arrays(arrays)


LEARNER: Final = Learner(
    "svr",
    "Support vector regression",
    {
        "kernel": Choice({"rbf": "rbf", "linear": "linear"}, "rbf"),
        "search": Choice({"grid": "grid", "seeds": "seeds", "halving": "halving"}, "grid"),
        **WARP,
    },
    trainer_of(f"{__name__}.training"),
    _serve,
    tunes_on_held_out=True,
)
