"""Feature matrices of tuners: dense columns, then sparse ones."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from app.arrays import Float64s, Int64s

__all__ = ["HypothesisFeatures"]


@dataclass(frozen=True, eq=False)
class HypothesisFeatures:
    """Features of h hypotheses: columns of `dense` (h, d), then of `sparse` (h, p), an optional CSR matrix of SciPy."""

    dense: Float64s
    sparse: Any = None

    def __len__(self) -> int:
        return len(self.dense)

    @property
    def width(self) -> int:
        """Number of columns, and thus of weights."""
        return int(self.dense.shape[1] + (0 if self.sparse is None else self.sparse.shape[1]))

    def __matmul__(self, weights: Float64s) -> Float64s:
        """Return the weighted sums of all rows; (width,) to (h,)."""
        columns = self.dense.shape[1]
        scores = self.dense @ weights[:columns]
        if self.sparse is not None:
            scores = scores + self.sparse @ weights[columns:]
        return np.asarray(scores, np.float64)

    def gathered(self, shares: Float64s) -> Float64s:
        """Return the sum of all rows times their shares; (h,) to (width,)."""
        dense = shares @ self.dense
        return dense if self.sparse is None else np.concatenate([dense, self.sparse.T @ shares])

    def rows(self, places: Int64s | slice) -> "HypothesisFeatures":
        """Return the given rows, in their order; a slice copies no dense values."""
        return HypothesisFeatures(self.dense[places], None if self.sparse is None else self.sparse[places])

    def differences(self, first: Int64s, second: Int64s) -> "HypothesisFeatures":
        """Return row ``first[i]`` minus row ``second[i]`` for each i."""
        sparse = None if self.sparse is None else self.sparse[first] - self.sparse[second]
        return HypothesisFeatures(self.dense[first] - self.dense[second], sparse)

    def row(self, place: int) -> Float64s:
        """Return a row; (width,)."""
        if self.sparse is None:
            return np.asarray(self.dense[place])
        return np.concatenate([self.dense[place], self.sparse[place].toarray()[0]])

    def column(self, k: int) -> Float64s:
        """Return a column; (h,)."""
        columns = self.dense.shape[1]
        if k < columns:
            return np.ascontiguousarray(self.dense[:, k])
        return np.asarray(self.sparse[:, [k - columns]].toarray()[:, 0], np.float64)

    def columns(self, places: Int64s) -> "HypothesisFeatures":
        """Return some columns, given in ascending order."""
        first = self.dense.shape[1]
        dense, sparse = places[places < first], places[places >= first] - first
        dense_places = self.sparse[:, sparse].tocsr() if len(sparse) else None
        return HypothesisFeatures(np.ascontiguousarray(self.dense[:, dense]), dense_places)

    def scaled(self, factors: Float64s) -> "HypothesisFeatures":
        """Multiply each column by its factor; factors (width,)."""
        columns = self.dense.shape[1]
        sparse = None if self.sparse is None else self.sparse.multiply(factors[None, columns:]).tocsr()
        return HypothesisFeatures(self.dense * factors[:columns], sparse)

    def array(self) -> Float64s:
        """Return all columns as a dense matrix; (h, width)."""
        return self.dense if self.sparse is None else np.concatenate([self.dense, self.sparse.toarray()], axis=1)

    def mean_squares(self) -> Float64s:
        """Return the mean square of each column; (width,)."""
        dense = np.einsum("hk,hk->k", self.dense, self.dense)
        if self.sparse is None:
            return np.asarray(dense / max(len(self), 1))
        sparse = np.asarray(self.sparse.multiply(self.sparse).sum(axis=0), np.float64).ravel()
        return np.concatenate([dense, sparse]) / max(len(self), 1)
