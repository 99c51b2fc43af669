"""Features of a split of a span, hashed into weights (after Nakagawa 2015 and Neubig et al. 2012; own templates).

A split divides words [begin, end) at `middle`. Its features are words, tags and classes at the borders of both parts and beside the
span, alone and in groups. Further features are the balance of both parts, and the split above with the side of the span.
"""

import numpy as np
from numba import njit

from app.arrays import Int64s, UInt64s
from app.text.hashing import combine

__all__ = ["ABOVE", "ROOT", "feature_count", "split_slots"]

# Kinds of the split above: none, straight with the span on the left or right, inverted with the span on the left or right.
ABOVE = 5
ROOT = 0
# Places of a split: before the span, first, before last of the left part, last of it, first of the right part, second of it, last,
# behind the span.
BEFORE, FIRST, LEFT_INNER, LEFT_LAST, RIGHT_FIRST, RIGHT_INNER, LAST, BEHIND = range(8)
BASIC = np.array([
    (BEFORE, -1), (FIRST, -1), (LEFT_LAST, -1), (RIGHT_FIRST, -1), (LAST, -1), (BEHIND, -1),
    (LEFT_LAST, RIGHT_FIRST), (FIRST, LAST), (FIRST, LEFT_LAST), (RIGHT_FIRST, LAST), (FIRST, RIGHT_FIRST), (LEFT_LAST, LAST),
    (BEFORE, FIRST), (LAST, BEHIND),
])  # fmt: skip
GROUPS = np.array([
    (FIRST, LEFT_LAST, RIGHT_FIRST, -1), (LEFT_LAST, RIGHT_FIRST, LAST, -1), (FIRST, RIGHT_FIRST, LAST, -1),
    (FIRST, LEFT_LAST, LAST, -1), (LEFT_INNER, LEFT_LAST, RIGHT_FIRST, -1), (LEFT_LAST, RIGHT_FIRST, RIGHT_INNER, -1),
    (BEFORE, FIRST, LAST, BEHIND), (FIRST, LEFT_LAST, RIGHT_FIRST, LAST), (LEFT_INNER, LEFT_LAST, RIGHT_FIRST, RIGHT_INNER),
])  # fmt: skip
# Pairs of a word and a tag, and groups with the balance or the split above.
PAIRS, BALANCES, ABOVES = 4, 4, 4
# Parts longer than this weigh the same.
LONGEST_PART = 8


@njit(cache=True)
def feature_count(columns: int) -> int:
    """Number of features of each split of words with this many columns: word, tag, class."""
    return len(BASIC) * columns + len(GROUPS) * max(1, columns - 1) + (PAIRS if columns > 1 else 0) + BALANCES + ABOVES


@njit(cache=True)
def _part(length: int) -> np.uint64:
    return np.uint64(min(length, LONGEST_PART))


@njit(cache=True, nogil=True)
def split_slots(hashes: UInt64s, begin: int, middle: int, end: int, above: int, mask: int, slots: Int64s) -> None:
    """Write the slots of all features of a split, each in [0, mask]. `hashes` are those of words, shape (n, columns)."""
    n, columns = hashes.shape
    limit = np.uint64(mask)
    sites = np.array([begin - 1, begin, middle - 2, middle - 1, middle, middle + 1, end - 1, end])
    # Inner words lie within their part.
    if middle - 2 < begin:
        sites[LEFT_INNER] = -1
    if middle + 1 >= end:
        sites[RIGHT_INNER] = -1
    values = np.zeros((columns, len(sites)), np.uint64)
    for k in range(len(sites)):
        if 0 <= sites[k] < n:
            for column in range(columns):
                values[column, k] = hashes[sites[k], column]
    at = 0
    template = np.uint64(0)
    for column in range(columns):
        for row in range(len(BASIC)):
            template += np.uint64(1)
            key = combine(template, values[column, BASIC[row, 0]])
            if BASIC[row, 1] >= 0:
                key = combine(key, values[column, BASIC[row, 1]])
            slots[at] = np.int64(key & limit)
            at += 1
    for column in range(min(1, columns - 1), columns):
        for row in range(len(GROUPS)):
            template += np.uint64(1)
            key = template
            for site in GROUPS[row]:
                if site >= 0:
                    key = combine(key, values[column, site])
            slots[at] = np.int64(key & limit)
            at += 1
    if columns > 1:
        for first, second in ((LEFT_LAST, RIGHT_FIRST), (FIRST, LAST)):
            for column in range(2):
                template += np.uint64(1)
                key = combine(combine(template, values[column, first]), values[1 - column, second])
                slots[at] = np.int64(key & limit)
                at += 1
    tags = values[min(1, columns - 1)]
    balance = np.uint64(1 + (middle - begin > end - middle) + 2 * (middle - begin == end - middle))
    parts = combine(_part(middle - begin), _part(end - middle))
    split_above = np.uint64(above + 1)
    keys = (
        combine(np.uint64(1), parts),
        combine(combine(np.uint64(2), balance), split_above),
        combine(combine(combine(np.uint64(3), parts), tags[LEFT_LAST]), tags[RIGHT_FIRST]),
        combine(combine(combine(np.uint64(4), balance), tags[FIRST]), tags[LAST]),
        combine(np.uint64(5), split_above),
        combine(combine(combine(np.uint64(6), split_above), tags[LEFT_LAST]), tags[RIGHT_FIRST]),
        combine(combine(combine(np.uint64(7), split_above), tags[FIRST]), tags[LAST]),
        combine(combine(combine(np.uint64(8), split_above), tags[BEFORE]), tags[BEHIND]),
    )
    for key in keys:
        slots[at] = np.int64(combine(np.uint64(9), key) & limit)
        at += 1
