"""Keys of phrases, one a line, from the bytes of a text."""

import numpy as np
from numba import njit

from app.arrays import Int64s, UInt8s, UInt64s
from app.text.hashing import combine, hash_slices
from app.text.word_kernel import blank_width

__all__ = ["read_phrases"]


@njit(cache=True, nogil=True)
def read_phrases(data: UInt8s, group: int) -> tuple[UInt64s, Int64s, int]:
    """Keys and numbers of words of the lines of whole groups, and the bytes that these take.

    A key is the combination of the hashes of a line's words; a group has `group` lines.
    """
    line_count = 0
    for byte in data:
        line_count += byte == 10
    line_count -= line_count % group
    widths = np.zeros(line_count, np.int64)
    begins = np.empty(len(data) // 2 + 1, np.int64)
    ends = np.empty(len(data) // 2 + 1, np.int64)
    at = word_count = line = 0
    while line < line_count:
        if data[at] == 10:
            line += 1
            at += 1
            continue
        width = blank_width(data, at, len(data))
        if width:
            at += width
            continue
        begins[word_count] = at
        while not blank_width(data, at, len(data)):
            at += 1
        ends[word_count] = at
        word_count += 1
        widths[line] += 1
    hashes = hash_slices(data, begins[:word_count], ends[:word_count])
    keys = np.zeros(line_count, np.uint64)
    word = 0
    for k in range(line_count):
        for _ in range(widths[k]):
            keys[k] = combine(keys[k], hashes[word])
            word += 1
    return keys, widths, at
