"""How far features of one list lie apart: the unit in which their weights are of one size."""

import numpy as np
from scipy.sparse import csr_matrix

from app.arrays import Float64s
from app.tuning.pool import Pool

__all__ = ["spreads"]


def spreads(pool: Pool) -> Float64s:
    """The standard deviation of each column inside the lists, over all of them; (width,).

    What two hypotheses of a segment share does not count: it chooses nothing.
    """
    dense = pool.features.dense
    lengths = pool.lengths.astype(np.float64)
    means = np.add.reduceat(dense, pool.offsets[:-1], axis=0) / lengths[:, None]
    centred = dense - means[pool.segment_of]
    squares = np.einsum("hk,hk->k", centred, centred)
    sparse = pool.features.sparse
    if sparse is not None:
        # Sums of squares less what the lists' means account for, so that no zero is ever filled in.
        places = np.arange(len(pool.segment_of))
        which = csr_matrix((np.ones(len(places)), (pool.segment_of, places)), shape=(len(pool), len(places)))
        sums = which @ sparse
        shared = sums.multiply(sums).multiply(1.0 / lengths[:, None]).sum(axis=0)
        squares = np.concatenate([squares, np.asarray(sparse.multiply(sparse).sum(axis=0) - shared, np.float64).ravel()])
    return np.asarray(np.sqrt(np.maximum(squares, 0.0) / len(pool.segment_of)))
