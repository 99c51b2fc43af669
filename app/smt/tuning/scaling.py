"""How far features of one list lie apart: the unit in which their weights are of one size, and what weights then do."""

import numpy as np
from scipy.sparse import csr_matrix

from app.arrays import Float64s
from app.smt.tuning.pool import Pool

__all__ = ["effects", "spreads"]


def spreads(pool: Pool) -> Float64s:
    """The standard deviation of each column inside the lists, over all of them; (width,); exactly 0 where it varies in none.

    What two hypotheses of a segment share does not count: it chooses nothing.
    """
    dense = pool.features.dense
    lengths = pool.lengths.astype(np.float64)
    # Powers of two change no digit, and keep squares of the largest and the least numbers apart from inf and 0.
    sizes = np.exp2(np.frexp(np.abs(dense).max(axis=0, initial=0.0))[1] - 1.0)
    centred = dense / sizes
    centred -= (np.add.reduceat(centred, pool.offsets[:-1], axis=0) / lengths[:, None])[pool.segment_of]
    deviations = sizes * np.sqrt(np.einsum("hk,hk->k", centred, centred) / len(centred))
    sparse = pool.features.sparse
    if sparse is not None:
        # Sums of squares less what the lists' means account for, so that no zero is ever filled in.
        places = np.arange(len(pool.segment_of))
        which = csr_matrix((np.ones(len(places)), (pool.segment_of, places)), shape=(len(pool), len(places)))
        sums = which @ sparse
        shared = sums.multiply(sums).multiply(1.0 / lengths[:, None]).sum(axis=0)
        squares = np.asarray(sparse.multiply(sparse).sum(axis=0) - shared, np.float64).ravel()
        deviations = np.concatenate([deviations, np.sqrt(np.maximum(squares, 0.0) / len(centred))])
    return np.where(pool.varying, deviations, 0.0)


def effects(weights: Float64s, units: Float64s) -> Float64s:
    """What weights move hypotheses by, whatever features are measured in: weights times `units` (the columns' spreads).

    Absolute values of each row sum to 1, or are all 0; weights are (width,) or (runs, width), and so are effects.
    """
    products = weights * units
    products = products / np.maximum(np.abs(products).max(axis=-1, keepdims=True, initial=0.0), 1e-300)
    return np.asarray(products / np.maximum(np.abs(products).sum(axis=-1, keepdims=True), 1e-300))
