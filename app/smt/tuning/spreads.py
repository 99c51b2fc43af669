"""Spread of features within lists, and the effects of weights in units of it."""

import numpy as np

from app.arrays import Float64s
from app.smt.tuning.pool import TuningPool

__all__ = ["effects", "spreads"]


def spreads(pool: TuningPool) -> Float64s:
    """Return the pooled standard deviation of each column within lists; (width,); exactly 0 for constant columns.

    Differences between lists do not count: they choose nothing.
    """
    dense = pool.features.dense
    lengths = pool.lengths.astype(np.float64)
    # Scaling by powers of two is exact, and prevents squares of inf or 0.
    sizes = np.exp2(np.frexp(np.abs(dense).max(axis=0, initial=0.0))[1] - 1.0)
    residuals = dense / sizes
    residuals -= (np.add.reduceat(residuals, pool.offsets[:-1], axis=0) / lengths[:, None])[pool.segment_of]
    deviations = sizes * np.sqrt(np.einsum("hk,hk->k", residuals, residuals) / len(residuals))
    sparse = pool.features.sparse
    if sparse is not None:
        from scipy.sparse import csr_matrix

        # Sums of squares minus the part of the lists' means: the sparse matrix is never filled with zeros.
        places = np.arange(len(pool.segment_of))
        membership = csr_matrix((np.ones(len(places)), (pool.segment_of, places)), shape=(len(pool), len(places)))
        sums = membership @ sparse
        shared = sums.multiply(sums).multiply(1.0 / lengths[:, None]).sum(axis=0)
        squares = np.asarray(sparse.multiply(sparse).sum(axis=0) - shared, np.float64).ravel()
        deviations = np.concatenate([deviations, np.sqrt(np.maximum(squares, 0.0) / len(residuals))])
    return np.where(pool.varying, deviations, 0.0)


def effects(weights: Float64s, units: Float64s) -> Float64s:
    """Return the effects of weights: weights times `units` (the columns' spreads), independent of the features' units.

    Absolute values of each row sum to 1, or all are 0. Weights and effects are (width,) or (runs, width).
    """
    products = weights * units
    products = products / np.maximum(np.abs(products).max(axis=-1, keepdims=True, initial=0.0), 1e-300)
    return np.asarray(products / np.maximum(np.abs(products).sum(axis=-1, keepdims=True), 1e-300))
