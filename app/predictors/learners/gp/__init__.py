"""Gaussian processes: kernels and their gradients, exact and sparse evidence, tasks, fitting; serving with numpy alone.

GPy is the peer that the tests hold all of it to, and can do the optimising in its place (`peer`).
"""

from typing import Final

from app.options import NO, YES, Choice, Number, Parsed
from app.predictors.learner import PACKAGES, Learner, Options, warp_option
from app.predictors.learners.gp.kernels import KINDS
from app.predictors.learners.gp.process import GaussianProcess
from app.predictors.learners.gp.training import train
from app.predictors.warping import WARPS

__all__ = ["LEARNER"]


def _kernel(text: str) -> str:
    kinds = text.split("+")
    if not set(kinds) <= set(KINDS) or len(set(kinds)) != len(kinds):
        raise ValueError(text)
    return text


def _packages(options: Options) -> tuple[str, ...]:
    return (*PACKAGES, "GPy") if options["optimiser"] == "gpy" else PACKAGES


LEARNER: Final = Learner(
    "gp",
    "Gaussian process: mean, and a deviation that grows away from what was seen",
    {
        "kernel": Parsed(_kernel, f"{', '.join(KINDS)}, or a sum such as rbf+linear", "rbf"),
        "ard": YES,
        "inducing": Number(0, 1000, 200, whole=True),
        "learn": NO,
        **warp_option(*WARPS),
        "optimiser": Choice({"own": "own", "gpy": "gpy"}, "own"),
    },
    train,
    GaussianProcess.from_arrays,
    packages=_packages,
)
