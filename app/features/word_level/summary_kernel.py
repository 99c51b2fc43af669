"""Compiled summaries of probabilities over the words and gaps of segments."""

import numpy as np
from numba import njit

from app.arrays import Float64s, Int64s

__all__ = ["summarise"]


@njit(cache=True, nogil=True, error_model="numpy")
def summarise(words: Float64s, odds: Float64s, offsets: Int64s, gaps: Float64s, gap_offsets: Int64s) -> Float64s:
    """Summaries of each segment; shape (n, 8), all 0 for a segment without words.

    Of the probabilities of words: mean, highest, share above one half, mean of the log-odds, standard deviation, mean of the worst
    quarter. Of the probabilities of gaps: mean and highest.
    """
    n = len(offsets) - 1
    out = np.zeros((n, 8))
    for i in range(n):
        begin, length = offsets[i], offsets[i + 1] - offsets[i]
        if length:
            total = above = log_odds = squares = worst = 0.0
            for t in range(begin, begin + length):
                total += words[t]
                above += words[t] > 0.5
                log_odds += odds[t]
            mean = total / length
            for t in range(begin, begin + length):
                squares += (words[t] - mean) ** 2
            ascending = np.sort(words[begin : begin + length])
            quarter = max(1, length // 4)
            for k in range(quarter):
                worst += ascending[length - 1 - k]
            out[i, 0] = mean
            out[i, 1] = ascending[-1]
            out[i, 2] = above / length
            out[i, 3] = log_odds / length
            out[i, 4] = np.sqrt(squares / length)
            out[i, 5] = worst / quarter
        gap_total = 0.0
        for t in range(gap_offsets[i], gap_offsets[i + 1]):
            gap_total += gaps[t]
            out[i, 7] = gaps[t] if t == gap_offsets[i] else max(out[i, 7], gaps[t])
        if gap_offsets[i + 1] > gap_offsets[i]:
            out[i, 6] = gap_total / (gap_offsets[i + 1] - gap_offsets[i])
    return out
