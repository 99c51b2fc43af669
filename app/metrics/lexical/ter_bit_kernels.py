"""Edit distances and alignments of up to 64 reference words, by bits of matrix columns (Myers 1999, Hyyrö 2003).

Row i + 1 of the matrix belongs to hypothesis word i, and bit j to reference word j. ``masks[i]`` has the bits of the reference
words that equal hypothesis word i. ``bits[:, i]`` are the differences of row i: up and down from the cell above, plus and minus
from the cell to the left. ``totals[i]`` is the last cell of row i.
"""

import numpy as np
from numba import njit

from app.arrays import Bools, Int64s, UInt64s

__all__ = ["WORD_BITS", "common_words", "fill_masks", "fill_rows", "shifted_distance", "trace_rows"]

# References up to this many words fit the bits of one machine word.
WORD_BITS = 64
UP, DOWN, PLUS, MINUS = range(4)


@njit(cache=True, nogil=True)
def fill_masks(text: Int64s, pattern: Int64s, masks: UInt64s) -> None:
    """Write for each symbol of the text the bits of its positions in the pattern."""
    for i in range(len(text)):
        mask = np.uint64(0)
        for j in range(len(pattern)):
            mask |= np.uint64(text[i] == pattern[j]) << np.uint64(j)
        masks[i] = mask


@njit(cache=True, nogil=True)
def common_words(masks: UInt64s) -> int:
    """Number of words that both sides share, as bags."""
    free = ~np.uint64(0)
    count = 0
    for mask in masks:
        place = mask & free
        if place:
            free ^= place & (~place + np.uint64(1))
            count += 1
    return count


@njit(cache=True, inline="always")
def _next_row(equal: np.uint64, plus: np.uint64, minus: np.uint64) -> tuple[np.uint64, np.uint64, np.uint64, np.uint64]:
    """Differences of the next row, up, down, plus and minus, from `plus` and `minus` of a row."""
    vertical = equal | minus
    horizontal = (((equal & plus) + plus) ^ plus) | equal
    up = minus | ~(horizontal | plus)
    down = plus & horizontal
    from_above = (up << np.uint64(1)) | np.uint64(1)
    return up, down, (down << np.uint64(1)) | ~(vertical | from_above), from_above & vertical


@njit(cache=True, nogil=True)
def fill_rows(masks: UInt64s, columns: int, first: int, bits: UInt64s, totals: Int64s) -> int:
    """Fill all rows after row `first`, and return the edit distance. Row 0 is filled always."""
    last_column = np.uint64(columns - 1)
    unit = np.uint64(1)
    bits[UP, 0] = bits[DOWN, 0] = bits[MINUS, 0] = np.uint64(0)
    bits[PLUS, 0] = ~np.uint64(0)
    totals[0] = columns
    plus, minus, total = bits[PLUS, first], bits[MINUS, first], totals[first]
    for i in range(first, len(masks)):
        up, down, plus, minus = _next_row(masks[i], plus, minus)
        total += np.int64((up >> last_column) & unit) - np.int64((down >> last_column) & unit)
        bits[UP, i + 1], bits[DOWN, i + 1], bits[PLUS, i + 1], bits[MINUS, i + 1] = up, down, plus, minus
        totals[i + 1] = total
    return total


@njit(cache=True, nogil=True)
def shifted_distance(masks: UInt64s, columns: int, start: int, length: int, target: int, bits: UInt64s, totals: Int64s) -> int:
    """Edit distance of the hypothesis with a block moved before `target`; `bits` and `totals` are those before the move."""
    last_column = np.uint64(columns - 1)
    unit = np.uint64(1)
    size = len(masks)
    # Two neighbouring parts of the hypothesis change places: begin to middle, and middle to end.
    if target < start:
        begin, middle, end = target, start, start + length
    elif target > start + length:
        begin, middle, end = start, start + length, target
    else:
        begin, middle, end = start, start + length, min(length + target, size)
    plus, minus, total = bits[PLUS, begin], bits[MINUS, begin], totals[begin]
    for part in range(2):
        for i in range(middle if part == 0 else begin, end if part == 0 else middle):
            up, down, plus, minus = _next_row(masks[i], plus, minus)
            total += np.int64((up >> last_column) & unit) - np.int64((down >> last_column) & unit)
    for i in range(end, size):
        if plus == bits[PLUS, i] and minus == bits[MINUS, i]:
            # From equal rows on, both matrices have equal differences.
            return total + totals[size] - totals[i]
        up, down, plus, minus = _next_row(masks[i], plus, minus)
        total += np.int64((up >> last_column) & unit) - np.int64((down >> last_column) & unit)
    return total


@njit(cache=True, nogil=True)
def trace_rows(
    masks: UInt64s, columns: int, bits: UInt64s, align: Int64s, partner: Int64s, ref_wrong: Bools, hyp_wrong: Bools
) -> None:
    """Walk back from the corner as `trace` of the banded matrix: substitutions before deletions before insertions."""
    unit = np.uint64(1)
    i, j = len(masks), columns
    while i > 0 or j > 0:
        if i == 0:
            align[j - 1] = -1
            ref_wrong[j - 1] = True
            j -= 1
            continue
        if j == 0:
            hyp_wrong[i - 1] = True
            partner[i - 1] = -1
            i -= 1
            continue
        bit = np.uint64(j - 1)
        above = np.int64((bits[UP, i] >> bit) & unit) - np.int64((bits[DOWN, i] >> bit) & unit)
        diagonal = above + np.int64((bits[PLUS, i - 1] >> bit) & unit) - np.int64((bits[MINUS, i - 1] >> bit) & unit)
        is_equal = (masks[i - 1] >> bit) & unit != np.uint64(0)
        if is_equal or diagonal == 1:
            align[j - 1] = i - 1
            partner[i - 1] = j - 1
            ref_wrong[j - 1] = hyp_wrong[i - 1] = not is_equal
            i -= 1
            j -= 1
        elif above == 1:
            hyp_wrong[i - 1] = True
            partner[i - 1] = -1
            i -= 1
        else:
            align[j - 1] = i - 1
            ref_wrong[j - 1] = True
            j -= 1
