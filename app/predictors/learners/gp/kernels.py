"""Covariance functions and their gradients: one term, or a sum of them.

Inputs are divided by length scales; stationary kinds differ only in their profile over the squared distance
(Rasmussen and Williams 2006, chapter 4). Parameters are optimised as logarithms.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Protocol

import numpy as np

from app.arrays import Float64s
from app.errors import InputError

__all__ = ["KINDS", "Covariance", "Kernel", "Slopes", "Term", "squared_distances"]

# One square root of five and one of three, as in the Matérn profiles.
ROOT_3, ROOT_5 = 3.0**0.5, 5.0**0.5
KINDS: Final[Mapping[str, str]] = {
    "rbf": "squared exponential, very smooth",
    "matern32": "Matérn 3/2, once differentiable",
    "matern52": "Matérn 5/2, twice differentiable",
    "rq": "rational quadratic, a mixture of squared exponentials of many lengths",
    "linear": "linear in the features",
}


def squared_distances(x: Float64s, z: Float64s, z_squares: Float64s | None = None) -> Float64s:
    """``|x_i - z_j|²``; shape (rows of x, rows of z). `z_squares` are ``|z_j|²`` if they are known."""
    out = x @ z.T
    out *= -2.0
    out += (x * x).sum(1)[:, None]
    out += (z * z).sum(1) if z_squares is None else z_squares
    return np.asarray(np.maximum(out, 0.0, out=out))


@dataclass(frozen=True)
class Term:
    """One kind of covariance: `variance` σ², length scales (k,), and the power α of a rational quadratic.

    `tied` makes all length scales one parameter. A linear term is ``Σ x_i z_i / l_i²``; its `variance` is 1.
    """

    kind: str
    variance: float
    lengths: Float64s
    tied: bool
    power: float = 1.0

    @property
    def parameter_count(self) -> int:
        """Number of optimised parameters."""
        lengths = 1 if self.tied else len(self.lengths)
        return lengths + (self.kind != "linear") + (self.kind == "rq")

    def parameters(self) -> Float64s:
        """Logarithms: variance (unless linear), length scales, power (of a rational quadratic)."""
        lengths = self.lengths[:1] if self.tied else self.lengths
        parts = [lengths] if self.kind == "linear" else [np.array([self.variance]), lengths]
        if self.kind == "rq":
            parts.append(np.array([self.power]))
        return np.asarray(np.log(np.concatenate(parts)))

    def with_parameters(self, logarithms: Float64s) -> "Term":
        """A copy with other parameters."""
        values = np.exp(logarithms)
        variance, rest = (1.0, values) if self.kind == "linear" else (float(values[0]), values[1:])
        power, rest = (float(rest[-1]), rest[:-1]) if self.kind == "rq" else (1.0, rest)
        lengths = np.full(len(self.lengths), rest[0]) if self.tied else rest.copy()
        return replace(self, variance=variance, lengths=lengths, power=power)

    def diagonal(self, x: Float64s) -> Float64s:
        """``k(x_i, x_i)``; shape (n,)."""
        if self.kind == "linear":
            scaled_inputs = x / self.lengths
            return np.asarray((scaled_inputs * scaled_inputs).sum(1))
        return np.full(len(x), self.variance)

    def covariance(self, x: Float64s, z: Float64s) -> Float64s:
        """``k(x_i, z_j)``; shape (n, m)."""
        return self.towards(z)(x)

    def towards(self, z: Float64s) -> Callable[[Float64s], Float64s]:
        """The function ``k(x_i, z_j)`` of x; the part that depends on z alone is computed once."""
        zs = z / self.lengths
        if self.kind == "linear":
            return lambda x: (x / self.lengths) @ zs.T
        squares = (zs * zs).sum(1)
        return lambda x: self._profile(squared_distances(x / self.lengths, zs, squares))

    def _profile(self, d: Float64s) -> Float64s:
        """The covariance at squared distances `d`, which are overwritten."""
        if self.kind == "rbf":
            d *= -0.5
            np.exp(d, out=d)
        elif self.kind == "rq":
            d *= 0.5 / self.power
            d += 1.0
            np.power(d, -self.power, out=d)
        elif self.kind == "matern32":
            r = np.sqrt(d) * ROOT_3
            d = (1.0 + r) * np.exp(-r)
        else:
            r = np.sqrt(d) * ROOT_5
            d = (1.0 + r + r * r / 3.0) * np.exp(-r)
        d *= self.variance
        return d

    def slope(self, d: Float64s, covariance: Float64s) -> Float64s:
        """``dk / d(squared distance)`` at squared distances `d`."""
        if self.kind == "rbf":
            return -0.5 * covariance
        if self.kind == "rq":
            return -0.5 * covariance / (1.0 + d * (0.5 / self.power))
        if self.kind == "matern32":
            return np.asarray(-1.5 * self.variance * np.exp(-ROOT_3 * np.sqrt(d)))
        r = np.sqrt(d) * ROOT_5
        return np.asarray(-5.0 / 6.0 * self.variance * (1.0 + r) * np.exp(-r))


@dataclass(frozen=True)
class Slopes:
    """Derivatives of ``Σ W ∘ k(X, Z)``: by the parameters, and by Z (m, k) on request."""

    parameters: Float64s
    inputs: Float64s | None = None


class Covariance(Protocol):
    """A covariance that serves predictions."""

    @property
    def name(self) -> str:
        """Names of the kernel's kinds."""
        ...

    def diagonal(self, x: Float64s) -> Float64s:
        """``k(x_i, x_i)``; shape (n,)."""
        ...

    def covariance(self, x: Float64s, z: Float64s) -> Float64s:
        """``k(x_i, z_j)``; shape (n, m)."""
        ...

    def towards(self, z: Float64s) -> Callable[[Float64s], Float64s]:
        """The function ``k(x_i, z_j)`` of x, for many calls with the same z."""
        ...

    def relevance(self) -> Float64s:
        """Relevance of each feature for the covariance; shape (k,)."""
        ...

    def arrays(self) -> dict[str, Float64s]:
        """Arrays to store, under names that begin with ``kernel.``."""
        ...

    def hyper_parameters(self) -> dict[str, Any]:
        """Hyper-parameters for the card."""
        ...


@dataclass(frozen=True)
class Kernel:
    """A sum of terms over the same features."""

    terms: tuple[Term, ...]

    @classmethod
    def initial(cls, name: str, features: int, tied: bool = True) -> "Kernel":
        """``rbf``, or a sum such as ``matern52+linear``, with length scales √k; the InputError lists the kinds."""
        kinds = name.split("+")
        unknown = [kind for kind in kinds if kind not in KINDS]
        if unknown or len(set(kinds)) != len(kinds):
            raise InputError(
                "invalid-training-data", f"kernels are {', '.join(KINDS)} and sums of them like rbf+linear", ("learner",)
            )
        share = 1.0 / len(kinds)
        length = float(np.sqrt(features))
        return cls(tuple(Term(kind, 1.0 if kind == "linear" else share, np.full(features, length), tied) for kind in kinds))

    @property
    def name(self) -> str:
        """The kinds, joined by +."""
        return "+".join(term.kind for term in self.terms)

    @classmethod
    def stored(cls, arrays: Mapping[str, Float64s]) -> "Kernel":
        """Read the stored arrays; ValueError without a kernel, or for an unknown kind."""
        terms = []
        for name in sorted(name for name in arrays if name.startswith("kernel.")):
            kind = name.split(".")[2]
            if kind not in KINDS:
                raise ValueError(f"unknown kernel {kind}")
            variance, power, *lengths = arrays[name]
            terms.append(Term(kind, float(variance), np.array(lengths), False, float(power)))
        if not terms:
            raise ValueError("no kernel")
        return cls(tuple(terms))

    def arrays(self) -> dict[str, Float64s]:
        """Arrays to store: of each term its variance, power and length scales."""
        return {
            f"kernel.{place}.{term.kind}": np.concatenate([[term.variance, term.power], term.lengths])
            for place, term in enumerate(self.terms)
        }

    def relevance(self) -> Float64s:
        """The sum of the terms' ``σ² / l²``; shape (k,)."""
        return np.asarray(np.sum([term.variance / term.lengths**2 for term in self.terms], axis=0))

    def hyper_parameters(self) -> dict[str, Any]:
        """Variance, length scales and power of each term."""
        out: dict[str, Any] = {}
        for place, term in enumerate(self.terms):
            prefix = "" if len(self.terms) == 1 else f"{place + 1}_{term.kind}_"
            out |= {f"{prefix}signal_variance": term.variance, f"{prefix}length_scales": [float(length) for length in term.lengths]}
            if term.kind == "rq":
                out[f"{prefix}power"] = term.power
        return out

    def untied(self) -> "Kernel":
        """A copy with one length scale per feature."""
        return Kernel(tuple(replace(term, tied=False) for term in self.terms))

    def parameters(self) -> Float64s:
        """Logarithms of the parameters of all terms."""
        return np.concatenate([term.parameters() for term in self.terms])

    def with_parameters(self, logarithms: Float64s) -> "Kernel":
        """A copy with other parameters."""
        terms, begin = [], 0
        for term in self.terms:
            end = begin + term.parameter_count
            terms.append(term.with_parameters(logarithms[begin:end]))
            begin = end
        return Kernel(tuple(terms))

    def lengths_among_parameters(self) -> np.ndarray:
        """True for parameters that are length scales; shape (p,)."""
        flags: list[bool] = []
        for term in self.terms:
            lengths = 1 if term.tied else len(term.lengths)
            flags += [False] * (term.kind != "linear") + [True] * lengths + [False] * (term.kind == "rq")
        return np.array(flags)

    def diagonal(self, x: Float64s) -> Float64s:
        """``k(x_i, x_i)``; shape (n,)."""
        return np.asarray(np.sum([term.diagonal(x) for term in self.terms], axis=0))

    def covariance(self, x: Float64s, z: Float64s) -> Float64s:
        """``k(x_i, z_j)``; shape (n, m)."""
        return self.towards(z)(x)

    def towards(self, z: Float64s) -> Callable[[Float64s], Float64s]:
        """The function ``k(x_i, z_j)`` of x; the part that depends on z alone is computed once."""
        first, *rest = [term.towards(z) for term in self.terms]

        def covariance(x: Float64s) -> Float64s:
            out = first(x)
            for term in rest:
                out += term(x)
            return out

        return covariance

    def slopes(
        self, x: Float64s, z: Float64s, weights: Float64s, by_inputs: bool = False, covariance: Float64s | None = None
    ) -> Slopes:
        """Derivatives of ``Σ_ij weights_ij k(x_i, z_j)`` by the logarithms of the parameters, and by z.

        A known ``k(x, z)`` is not computed again.
        """
        gram = covariance if len(self.terms) == 1 else None
        parts, inputs = [], np.zeros(z.shape) if by_inputs else None
        for term in self.terms:
            parameters, along = _term_slopes(term, x, z, weights, by_inputs, gram)
            parts.append(parameters)
            if inputs is not None and along is not None:
                inputs += along
        return Slopes(np.concatenate(parts), inputs)

    def diagonal_slopes(self, x: Float64s, weights: Float64s) -> Float64s:
        """Derivatives of ``Σ_i weights_i k(x_i, x_i)`` by the logarithms of the parameters."""
        parts: list[Float64s] = []
        for term in self.terms:
            if term.kind == "linear":
                squares = -2.0 * (weights @ (x * x)) / term.lengths**2
                parts.append(np.array([squares.sum()]) if term.tied else squares)
            else:
                parts.append(np.concatenate([[term.variance * weights.sum()], np.zeros(term.parameter_count - 1)]))
        return np.concatenate(parts)


def _term_slopes(
    term: Term, x: Float64s, z: Float64s, weights: Float64s, by_inputs: bool, gram: Float64s | None
) -> tuple[Float64s, Float64s | None]:
    xs, zs = x / term.lengths, z / term.lengths
    if term.kind == "linear":
        across = weights @ zs
        by_lengths = -2.0 * (xs * across).sum(0)
        inputs = (weights.T @ xs) / term.lengths if by_inputs else None
        return (np.array([by_lengths.sum()]) if term.tied else by_lengths), inputs
    if gram is not None and term.kind == "rbf":
        # The slope of this profile is the profile itself: no distance is needed.
        covariance = d = gram
    else:
        d = squared_distances(xs, zs)
        covariance = term._profile(d.copy())
    by_variance = float(np.vdot(weights, covariance))
    by_power: list[float] = []
    if term.kind == "rq":
        u = d * (0.5 / term.power)
        change = term.power * (u / (1.0 + u) - np.log1p(u))
        by_power = [float(np.vdot(weights, change * covariance))]
    h = term.slope(d, covariance)
    h *= weights
    rows, columns = h.sum(1), h.sum(0)
    by_lengths = -2.0 * (rows @ (xs * xs) + columns @ (zs * zs) - 2.0 * (xs * (h @ zs)).sum(0))
    lengths = np.array([by_lengths.sum()]) if term.tied else by_lengths
    inputs = None
    if by_inputs:
        inputs = 2.0 / term.lengths * (zs * columns[:, None] - h.T @ xs)
    return np.concatenate([[by_variance], lengths, by_power]), inputs
