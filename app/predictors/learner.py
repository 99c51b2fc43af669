"""Learners: their options, their training, and the regressors that serve them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Final, TypeAlias

from app.arrays import Float64s
from app.predictors.regressor import Regressor
from app.running.journal import Journal
from app.text.reading.options import Choice, Option

__all__ = [
    "PACKAGES",
    "WARP",
    "HyperParameters",
    "Learner",
    "OptionValues",
    "StandardisedRows",
    "Trainer",
    "trainer_of",
    "warp_option",
]

# Values of a learner's options, by name.
OptionValues: TypeAlias = Mapping[str, Any]
# Chosen or fitted values, for the card.
HyperParameters: TypeAlias = dict[str, Any]
# Packages whose versions can change most trained models.
PACKAGES: Final = ("numpy", "scipy", "scikit-learn")


@dataclass(frozen=True)
class StandardisedRows:
    """Standardised features (n, k) and labels (n,) of training and held-out rows."""

    x: Float64s
    y: Float64s
    held_x: Float64s
    held_y: Float64s

    def residual_variance(self, predicted: Float64s) -> float:
        """The mean square of the residuals of held-out rows."""
        return float(max(((self.held_y - predicted) ** 2).mean(), 1e-12))


# Rows, options, seed and journal to a regressor and its hyper-parameters; equal seeds give equal bytes.
Trainer: TypeAlias = Callable[[StandardisedRows, OptionValues, int, Journal], tuple[Regressor, HyperParameters]]


@dataclass(frozen=True)
class Learner:
    """A learner by its name on cards and in requests.

    `train` learns standardised rows; `serve` reads the arrays of its regressor (ValueError or KeyError for arrays of another
    learner). With `WARP` among its options `train` gets warped labels; without an option called `warp`, plain ones.
    `tunes_on_held_out` is True if held-out rows choose hyper-parameters. `packages` returns, for the options, the packages whose
    versions the card states.
    """

    name: str
    description: str
    options: Mapping[str, Option]
    train: Trainer
    serve: Callable[[Mapping[str, Float64s]], Regressor]
    tunes_on_held_out: bool = False
    packages: Callable[[OptionValues], tuple[str, ...]] = lambda options: PACKAGES


def trainer_of(module: str) -> Trainer:
    """`train` of a module that is imported at its first call, since serving needs no package of the training."""

    def train(data: StandardisedRows, options: OptionValues, seed: int, journal: Journal) -> tuple[Regressor, HyperParameters]:
        trainer: Trainer = import_module(module).train
        return trainer(data, options, seed, journal)

    return train


def warp_option(*names: str) -> Mapping[str, Option]:
    """The option for the warp of labels: a warp by name, or the one that suits the label."""
    return {"warp": Choice({name: name for name in ("auto", *names)}, "auto")}


# For every learner without a warp of its own.
WARP: Final = warp_option("none", "log", "logit")
