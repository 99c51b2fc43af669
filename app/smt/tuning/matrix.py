"""Features of hypotheses as tuners multiply them: dense columns, and behind them sparse ones."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from app.arrays import Float64s, Int64s

__all__ = ["FeatureMatrix"]


@dataclass(frozen=True, eq=False)
class FeatureMatrix:
    """Features of h hypotheses: the columns of `dense` (h, d), then those of `sparse`, a CSR matrix of SciPy (h, p), if any."""

    dense: Float64s
    sparse: Any = None

    def __len__(self) -> int:
        return len(self.dense)

    @property
    def width(self) -> int:
        """How many columns there are, and weights."""
        return int(self.dense.shape[1] + (0 if self.sparse is None else self.sparse.shape[1]))

    def __matmul__(self, weights: Float64s) -> Float64s:
        """Weighted sums of all rows; (width,) to (h,)."""
        columns = self.dense.shape[1]
        scores = self.dense @ weights[:columns]
        if self.sparse is not None:
            scores = scores + self.sparse @ weights[columns:]
        return np.asarray(scores, np.float64)

    def gathered(self, shares: Float64s) -> Float64s:
        """The sum of all rows, each by its share; (h,) to (width,)."""
        dense = shares @ self.dense
        return dense if self.sparse is None else np.concatenate([dense, self.sparse.T @ shares])

    def block(self, begin: int, end: int) -> "FeatureMatrix":
        """Rows one after the other, without a copy of the dense ones."""
        return FeatureMatrix(self.dense[begin:end], None if self.sparse is None else self.sparse[begin:end])

    def rows(self, places: Int64s) -> "FeatureMatrix":
        """Some rows, in the order asked for."""
        return FeatureMatrix(self.dense[places], None if self.sparse is None else self.sparse[places])

    def differences(self, first: Int64s, second: Int64s) -> "FeatureMatrix":
        """Row ``first[i]`` minus row ``second[i]``."""
        sparse = None if self.sparse is None else self.sparse[first] - self.sparse[second]
        return FeatureMatrix(self.dense[first] - self.dense[second], sparse)

    def row(self, place: int) -> Float64s:
        """One row; (width,)."""
        if self.sparse is None:
            return np.asarray(self.dense[place])
        return np.concatenate([self.dense[place], self.sparse[place].toarray()[0]])

    def column(self, k: int) -> Float64s:
        """One column; (h,)."""
        columns = self.dense.shape[1]
        if k < columns:
            return np.ascontiguousarray(self.dense[:, k])
        return np.asarray(self.sparse[:, [k - columns]].toarray()[:, 0], np.float64)

    def columns(self, chosen: Int64s) -> "FeatureMatrix":
        """Some columns, in ascending order."""
        first = self.dense.shape[1]
        dense, sparse = chosen[chosen < first], chosen[chosen >= first] - first
        kept = self.sparse[:, sparse].tocsr() if len(sparse) else None
        return FeatureMatrix(np.ascontiguousarray(self.dense[:, dense]), kept)

    def scaled(self, factors: Float64s) -> "FeatureMatrix":
        """Every column times its factor; (width,)."""
        columns = self.dense.shape[1]
        sparse = None if self.sparse is None else self.sparse.multiply(factors[None, columns:]).tocsr()
        return FeatureMatrix(self.dense * factors[:columns], sparse)

    def array(self) -> Float64s:
        """All columns as one dense matrix; (h, width)."""
        return self.dense if self.sparse is None else np.concatenate([self.dense, self.sparse.toarray()], axis=1)

    def mean_squares(self) -> Float64s:
        """The mean of the squares of each column; (width,)."""
        dense = np.einsum("hk,hk->k", self.dense, self.dense)
        if self.sparse is None:
            return np.asarray(dense / max(len(self), 1))
        sparse = np.asarray(self.sparse.multiply(self.sparse).sum(axis=0), np.float64).ravel()
        return np.concatenate([dense, sparse]) / max(len(self), 1)
