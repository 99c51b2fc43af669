"""Compiled Gibbs sampling of links: tables are counts, from which one link at a time is taken and drawn anew.

Cells are those of `WordPairs`. Jumps lead from one linked source place to the next in target order, from before the first word to
after the last; words without a link have none. Weights of fertilities are counts by source word; the last column is for all more.
"""

import numpy as np
from numba import njit

from app.arrays import Float32s, Float64s, Int32s, Int64s

__all__ = ["add_links", "draw_segments", "sweep_corpus"]


@njit(cache=True, nogil=True, inline="always")
def _cell(distance: int, half: int) -> int:
    return min(max(distance, -half), half) + half


@njit(cache=True, nogil=True)
def add_links(
    entry: Int32s,
    entry_offsets: Int64s,
    source_offsets: Int64s,
    target_offsets: Int64s,
    source: Int64s,
    group: Int64s,
    links: Int32s,
    table: Float64s,
    totals: Float64s,
    jumps: Float64s,
    fertilities: Float64s,
) -> None:
    """Count the links of a corpus into the four tables."""
    half, last_column = len(jumps) // 2, fertilities.shape[1] - 1
    for s in range(len(source_offsets) - 1):
        n, m = source_offsets[s + 1] - source_offsets[s], target_offsets[s + 1] - target_offsets[s]
        if n == 0 or m == 0:
            continue
        fertility = np.zeros(n, np.int64)
        previous = -1
        for j in range(m):
            i = links[target_offsets[s] + j]
            row = entry[entry_offsets[s] + (i + 1) * m + j]
            table[row] += 1
            totals[group[row]] += 1
            if i >= 0:
                fertility[i] += 1
                jumps[_cell(i - previous, half)] += 1
                previous = i
        jumps[_cell(n - previous, half)] += 1
        for i in range(n):
            fertilities[source[source_offsets[s] + i], min(fertility[i], last_column)] += 1


@njit(cache=True, nogil=True)
def _sweep_segment(
    entry: Int32s,
    words: Int64s,
    links: Int32s,
    table: Float64s,
    totals: Float64s,
    jumps: Float64s,
    all_jumps: float,
    fertilities: Float64s,
    empty: float,
    learn: bool,
    keep: bool,
    posterior: Float32s,
    state: np.uint64,
) -> np.uint64:
    """Draw every link of a segment anew, given all others; to `posterior` each draw's probabilities are added where they are kept.

    Where it learns, the tables hold this segment's links, which are taken out of them while they are drawn.
    """
    n, m = len(words), len(links)
    half, last_column = len(jumps) // 2, fertilities.shape[1] - 1
    own_count = 1.0 if learn else 0.0
    fertility = np.zeros(n, np.int64)
    after = np.empty(m, np.int64)
    place = n
    for j in range(m - 1, -1, -1):
        after[j] = place
        if links[j] >= 0:
            place = links[j]
            fertility[place] += 1
    cumulative = np.empty(n + 1)
    previous = -1
    for j in range(m):
        i, following = links[j], after[j]
        over = _cell(following - previous, half)
        row = entry[(i + 1) * m + j]
        if learn:
            table[row] -= 1
            totals[words[i] if i >= 0 else 0] -= 1
        if i >= 0:
            fertility[i] -= 1
            if learn:
                jumps[_cell(i - previous, half)] -= 1
                jumps[_cell(following - i, half)] -= 1
                jumps[over] += 1
                fertilities[words[i], min(fertility[i] + 1, last_column)] -= 1
                fertilities[words[i], min(fertility[i], last_column)] += 1
        # One jump fewer than with a link, whatever was linked before.
        cumulative[0] = empty * table[entry[j]] / totals[0] * jumps[over] * all_jumps
        for k in range(n):
            word = words[k]
            weight = (1.0 - empty) * table[entry[(k + 1) * m + j]] / totals[word]
            weight *= jumps[_cell(k - previous, half)] * jumps[_cell(following - k, half)]
            next_count = fertilities[word, min(fertility[k] + 1, last_column)]
            present_count = fertilities[word, min(fertility[k], last_column)] - own_count
            cumulative[k + 1] = cumulative[k] + weight * next_count / max(present_count, 1e-9)
        total = cumulative[n]
        if keep:
            posterior[j] += cumulative[0] / total
            for k in range(n):
                posterior[(k + 1) * m + j] += (cumulative[k + 1] - cumulative[k]) / total
        state ^= state << np.uint64(13)
        state ^= state >> np.uint64(7)
        state ^= state << np.uint64(17)
        threshold = float(state >> np.uint64(11)) / 9007199254740992.0 * total
        i = -1
        while i < n - 1 and cumulative[i + 1] < threshold:
            i += 1
        links[j] = i
        if learn:
            table[entry[(i + 1) * m + j]] += 1
            totals[words[i] if i >= 0 else 0] += 1
        if i >= 0:
            if learn:
                jumps[over] -= 1
                jumps[_cell(i - previous, half)] += 1
                jumps[_cell(following - i, half)] += 1
                fertilities[words[i], min(fertility[i], last_column)] -= 1
                fertilities[words[i], min(fertility[i] + 1, last_column)] += 1
            fertility[i] += 1
            previous = i
    return state


@njit(cache=True, nogil=True)
def sweep_corpus(
    entry: Int32s,
    entry_offsets: Int64s,
    source_offsets: Int64s,
    target_offsets: Int64s,
    source: Int64s,
    links: Int32s,
    table: Float64s,
    totals: Float64s,
    jumps: Float64s,
    fertilities: Float64s,
    empty: float,
    keep: bool,
    posterior: Float32s,
    state: np.uint64,
) -> np.uint64:
    """One sweep over all segments, which changes links and tables; the state of the random numbers after it."""
    all_jumps = jumps.sum()
    for s in range(len(source_offsets) - 1):
        if source_offsets[s] == source_offsets[s + 1]:
            continue
        cells = slice(entry_offsets[s], entry_offsets[s + 1])
        state = _sweep_segment(
            entry[cells],
            source[source_offsets[s] : source_offsets[s + 1]],
            links[target_offsets[s] : target_offsets[s + 1]],
            table,
            totals,
            jumps,
            all_jumps,
            fertilities,
            empty,
            True,
            keep,
            posterior[cells],
            state,
        )
    return state


@njit(cache=True, nogil=True)
def draw_segments(
    entry: Int32s,
    entry_offsets: Int64s,
    source_offsets: Int64s,
    target_offsets: Int64s,
    source: Int64s,
    links: Int32s,
    table: Float64s,
    totals: Float64s,
    jumps: Float64s,
    fertilities: Float64s,
    empty: float,
    burn: int,
    sweeps: int,
    seed: np.uint64,
) -> Float32s:
    """Sums of link probabilities of each cell over sweeps with fixed tables; all segments use equal random numbers."""
    posterior = np.zeros(entry_offsets[-1], np.float32)
    all_jumps = jumps.sum()
    for s in range(len(source_offsets) - 1):
        if source_offsets[s] == source_offsets[s + 1]:
            continue
        cells = slice(entry_offsets[s], entry_offsets[s + 1])
        state = seed
        for sweep in range(burn + sweeps):
            state = _sweep_segment(
                entry[cells],
                source[source_offsets[s] : source_offsets[s + 1]],
                links[target_offsets[s] : target_offsets[s + 1]],
                table,
                totals,
                jumps,
                all_jumps,
                fertilities,
                empty,
                False,
                sweep >= burn,
                posterior[cells],
                state,
            )
    return posterior
