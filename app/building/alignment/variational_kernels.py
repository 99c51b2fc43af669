"""Compiled loops of variational alignment: E-steps and decoding of the models.

`entry` holds the row in the translation table of every (source, target) pair, segment after segment. Cell (i, j) of a segment with
I source and J target tokens is at ``i * J + j``. The empty word is i = 0, and the source tokens are i = 1..I.
"""

import numpy as np
from numba import njit

from app.arrays import Float64s, Int32s, Int64s

__all__ = ["align_hmm", "expect_hmm", "expect_model1", "pair_entries"]


@njit(cache=True, nogil=True)
def pair_entries(
    source: Int64s, source_offsets: Int64s, target: Int64s, target_offsets: Int64s, entry_offsets: Int64s, target_words: int
) -> Int64s:
    """Key of every cell: source word × number of target words + target word."""
    keys = np.empty(entry_offsets[-1], np.int64)
    for s in range(len(source_offsets) - 1):
        at = entry_offsets[s]
        for i in range(source_offsets[s] - 1, source_offsets[s + 1]):
            word = 0 if i < source_offsets[s] else source[i]
            for j in range(target_offsets[s], target_offsets[s + 1]):
                keys[at] = word * target_words + target[j]
                at += 1
    return keys


@njit(cache=True, nogil=True)
def expect_model1(
    entry: Int32s, entry_offsets: Int64s, source_offsets: Int64s, target_offsets: Int64s, table: Float64s
) -> tuple[Float64s, float]:
    """Expected counts of every table row under model 1, and the log-likelihood."""
    counts = np.zeros(len(table))
    likelihood = 0.0
    for s in range(len(source_offsets) - 1):
        n_source = source_offsets[s + 1] - source_offsets[s]
        n_target = target_offsets[s + 1] - target_offsets[s]
        base = entry_offsets[s]
        for j in range(n_target):
            total = 0.0
            for i in range(n_source + 1):
                total += table[entry[base + i * n_target + j]]
            likelihood += np.log(total / (n_source + 1))
            for i in range(n_source + 1):
                row = entry[base + i * n_target + j]
                counts[row] += table[row] / total
    return counts, likelihood


@njit(cache=True)
def _jump(distance: int, jumps: Float64s) -> int:
    half = len(jumps) // 2
    return min(max(distance, -half), half) + half


@njit(cache=True)
def expect_hmm(
    entry: Int32s,
    entry_offsets: Int64s,
    source_offsets: Int64s,
    target_offsets: Int64s,
    table: Float64s,
    jumps: Float64s,
    empty: float,
) -> tuple[Float64s, Float64s, float, float]:
    """Forward-backward: counts of table rows and jumps, expected empty links, log-likelihood.

    State i < I is source token i; state I + i is the empty word remembering position i.
    """
    counts = np.zeros(len(table))
    jump_counts = np.zeros(len(jumps))
    empties = 0.0
    likelihood = 0.0
    for s in range(len(source_offsets) - 1):
        n = source_offsets[s + 1] - source_offsets[s]
        m = target_offsets[s + 1] - target_offsets[s]
        if n == 0 or m == 0:
            continue
        base = entry_offsets[s]
        forward = np.zeros((m, 2 * n))
        backward = np.zeros((m, 2 * n))
        scale = np.zeros(m)
        for j in range(m):
            null = table[entry[base + j]] * empty
            for i in range(n):
                word = table[entry[base + (i + 1) * m + j]] * (1.0 - empty)
                if j == 0:
                    forward[j, i] = word / n
                    forward[j, n + i] = null / n
                else:
                    total = 0.0
                    for k in range(n):
                        total += (forward[j - 1, k] + forward[j - 1, n + k]) * jumps[_jump(i - k, jumps)]
                    forward[j, i] = word * total
                    forward[j, n + i] = null * (forward[j - 1, i] + forward[j - 1, n + i])
            scale[j] = forward[j].sum()
            forward[j] /= scale[j]
            likelihood += np.log(scale[j])
        backward[m - 1] = 1.0
        for j in range(m - 2, -1, -1):
            null = table[entry[base + j + 1]] * empty
            for k in range(n):
                total = null * backward[j + 1, n + k]
                for i in range(n):
                    word = table[entry[base + (i + 1) * m + j + 1]] * (1.0 - empty)
                    total += word * jumps[_jump(i - k, jumps)] * backward[j + 1, i]
                backward[j, k] = total / scale[j + 1]
                backward[j, n + k] = backward[j, k]
        for j in range(m):
            for i in range(n):
                counts[entry[base + (i + 1) * m + j]] += forward[j, i] * backward[j, i]
                share = forward[j, n + i] * backward[j, n + i]
                counts[entry[base + j]] += share
                empties += share
            if j == 0:
                continue
            for i in range(n):
                word = table[entry[base + (i + 1) * m + j]] * (1.0 - empty) * backward[j, i] / scale[j]
                for k in range(n):
                    at = _jump(i - k, jumps)
                    jump_counts[at] += (forward[j - 1, k] + forward[j - 1, n + k]) * jumps[at] * word
    return counts, jump_counts, empties, likelihood


@njit(cache=True)
def align_hmm(
    entry: Int32s,
    entry_offsets: Int64s,
    source_offsets: Int64s,
    target_offsets: Int64s,
    table: Float64s,
    jumps: Float64s,
    empty: float,
) -> Int32s:
    """Viterbi: the source token of every target token, -1 for the empty word."""
    links = np.full(target_offsets[-1], -1, np.int32)
    for s in range(len(source_offsets) - 1):
        n = source_offsets[s + 1] - source_offsets[s]
        m = target_offsets[s + 1] - target_offsets[s]
        if n == 0 or m == 0:
            continue
        base = entry_offsets[s]
        best = np.zeros((m, 2 * n))
        came = np.zeros((m, 2 * n), np.int32)
        for j in range(m):
            null = np.log(table[entry[base + j]] * empty + 1e-300)
            for i in range(n):
                word = np.log(table[entry[base + (i + 1) * m + j]] * (1.0 - empty) + 1e-300)
                if j == 0:
                    best[j, i] = word
                    best[j, n + i] = null
                    continue
                top = -np.inf
                for k in range(2 * n):
                    score = best[j - 1, k] + np.log(jumps[_jump(i - (k if k < n else k - n), jumps)])
                    if score > top:
                        top = score
                        came[j, i] = k
                best[j, i] = top + word
                stay = i if best[j - 1, i] >= best[j - 1, n + i] else n + i
                best[j, n + i] = best[j - 1, stay] + null
                came[j, n + i] = stay
        state = np.argmax(best[m - 1])
        for j in range(m - 1, -1, -1):
            if state < n:
                links[target_offsets[s] + j] = state
            state = came[j, state]
    return links
