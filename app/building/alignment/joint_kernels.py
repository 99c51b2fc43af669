"""Compiled loops of the joint aligner: posteriors of one direction, what both agree on, and the links that follow.

Cells are those of `variational_kernels`: (i, j) of a segment with I source and J target tokens is at ``i * J + j``, i = 0 being the
empty word. The other direction's cell of the same two words is ``(j + 1) * I + i - 1`` of its own segment.
"""

import numpy as np
from numba import njit

from app.arrays import Float32s, Float64s, Int32s, Int64s

__all__ = ["agree", "choose_links", "count_cells", "expect_posteriors"]


@njit(cache=True, nogil=True)
def expect_posteriors(
    entry: Int32s,
    entry_offsets: Int64s,
    source_offsets: Int64s,
    target_offsets: Int64s,
    table: Float64s,
    jumps: Float64s,
    empty: float,
) -> tuple[Float32s, Float64s, Float64s]:
    """Forward-backward of the HMM: the posterior of every cell, expected jumps, the log-likelihood of every segment.

    Jumps are renormalised over the places that a segment has. State i < I is source token i; state I + i is the empty word
    remembering place i; the first target token stands anywhere with equal chances. O(I² J) a segment.
    """
    posterior = np.zeros(entry_offsets[-1], np.float32)
    jump_counts = np.zeros(len(jumps))
    likelihoods = np.zeros(len(source_offsets) - 1)
    half = len(jumps) // 2
    for s in range(len(source_offsets) - 1):
        n = source_offsets[s + 1] - source_offsets[s]
        m = target_offsets[s + 1] - target_offsets[s]
        if n == 0 or m == 0:
            continue
        base = entry_offsets[s]
        step = np.empty(2 * n - 1)
        for d in range(2 * n - 1):
            step[d] = jumps[min(max(d - n + 1, -half), half) + half]
        room = np.empty(n)
        for k in range(n):
            room[k] = (1.0 - empty) / step[n - 1 - k : 2 * n - 1 - k].sum()
        forward = np.zeros((m, n))
        idle = np.zeros((m, n))
        backward = np.ones((m, n))
        scale = np.zeros(m)
        leaving = np.empty(n)
        arriving = np.empty(n)
        for j in range(m):
            null = table[entry[base + j]] * empty
            if j == 0:
                for i in range(n):
                    forward[0, i] = table[entry[base + (i + 1) * m]] * (1.0 - empty) / n
                    idle[0, i] = null / n
            else:
                for k in range(n):
                    mass = forward[j - 1, k] + idle[j - 1, k]
                    leaving[k] = mass * room[k]
                    idle[j, k] = null * mass
                for i in range(n):
                    total = 0.0
                    for k in range(n):
                        total += leaving[k] * step[i - k + n - 1]
                    forward[j, i] = table[entry[base + (i + 1) * m + j]] * total
            total = forward[j].sum() + idle[j].sum()
            scale[j] = total
            forward[j] /= total
            idle[j] /= total
            likelihoods[s] += np.log(total)
        for j in range(m - 1, -1, -1):
            empty_mass = 0.0
            for i in range(n):
                posterior[base + (i + 1) * m + j] = forward[j, i] * backward[j, i]
                empty_mass += idle[j, i] * backward[j, i]
            posterior[base + j] = empty_mass
            if j == 0:
                break
            null = table[entry[base + j]] * empty
            for i in range(n):
                arriving[i] = table[entry[base + (i + 1) * m + j]] * backward[j, i] / scale[j]
            for k in range(n):
                source_mass = (forward[j - 1, k] + idle[j - 1, k]) * room[k]
                total = 0.0
                for i in range(n):
                    total += step[i - k + n - 1] * arriving[i]
                    jump_counts[min(max(i - k, -half), half) + half] += source_mass * step[i - k + n - 1] * arriving[i]
                backward[j - 1, k] = total * room[k] + null * backward[j, k] / scale[j]
    return posterior, jump_counts, likelihoods


@njit(cache=True, nogil=True)
def agree(
    forward: Float32s,
    reverse: Float32s,
    forward_offsets: Int64s,
    reverse_offsets: Int64s,
    source_offsets: Int64s,
    target_offsets: Int64s,
) -> None:
    """Put into both directions' cells of two words the product of their posteriors; those of the empty word stay."""
    for s in range(len(source_offsets) - 1):
        n = source_offsets[s + 1] - source_offsets[s]
        m = target_offsets[s + 1] - target_offsets[s]
        forward_base, reverse_base = forward_offsets[s], reverse_offsets[s]
        for i in range(n):
            for j in range(m):
                a, b = forward_base + (i + 1) * m + j, reverse_base + (j + 1) * n + i
                forward[a] = reverse[b] = forward[a] * reverse[b]


@njit(cache=True, nogil=True)
def count_cells(entry: Int32s, posterior: Float32s, rows: int) -> Float64s:
    """Sums of posteriors by row of the translation table."""
    counts = np.zeros(rows)
    for cell in range(len(entry)):
        counts[entry[cell]] += posterior[cell]
    return counts


@njit(cache=True, nogil=True)
def choose_links(posterior: Float32s, entry_offsets: Int64s, source_offsets: Int64s, target_offsets: Int64s) -> Int32s:
    """The most probable source token of every target token, -1 for the empty word."""
    links = np.full(target_offsets[-1], -1, np.int32)
    for s in range(len(source_offsets) - 1):
        n = source_offsets[s + 1] - source_offsets[s]
        m = target_offsets[s + 1] - target_offsets[s]
        for j in range(m):
            best = -1
            top = posterior[entry_offsets[s] + j] if n else np.float32(0.0)
            for i in range(n):
                value = posterior[entry_offsets[s] + (i + 1) * m + j]
                if value > top:
                    top, best = value, i
            links[target_offsets[s] + j] = best
    return links
