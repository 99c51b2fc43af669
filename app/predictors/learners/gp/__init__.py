"""Gaussian processes: kernels and their gradients, exact and sparse evidence, tasks, fitting; serving with numpy alone.

Tests compare all results with GPy. GPy can also replace the optimiser here, and adds kernels and a likelihood (`peer`,
`gpy_kernels`).
"""

from typing import Final

from app.predictors.learner import PACKAGES, Learner, trainer_of, warp_option
from app.predictors.learners.gp.gpy_kernels import LIKELIHOODS, by_gpy, parse_gpy_kernel
from app.predictors.learners.gp.kernels import KINDS
from app.predictors.learners.gp.process import GaussianProcess
from app.predictors.warping import WARPS
from app.text.reading.options import DEFAULT_NO, DEFAULT_YES, Choice, Number, ParsedOption

__all__ = ["LEARNER"]


def _kernel(text: str) -> str:
    parse_gpy_kernel(text)
    return text


LEARNER: Final = Learner(
    "gp",
    "Gaussian process: mean, and a deviation that grows away from what was seen",
    {
        "kernel": ParsedOption(
            _kernel, f"{', '.join(KINDS)}, a sum such as rbf+linear, or GPy's, as MLP or RBF*Linear+Bias", "rbf"
        ),
        "ard": DEFAULT_YES,
        "inducing": Number(0, 1000, 200, is_whole=True),
        "learn": DEFAULT_NO,
        **warp_option(*WARPS),
        "optimiser": Choice({"own": "own", "gpy": "gpy"}, "own"),
        "likelihood": Choice({name: name for name in LIKELIHOODS}, "gaussian"),
    },
    trainer_of(f"{__name__}.training"),
    GaussianProcess.from_arrays,
    packages=lambda options: (*PACKAGES, "GPy") if by_gpy(options) else PACKAGES,
)
