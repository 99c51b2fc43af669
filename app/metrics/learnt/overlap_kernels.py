"""Overlaps of hypothesis and reference beyond n-gram counts: skip-bigrams, edges, mixed n-grams, arcs of dependency trees."""

from typing import Final

import numpy as np
from numba import njit

from app.arrays import Int64s, UInt64s
from app.text.hashing import combine

__all__ = ["match_arcs", "match_edges", "match_mixed", "match_skips"]

# Low bits of an arc's key, which hold its relation.
RELATION_BITS: Final = np.uint64(63)


@njit(cache=True, nogil=True)
def match_skips(
    hypothesis: Int64s, hypothesis_offsets: Int64s, reference: Int64s, reference_offsets: Int64s, reference_of: Int64s, skip: int
) -> Int64s:
    """Counts of skip-bigrams with at most `skip` words in between: matches, hypothesis, reference; shape (h, 3).

    Hypothesis k belongs to reference ``reference_of[k]``.
    """
    n = len(hypothesis_offsets) - 1
    out = np.zeros((n, 3), np.int64)
    largest = 1
    for i in reference_of:
        size = reference_offsets[i + 1] - reference_offsets[i]
        largest = max(largest, size * min(skip + 1, size))
    capacity = 16
    while capacity < 2 * largest:
        capacity *= 2
    keys = np.zeros(capacity, np.uint64)
    counts = np.zeros(capacity, np.int64)
    for i in range(n):
        segment = reference_of[i]
        size = reference_offsets[segment + 1] - reference_offsets[segment]
        room = 16
        while room < 2 * size * min(skip + 1, size):
            room *= 2
        mask = np.uint64(room - 1)
        keys[:room] = 0
        counts[:room] = 0
        end = reference_offsets[segment + 1]
        for a in range(reference_offsets[segment], end):
            for b in range(a + 1, min(a + skip + 2, end)):
                key = combine(np.uint64(reference[a] + 1), np.uint64(reference[b] + 1)) | np.uint64(1)
                place = (key >> np.uint64(7)) & mask
                while keys[place] != key and keys[place] != np.uint64(0):
                    place = (place + np.uint64(1)) & mask
                keys[place] = key
                counts[place] += 1
                out[i, 2] += 1
        end = hypothesis_offsets[i + 1]
        for a in range(hypothesis_offsets[i], end):
            for b in range(a + 1, min(a + skip + 2, end)):
                key = combine(np.uint64(hypothesis[a] + 1), np.uint64(hypothesis[b] + 1)) | np.uint64(1)
                place = (key >> np.uint64(7)) & mask
                while keys[place] != key and keys[place] != np.uint64(0):
                    place = (place + np.uint64(1)) & mask
                if counts[place] > 0:
                    counts[place] -= 1
                    out[i, 0] += 1
                out[i, 1] += 1
    return out


@njit(cache=True, nogil=True)
def match_edges(
    hypothesis: Int64s, hypothesis_offsets: Int64s, reference: Int64s, reference_offsets: Int64s, reference_of: Int64s, order: int
) -> Int64s:
    """Number of matching edge units, the first and the last k words, for k of 1 to `order`; shape (h, order).

    The edge unit of a segment shorter than k is all its words.
    """
    n = len(hypothesis_offsets) - 1
    out = np.zeros((n, order), np.int64)
    for i in range(n):
        a, b = hypothesis_offsets[i], hypothesis_offsets[i + 1]
        c, d = reference_offsets[reference_of[i]], reference_offsets[reference_of[i] + 1]
        for k in range(1, order + 1):
            size = min(k, b - a)
            if size != min(k, d - c):
                continue
            first = last = 1
            for w in range(size):
                if hypothesis[a + w] != reference[c + w]:
                    first = 0
                if hypothesis[b - 1 - w] != reference[d - 1 - w]:
                    last = 0
            out[i, k - 1] = first + last
    return out


@njit(cache=True, nogil=True)
def _augment(edges: Int64s, row: int, partner: Int64s, visits: Int64s, stamp: int) -> bool:
    """Extend a bipartite matching by an augmenting path from `row`, and return True if there is one. No recursion."""
    columns = edges.shape[1]
    stack = np.empty((edges.shape[0] + 1, 2), np.int64)
    stack[0, 0], stack[0, 1] = row, 0
    depth = 0
    while depth >= 0:
        current_row, column = stack[depth]
        if column == columns:
            depth -= 1
            continue
        stack[depth, 1] = column + 1
        if edges[current_row, column] == 0 or visits[column] == stamp:
            continue
        visits[column] = stamp
        if partner[column] < 0:
            # Match every row on the path with its column.
            for level in range(depth, -1, -1):
                partner[stack[level, 1] - 1] = stack[level, 0]
            return True
        depth += 1
        stack[depth, 0], stack[depth, 1] = partner[column], 0
    return False


@njit(cache=True, nogil=True)
def match_mixed(
    words: Int64s,
    tags: Int64s,
    offsets: Int64s,
    ref_words: Int64s,
    ref_tags: Int64s,
    ref_offsets: Int64s,
    reference_of: Int64s,
    order: int,
) -> Int64s:
    """Number of hypothesis n-grams that match a reference n-gram by word or tag at every position; shape (h, order).

    N-grams are matched one to one, by a maximum bipartite matching, since "equal word or equal tag" is not transitive (Song's
    thesis, section 3.1.2).
    """
    n = len(offsets) - 1
    out = np.zeros((n, order), np.int64)
    for i in range(n):
        first = ref_offsets[reference_of[i]]
        rows, columns = offsets[i + 1] - offsets[i], ref_offsets[reference_of[i] + 1] - first
        run_lengths = np.zeros((rows + 1, columns + 1), np.int64)
        for a in range(rows - 1, -1, -1):
            for b in range(columns - 1, -1, -1):
                h, r = offsets[i] + a, first + b
                if words[h] == ref_words[r] or tags[h] == ref_tags[r]:
                    run_lengths[a, b] = run_lengths[a + 1, b + 1] + 1
        for k in range(1, order + 1):
            if rows < k or columns < k:
                continue
            edges = (run_lengths[: rows - k + 1, : columns - k + 1] >= k).astype(np.int64)
            partner = np.full(columns - k + 1, -1, np.int64)
            visits = np.full(columns - k + 1, -1, np.int64)
            for a in range(rows - k + 1):
                out[i, k - 1] += _augment(edges, a, partner, visits, a)
    return out


@njit(cache=True, nogil=True)
def _arc_keys(words: Int64s, heads: Int64s, relations: Int64s) -> UInt64s:
    """Sorted keys of a tree's arcs: relation, word of the head and word; the relation is in the low bits."""
    keys = np.empty(len(words), np.uint64)
    for i in range(len(words)):
        governor = words[heads[i]] + 1 if heads[i] >= 0 else 0
        key = combine(np.uint64(governor + 1), np.uint64(words[i] + 1))
        keys[i] = (combine(key, np.uint64(relations[i] + 1)) & ~RELATION_BITS) | np.uint64(relations[i])
    return np.sort(keys)


@njit(cache=True, nogil=True)
def match_arcs(
    words: Int64s,
    heads: Int64s,
    relations: Int64s,
    offsets: Int64s,
    ref_words: Int64s,
    ref_heads: Int64s,
    ref_relations: Int64s,
    ref_offsets: Int64s,
    reference_of: Int64s,
    kinds: int,
) -> Int64s:
    """Number of arcs of each relation: matched one to one, of the hypothesis, of the reference; shape (h, kinds, 3).

    Relations are below `kinds`. Arcs match if relation, head word and dependent word are equal. O(n log n) per segment.
    """
    out = np.zeros((len(offsets) - 1, kinds, 3), np.int64)
    for i in range(len(offsets) - 1):
        a, b = offsets[i], offsets[i + 1]
        c, d = ref_offsets[reference_of[i]], ref_offsets[reference_of[i] + 1]
        keys = _arc_keys(words[a:b], heads[a:b], relations[a:b])
        ref_keys = _arc_keys(ref_words[c:d], ref_heads[c:d], ref_relations[c:d])
        for k in range(a, b):
            out[i, relations[k], 1] += 1
        for k in range(c, d):
            out[i, ref_relations[k], 2] += 1
        x = y = 0
        while x < len(keys) and y < len(ref_keys):
            if keys[x] == ref_keys[y]:
                out[i, np.int64(keys[x] & RELATION_BITS), 0] += 1
                x += 1
                y += 1
            elif keys[x] < ref_keys[y]:
                x += 1
            else:
                y += 1
    return out
