"""What a learner is: the options it takes, how it trains, and what serves what it learned."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Final, TypeAlias

from app.arrays import Float64s
from app.predictors.regressor import Regressor
from app.running.journal import Journal
from app.text.reading.options import Choice, Option

__all__ = ["PACKAGES", "WARP", "HyperParameters", "Learner", "Options", "Standardised", "Trainer", "trained_in", "warp_option"]

# Values of a learner's options, by name.
Options: TypeAlias = Mapping[str, Any]
# What was chosen or fitted, for the card.
HyperParameters: TypeAlias = dict[str, Any]
# Packages whose versions matter for what most trainings give.
PACKAGES: Final = ("numpy", "scipy", "scikit-learn")


@dataclass(frozen=True)
class Standardised:
    """What a learner sees: standardised features (n, k) and labels (n,) of training and held-out rows."""

    x: Float64s
    y: Float64s
    held_x: Float64s
    held_y: Float64s

    def residual_variance(self, predicted: Float64s) -> float:
        """The mean square of the residuals of held-out rows."""
        return float(max(((self.held_y - predicted) ** 2).mean(), 1e-12))


# Rows, options, seed and journal to what serves, with its hyper-parameters; the same bytes for the same seed.
Trainer: TypeAlias = Callable[[Standardised, Options, int, Journal], tuple[Regressor, HyperParameters]]


@dataclass(frozen=True)
class Learner:
    """A learner by the name that cards and requests give it.

    `train` learns standardised rows; `serve` reads the arrays that its regressor stores (ValueError or KeyError where they are
    not its own). With `WARP` among its options it is given labels that a warp has made more regular, and need not know of it;
    without an option called `warp`, labels as they are. `tunes_on_held_out`: whether held-out rows chose hyper-parameters.
    `packages` whose versions the card states depend on the options.
    """

    name: str
    description: str
    options: Mapping[str, Option]
    train: Trainer
    serve: Callable[[Mapping[str, Float64s]], Regressor]
    tunes_on_held_out: bool = False
    packages: Callable[[Options], tuple[str, ...]] = lambda options: PACKAGES


def trained_in(module: str) -> Trainer:
    """`train` of a module that is imported when something is trained: whoever only serves does not need what fits."""

    def train(data: Standardised, options: Options, seed: int, journal: Journal) -> tuple[Regressor, HyperParameters]:
        trainer: Trainer = import_module(module).train
        return trainer(data, options, seed, journal)

    return train


def warp_option(*names: str) -> Mapping[str, Option]:
    """The option for how labels are seen: one of the warps, or what suits the label."""
    return {"warp": Choice({name: name for name in ("auto", *names)}, "auto")}


# Of every learner that does not learn a warp of its own.
WARP: Final = warp_option("none", "log", "logit")
