"""Compiled BLEU of summed counts, with 0.01 added to matches and totals (Haddow et al. 2011, §2.2.1)."""

import numpy as np
from numba import njit

from app.arrays import Float64s

__all__ = ["added_bleu", "added_bleus"]

# Constant added to matches and totals of every order.
BONUS = 0.01


@njit(cache=True, nogil=True)
def added_bleu(base: Float64s, rows: Float64s, h: int) -> float:
    """Return BLEU (0 to 1) of ``base + rows[h]``, counts in the order of `app.metrics.Bleu`; 0 without words. Lengths are exact."""
    length, reference = base[0] + rows[h, 0], base[1] + rows[h, 1]
    if length <= 0.0:
        return 0.0
    product = 1.0
    for order in range(4):
        product *= (base[2 + order] + rows[h, 2 + order] + BONUS) / (base[6 + order] + rows[h, 6 + order] + BONUS)
    mean = np.sqrt(np.sqrt(product))
    return mean if length >= reference else mean * np.exp(1.0 - reference / length)


@njit(cache=True, nogil=True)
def added_bleus(base: Float64s, rows: Float64s) -> Float64s:
    """Return `added_bleu` of each row; (m, 10) to (m,)."""
    out = np.empty(len(rows))
    for k in range(len(rows)):
        out[k] = added_bleu(base, rows, k)
    return out
