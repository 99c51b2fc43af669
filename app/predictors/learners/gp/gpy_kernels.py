"""Covariances that are GPy's: kernels that `kernels` lacks, and products, by the names that GPy gives them.

GPy is imported where such a kernel is trained or served, and nowhere else. What is stored is its name and its parameters;
the names of our own kinds may stand among GPy's.
"""

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

import numpy as np

from app.arrays import Float64s
from app.errors import InputError
from app.predictors.learners.gp.kernels import KINDS, Covariance, Kernel

__all__ = [
    "GPY_KERNELS",
    "LIKELIHOODS",
    "OWN_KINDS",
    "GpyKernel",
    "build_kernel",
    "by_gpy",
    "import_gpy",
    "needs_gpy",
    "parse_gpy_kernel",
    "stored_kernel",
]

# Of any number of features, with no argument but that number.
GPY_KERNELS: Final = (
    "Bias", "Cosine", "ExpQuad", "ExpQuadCosine", "Exponential", "Linear", "MLP", "Matern32", "Matern52", "OU", "Poly", "RBF",
    "RatQuad", "Sinc", "StdPeriodic", "TruncLinear", "White",
)  # fmt: skip
# Those with one length scale per feature, or the like.
PER_FEATURE: Final = frozenset(GPY_KERNELS) - {"Bias", "Poly", "StdPeriodic", "White"}
# GPy's names of our kinds.
OWN_KINDS: Final[Mapping[str, str]] = {
    "rbf": "RBF",
    "matern32": "Matern32",
    "matern52": "Matern52",
    "rq": "RatQuad",
    "linear": "Linear",
}
LIKELIHOODS: Final[Mapping[str, str]] = {
    "gaussian": "normal noise",
    "student-t": "noise with heavy tails, so that few wrong labels do little harm; exact processes, by Laplace's approximation",
}
MOST_FACTORS: Final = 8
STORED: Final = "kernel.gpy."


def parse_gpy_kernel(name: str) -> tuple[tuple[str, ...], ...]:
    """A sum of products, as ``RBF*Linear+Bias``, as GPy's names; ValueError for other names, for too many, and for a term twice."""
    terms = tuple(tuple(OWN_KINDS.get(factor, factor) for factor in term.split("*")) for term in name.split("+"))
    factors = [factor for term in terms for factor in term]
    if not set(factors) <= set(GPY_KERNELS) or len(factors) > MOST_FACTORS or len(set(terms)) < len(terms):
        raise ValueError(name)
    return terms


def needs_gpy(kernel: str, likelihood: str) -> bool:
    """Whether GPy alone has this kernel or this likelihood."""
    return likelihood != "gaussian" or not set(kernel.split("+")) <= set(KINDS)


def by_gpy(options: Mapping[str, Any]) -> bool:
    """Whether GPy trains: where it is asked to, and where the kernel or the likelihood is its own."""
    return options["optimiser"] == "gpy" or needs_gpy(options["kernel"], options["likelihood"])


def import_gpy(code: str = "invalid-training-data") -> Any:
    """The package; InputError says how to get it."""
    try:
        import GPy
    except ImportError:
        raise InputError(code, "this kernel, likelihood or optimiser is GPy's, which is not installed: pip install GPy") from None
    return GPy


def build_kernel(name: str, features: int, ard: bool, code: str = "invalid-training-data") -> Any:
    """An object of GPy's, at GPy's own start."""
    kinds = import_gpy(code).kern

    def factor(kind: str) -> Any:
        make = getattr(kinds, kind)
        return make(features, ARD=True) if ard and kind in PER_FEATURE else make(features)

    products = [[factor(kind) for kind in term] for term in parse_gpy_kernel(name)]
    terms = [factors[0] if len(factors) == 1 else kinds.Prod(factors) for factors in products]
    return terms[0] if len(terms) == 1 else kinds.Add(terms)


@dataclass(frozen=True)
class GpyKernel:
    """A kernel of GPy's by its name, with `values` (p,), its parameters in GPy's order."""

    name: str
    features: int
    ard: bool
    values: Float64s
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False, repr=False, compare=False)

    @classmethod
    def stored(cls, name: str, numbers: Float64s) -> "GpyKernel":
        """What `arrays` stores; ValueError where it is no kernel, InputError where GPy is not installed."""
        features, ard, *values = numbers.tolist()
        kernel = cls(name, int(features), bool(ard), np.array(values))
        # It is built when it is read, so that no request waits for it and a wrong one is found.
        if (
            len(kernel._peer.param_array) != len(values)
            or not np.isfinite(kernel._peer.Kdiag(np.zeros((1, kernel.features)))).all()
        ):
            raise ValueError(f"the parameters are not those of {name}")
        return kernel

    @cached_property
    def _peer(self) -> Any:
        peer = build_kernel(self.name, self.features, self.ard, "unknown-model")
        if len(peer.param_array) == len(self.values):
            peer[:] = self.values
        return peer

    def arrays(self) -> dict[str, Float64s]:
        """What is stored: the number of features, whether each has a length scale, and the parameters."""
        return {f"{STORED}{self.name}": np.concatenate([[self.features, self.ard], self.values])}

    def diagonal(self, x: Float64s) -> Float64s:
        """``k(x_i, x_i)``; shape (n,)."""
        with self._lock:
            return np.array(self._peer.Kdiag(x), np.float64)

    def covariance(self, x: Float64s, z: Float64s) -> Float64s:
        """``k(x_i, z_j)``; shape (n, m)."""
        # GPy keeps what it computed last, which threads must not share.
        with self._lock:
            return np.array(self._peer.K(x, z), np.float64)

    def relevance(self) -> Float64s:
        """What GPy says of how much each feature counts; shape (k,), zeros where it says nothing."""
        with self._lock:
            sensitivities = np.broadcast_to(np.asarray(self._peer.input_sensitivity(), np.float64), (self.features,))
        return np.array(np.nan_to_num(sensitivities, posinf=0.0))

    def hyper_parameters(self) -> dict[str, Any]:
        """The parameters by GPy's names."""
        leaves = zip(self._peer.parameter_names(), self._peer.flattened_parameters, strict=True)
        named = {name: leaf.values.ravel().tolist() for name, leaf in leaves}
        return {name: values if len(values) > 1 else values[0] for name, values in named.items()}


def stored_kernel(arrays: Mapping[str, Float64s]) -> Covariance:
    """The covariance among stored arrays, ours or GPy's; ValueError where there is none."""
    for name, numbers in arrays.items():
        if name.startswith(STORED):
            return GpyKernel.stored(name.removeprefix(STORED), numbers)
    return Kernel.stored(arrays)
