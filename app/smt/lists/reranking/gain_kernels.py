"""Compiled expected sentence scores of hypotheses in their lists."""

import numpy as np
from numba import njit

from app.arrays import Float64s, Int64s

__all__ = ["expected_gains"]

ORDERS = 4


@njit(cache=True, nogil=True)
def expected_gains(rows: Int64s, spans: Int64s, shares: Float64s, begin: int, end: int, self_included: bool) -> Float64s:
    """Return Σ_e' sBLEU(e, e') · share(e') for the list of hypotheses ``begin:end``; shape (end - begin,).

    ``rows[n, t]`` is the number of the n-gram of n + 1 words at token t, -1 for none; hypothesis h has the tokens
    ``spans[h]:spans[h + 1]``. With `self_included`, a hypothesis is a reference of itself too.
    """
    low = np.zeros(ORDERS, np.int64)
    width = np.zeros(ORDERS, np.int64)
    first, last = spans[begin], spans[end]
    # The n-gram numbers of a list are close together, so a table of them is short.
    for n in range(ORDERS):
        for t in range(first, last):
            row = rows[n, t]
            if row >= 0:
                if width[n] == 0 or row < low[n]:
                    width[n] += low[n] - row if width[n] else 1
                    low[n] = row
                if row - low[n] >= width[n]:
                    width[n] = row - low[n] + 1
    counts = np.zeros((ORDERS, width.max() + 1), np.int64)
    # Earlier occurrences of each n-gram in its hypothesis.
    before = np.zeros((ORDERS, max(last - first, 1)), np.int64)
    for h in range(begin, end):
        for n in range(ORDERS):
            for t in range(spans[h], spans[h + 1] - n):
                at = rows[n, t] - low[n]
                before[n, t - first] = counts[n, at]
                counts[n, at] += 1
            for t in range(spans[h], spans[h + 1] - n):
                counts[n, rows[n, t] - low[n]] = 0
    out = np.zeros(end - begin)
    for r in range(begin, end):
        if shares[r] == 0.0:
            continue
        length = spans[r + 1] - spans[r]
        for n in range(ORDERS):
            for t in range(spans[r], spans[r + 1] - n):
                counts[n, rows[n, t] - low[n]] += 1
        for h in range(begin, end):
            if h == r and not self_included:
                continue
            size = spans[h + 1] - spans[h]
            product = 1.0
            score = 0.0
            weight = 1.0 / 16.0
            for n in range(ORDERS):
                if size <= n:
                    break
                matches = 0
                for t in range(spans[h], spans[h + 1] - n):
                    if before[n, t - first] < counts[n, rows[n, t] - low[n]]:
                        matches += 1
                if matches == 0:
                    break
                product *= matches / (size - n)
                score += weight * product ** (1.0 / (n + 1))
                weight *= 2.0
            if score > 0.0:
                penalty = 1.0 if size >= length else np.exp(1.0 - length / size)
                out[h - begin] += penalty * score * shares[r]
        for n in range(ORDERS):
            for t in range(spans[r], spans[r + 1] - n):
                counts[n, rows[n, t] - low[n]] = 0
    return out
