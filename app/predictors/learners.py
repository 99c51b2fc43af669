"""Every learner by the name that cards and requests give it, with its options: ``gp|kernel:matern52+linear|inducing:0``."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from app.arrays import Float64s
from app.errors import InputError
from app.options import NO, YES, Choice, Number, Option, Parsed, parse_options
from app.predictors.adapted import Adapted, stored_parts
from app.predictors.blend import Blend
from app.predictors.gaussian.gpy_kernels import parse_gpy_kernel
from app.predictors.gaussian.kernels import KINDS
from app.predictors.gaussian.peer import LIKELIHOODS
from app.predictors.gaussian.process import GaussianProcess
from app.predictors.gaussian.warping import WARPS, Warped, stored_warp
from app.predictors.linear import LinearPredictor
from app.predictors.regressor import Regressor
from app.predictors.support_vectors import SupportVectors
from app.predictors.trees import BoostedTrees

__all__ = ["ADAPTED", "LEARNERS", "LEARNER_NAMES", "Learner", "parse_learner", "regressor_of"]

Served = type[GaussianProcess] | type[SupportVectors] | type[LinearPredictor] | type[BoostedTrees] | type[Blend]


def _kernel(text: str) -> str:
    parse_gpy_kernel(text)
    return text


def _warp(*names: str) -> Choice:
    return Choice({name: name for name in ("auto", *names)}, "auto")


@dataclass(frozen=True)
class Learner:
    """What a learner is, the options it takes, and what its arrays may be read as."""

    description: str
    options: Mapping[str, Option]
    served: tuple[Served, ...]


WARP: Final = {"warp": _warp("none", "log", "logit")}
LEARNERS: Final[Mapping[str, Learner]] = {
    "gp": Learner(
        "Gaussian process: mean, and a deviation that grows away from what was seen",
        {
            "kernel": Parsed(_kernel, f"{', '.join(KINDS)}, a sum such as rbf+linear, or GPy's, as MLP or RBF*Linear+Bias", "rbf"),
            "ard": YES,
            "inducing": Number(0, 1000, 200, whole=True),
            "learn": NO,
            "warp": _warp(*WARPS),
            "optimiser": Choice({"own": "own", "gpy": "gpy"}, "own"),
            "likelihood": Choice({name: name for name in LIKELIHOODS}, "gaussian"),
        },
        (GaussianProcess,),
    ),
    "svr": Learner(
        "Support vector regression",
        {
            "kernel": Choice({"rbf": "rbf", "linear": "linear"}, "rbf"),
            "search": Choice({"grid": "grid", "seeds": "seeds", "halving": "halving"}, "grid"),
            **WARP,
        },
        (SupportVectors, LinearPredictor),
    ),
    "ridge": Learner("Bayesian ridge regression", WARP, (LinearPredictor,)),
    "lasso": Learner("Lasso, its penalty by cross-validation", WARP, (LinearPredictor,)),
    "trees": Learner("Boosted regression trees", WARP, (BoostedTrees,)),
    "blend": Learner("Mean of a Gaussian process, boosted trees and ridge regression, which err differently", WARP, (Blend,)),
}
LEARNER_NAMES: Final = tuple(LEARNERS)
# What a model that corrects another one says in its card; it is made from a base, not from rows alone.
ADAPTED: Final = "adapted"


def parse_learner(spec: str) -> tuple[str, dict[str, Any]]:
    """Name and options of ``name|key:value|…``; InputError says what there is."""
    name, *pairs = spec.split("|")
    if name not in LEARNERS:
        raise InputError("invalid-training-data", f"learners are {', '.join(LEARNERS)}", ("learner",))
    return name, parse_options(name, LEARNERS[name].options, pairs, "invalid-training-data", "gp|kernel:matern52|inducing:0")


def regressor_of(learner: str, arrays: Mapping[str, Float64s]) -> Regressor:
    """What serves the stored arrays; ValueError or KeyError where they are not this learner's."""
    if learner == ADAPTED:
        base, parts, correction, shift = stored_parts(arrays)
        return Adapted(base, regressor_of(base, parts), shift, correction)
    served = LEARNERS[learner].served
    kind = served[-1] if len(served) > 1 and "weights" in arrays else served[0]
    regressor: Regressor = kind.from_arrays(arrays)
    warp = stored_warp(arrays)
    return Warped(regressor, warp) if warp is not None else regressor
