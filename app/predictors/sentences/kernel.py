"""The kernel of the judge: near pairs of texts have similar differences of vectors, similar topics and similar alignments."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from app.arrays import Float32s, Float64s, Int64s

__all__ = ["Inputs", "Projection", "SentenceKernel", "covariance"]

# Weights of squared distances: products and differences, the vectors themselves, and the numbers of alignments.
PRODUCTS: Final = 0.35
VECTORS: Final = 0.35
NUMBERS: Final = 0.3
# Covariance of rows of one language pair beyond that of two pairs.
SAME_PAIR: Final = 3.0


@dataclass(frozen=True)
class Inputs:
    """Unit vectors u, v (n, d) of sources and translations, and numbers (n, a) of how their tokens align."""

    source: Float32s
    target: Float32s
    numbers: Float64s

    def __len__(self) -> int:
        return len(self.source)

    def blocks(self) -> tuple[Float64s, Float64s]:
        """``[u·v, |u - v|]`` and ``[u, v]``, each (n, 2d)."""
        u, v = self.source.astype(np.float64), self.target.astype(np.float64)
        return np.hstack([u * v, np.abs(u - v)]), np.hstack([u, v])


@dataclass(frozen=True)
class Projection:
    """Principal axes (2d, k) of a block (n, 2d), scaled so that the mean squared distance of two rows is 1."""

    middle: Float64s
    axes: Float64s

    @classmethod
    def of(cls, block: Float64s, dimensions: int) -> "Projection":
        """The `dimensions` axes along which rows differ most."""
        middle = block.mean(0)
        deviations = block - middle
        values, vectors = np.linalg.eigh(deviations.T @ deviations / len(block))
        axes = vectors[:, ::-1][:, :dimensions]
        # The sign of an axis depends on the processor.
        axes = axes * np.sign(axes[np.abs(axes).argmax(0), np.arange(axes.shape[1])])
        scaled_axes = axes / np.sqrt(2 * values[::-1][:dimensions].sum())
        return cls(middle.astype(np.float16).astype(np.float64), scaled_axes.astype(np.float16).astype(np.float64))

    def rows(self, block: Float64s) -> Float64s:
        """The coordinates (n, k) of rows."""
        return (block - self.middle) @ self.axes


@dataclass(frozen=True)
class SentenceKernel:
    """k(x, x') = exp(-distance) · (1 + 3 [same pair]) / 4, the distance a weighted sum of squares over three blocks."""

    products: Projection
    vectors: Projection
    middle: Float64s
    scale: Float64s

    @classmethod
    def of(cls, inputs: Inputs, dimensions: int) -> "SentenceKernel":
        """Build the kernel from rows."""
        products, vectors = inputs.blocks()
        spread = np.maximum(inputs.numbers.std(0), 1e-9)
        return cls(Projection.of(products, dimensions), Projection.of(vectors, dimensions), inputs.numbers.mean(0), spread)

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, np.ndarray]) -> "SentenceKernel":
        """Read the stored arrays."""
        products, vectors = (
            Projection(arrays[f"{name}.middle"].astype(np.float64), arrays[f"{name}.axes"].astype(np.float64))
            for name in ("products", "vectors")
        )
        return cls(products, vectors, arrays["numbers.middle"], arrays["numbers.scale"])

    def arrays(self) -> dict[str, np.ndarray]:
        """Arrays to store, by name."""
        return {
            **{f"{name}.middle": part.middle.astype(np.float16) for name, part in self._projections},
            **{f"{name}.axes": part.axes.astype(np.float16) for name, part in self._projections},
            "numbers.middle": self.middle,
            "numbers.scale": self.scale,
        }

    @property
    def _projections(self) -> tuple[tuple[str, Projection], tuple[str, Projection]]:
        return ("products", self.products), ("vectors", self.vectors)

    def points(self, inputs: Inputs) -> Float32s:
        """Rows as points (n, 2k + a), whose squared distance is the distance of the kernel."""
        products, vectors = inputs.blocks()
        numbers = (inputs.numbers - self.middle) / self.scale * np.sqrt(NUMBERS / (2 * len(self.middle)))
        weighted = [self.products.rows(products) * np.sqrt(PRODUCTS), self.vectors.rows(vectors) * np.sqrt(VECTORS), numbers]
        return np.hstack(weighted).astype(np.float32)


def covariance(
    points: Float32s, pairs: Int64s, other_points: Float32s | Float64s, other_pairs: Int64s, lengths: Float64s | None = None
) -> Float64s:
    """k between points (n, p) and others (m, p) of these language pairs, -1 for another pair; (n, m).

    `lengths` (m,) are the squared lengths of `other_points`, if known.
    """
    a, b = points.astype(np.float64), other_points.astype(np.float64, copy=False)
    squares = (a**2).sum(1)[:, None] + ((b**2).sum(1) if lengths is None else lengths) - 2 * a @ b.T
    pair_mask = (pairs[:, None] == other_pairs) & (pairs[:, None] >= 0)
    return np.asarray(np.exp(-np.maximum(squares, 0)) * np.where(pair_mask, 1.0, 1 / (1 + SAME_PAIR)))
