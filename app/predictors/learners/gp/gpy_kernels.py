"""Covariances of GPy: kernels that `kernels` lacks, and products, by GPy's names.

GPy is imported only to train or serve such a kernel. Its name and parameters are stored; names of Assay's own kinds may stand
among GPy's.
"""

import threading
from collections.abc import Callable, Mapping
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

# Kernels of any number of features, with no other argument.
GPY_KERNELS: Final = (
    "Bias", "Cosine", "ExpQuad", "ExpQuadCosine", "Exponential", "Linear", "MLP", "Matern32", "Matern52", "OU", "Poly", "RBF",
    "RatQuad", "Sinc", "StdPeriodic", "TruncLinear", "White",
)  # fmt: skip
# Kernels with one length scale, or a similar parameter, per feature.
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
    """Return True if only GPy has this kernel or this likelihood."""
    return likelihood != "gaussian" or not set(kernel.split("+")) <= set(KINDS)


def by_gpy(options: Mapping[str, Any]) -> bool:
    """Return True if GPy trains: on request, or for a kernel or likelihood of its own."""
    return options["optimiser"] == "gpy" or needs_gpy(options["kernel"], options["likelihood"])


def import_gpy(code: str = "invalid-training-data") -> Any:
    """Import GPy; the InputError names the command that installs it."""
    try:
        import GPy
    except ImportError:
        raise InputError(code, "this kernel, likelihood or optimiser is GPy's, which is not installed: pip install GPy") from None
    return GPy


def build_kernel(name: str, features: int, ard: bool, code: str = "invalid-training-data") -> Any:
    """A kernel of GPy at GPy's initial parameters."""
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
        """Read the stored arrays; ValueError for arrays of no kernel, InputError without GPy."""
        features, ard, *values = numbers.tolist()
        kernel = cls(name, int(features), bool(ard), np.array(values))
        # Building while reading finds faulty kernels, and no request waits for it.
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
        """Arrays to store: the number of features, whether each has a length scale, and the parameters."""
        return {f"{STORED}{self.name}": np.concatenate([[self.features, self.ard], self.values])}

    def diagonal(self, x: Float64s) -> Float64s:
        """``k(x_i, x_i)``; shape (n,)."""
        with self._lock:
            return np.array(self._peer.Kdiag(x), np.float64)

    def covariance(self, x: Float64s, z: Float64s) -> Float64s:
        """``k(x_i, z_j)``; shape (n, m)."""
        # GPy caches its last computation, which threads must not share.
        with self._lock:
            return np.array(self._peer.K(x, np.asarray(z, np.float64)), np.float64)

    def towards(self, z: Float64s) -> Callable[[Float64s], Float64s]:
        """The function ``k(x_i, z_j)`` of x."""
        return lambda x: self.covariance(x, z)

    def relevance(self) -> Float64s:
        """GPy's relevance of each feature; shape (k,), zeros for kernels without one."""
        with self._lock:
            sensitivities = np.broadcast_to(np.asarray(self._peer.input_sensitivity(), np.float64), (self.features,))
        return np.array(np.nan_to_num(sensitivities, posinf=0.0))

    def hyper_parameters(self) -> dict[str, Any]:
        """The parameters by GPy's names."""
        leaves = zip(self._peer.parameter_names(), self._peer.flattened_parameters, strict=True)
        leaf_values = {name: leaf.values.ravel().tolist() for name, leaf in leaves}
        return {name: values if len(values) > 1 else values[0] for name, values in leaf_values.items()}


def stored_kernel(arrays: Mapping[str, Float64s]) -> Covariance:
    """The covariance among stored arrays, own or GPy's; ValueError without one."""
    for name, numbers in arrays.items():
        if name.startswith(STORED):
            return GpyKernel.stored(name.removeprefix(STORED), numbers)
    return Kernel.stored(arrays)
