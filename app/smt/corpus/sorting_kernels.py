"""Lines of bytes in order: multikey quicksort with seven bytes of each line at a time (Bentley and Sedgewick 1997)."""

import numpy as np
from numba import njit

from app.arrays import Int64s, UInt8s, UInt64s

__all__ = ["compare", "count_up_to", "gather_lines", "line_bounds", "sort_lines"]

NEWLINE = 10
# Bytes of a key; a final byte has their number, plus one if the line continues.
WIDTH = 7
SHORT = 12


@njit(cache=True, nogil=True)
def line_bounds(text: UInt8s) -> tuple[Int64s, Int64s]:
    """Begin and end of each line, without its newline; each line ends with a newline."""
    count = 0
    for byte in text:
        count += byte == NEWLINE
    begins, ends = np.empty(count, np.int64), np.empty(count, np.int64)
    line = begin = 0
    for at in range(len(text)):
        if text[at] == NEWLINE:
            begins[line], ends[line] = begin, at
            begin = at + 1
            line += 1
    return begins, ends


@njit(cache=True, inline="always")
def _key(text: UInt8s, begin: int, end: int) -> np.uint64:
    size = min(end - begin, WIDTH + 1)
    key = np.uint64(0)
    for place in range(WIDTH):
        key = (key << np.uint64(8)) | (np.uint64(text[begin + place]) if place < size else np.uint64(0))
    return (key << np.uint64(8)) | np.uint64(max(size, 0))


@njit(cache=True, nogil=True)
def compare(text: UInt8s, begin: int, end: int, second: UInt8s, second_begin: int, second_end: int) -> int:
    """Negative, 0 or positive if the first line precedes, equals or follows the second, by bytes."""
    for place in range(min(end - begin, second_end - second_begin)):
        if text[begin + place] != second[second_begin + place]:
            return -1 if text[begin + place] < second[second_begin + place] else 1
    return (end - begin) - (second_end - second_begin)


@njit(cache=True, inline="always")
def _swap(order: Int64s, keys: UInt64s, first: int, second: int) -> None:
    order[first], order[second] = order[second], order[first]
    keys[first], keys[second] = keys[second], keys[first]


@njit(cache=True, nogil=True)
def sort_lines(text: UInt8s, begins: Int64s, ends: Int64s) -> Int64s:
    """Indices of lines in byte order, as ``LC_ALL=C sort``; a prefix precedes longer lines. Shape (lines,)."""
    order = np.arange(len(begins))
    keys = np.empty(len(begins), np.uint64)
    for line in range(len(begins)):
        keys[line] = _key(text, begins[line], ends[line])
    stack = np.empty((256, 3), np.int64)
    stack[0] = 0, len(begins), 0
    height = 1
    while height:
        height -= 1
        low, high, depth = stack[height]
        if high - low < SHORT:
            for later in range(low + 1, high):
                at = later
                line, key = order[later], keys[later]
                while at > low and (
                    keys[at - 1] > key
                    or (
                        keys[at - 1] == key
                        and compare(
                            text, begins[order[at - 1]] + depth, ends[order[at - 1]], text, begins[line] + depth, ends[line]
                        )
                        > 0
                    )
                ):
                    order[at], keys[at] = order[at - 1], keys[at - 1]
                    at -= 1
                order[at], keys[at] = line, key
            continue
        first, middle, last = keys[low], keys[(low + high) // 2], keys[high - 1]
        pivot = max(min(first, middle), min(max(first, middle), last))
        equal_begin, at, equal_end = low, low, high
        while at < equal_end:
            if keys[at] < pivot:
                _swap(order, keys, equal_begin, at)
                equal_begin += 1
                at += 1
            elif keys[at] > pivot:
                equal_end -= 1
                _swap(order, keys, at, equal_end)
            else:
                at += 1
        if height + 3 > len(stack):
            larger = np.empty((2 * len(stack), 3), np.int64)
            larger[:height] = stack[:height]
            stack = larger
        stack[height] = low, equal_begin, depth
        stack[height + 1] = equal_end, high, depth
        height += 2
        # Lines beyond the bytes of the key; shorter lines with equal keys are equal.
        if equal_end - equal_begin > 1 and pivot & np.uint64(255) == WIDTH + 1:
            for place in range(equal_begin, equal_end):
                keys[place] = _key(text, begins[order[place]] + depth + WIDTH, ends[order[place]])
            stack[height] = equal_begin, equal_end, depth + WIDTH
            height += 1
    return order


@njit(cache=True, nogil=True)
def gather_lines(text: UInt8s, begins: Int64s, ends: Int64s, order: Int64s) -> UInt8s:
    """Concatenated lines in an order, each with its newline."""
    size = 0
    for line in order:
        size += ends[line] - begins[line] + 1
    out = np.empty(size, np.uint8)
    at = 0
    for line in order:
        for place in range(begins[line], ends[line] + 1):
            out[at] = text[place]
            at += 1
    return out


@njit(cache=True, nogil=True)
def count_up_to(text: UInt8s, begins: Int64s, ends: Int64s, bound: UInt8s) -> int:
    """Number of lines of a sorted text up to `bound`, a line without its newline."""
    low, high = 0, len(begins)
    while low < high:
        middle = (low + high) // 2
        if compare(text, begins[middle], ends[middle], bound, 0, len(bound)) > 0:
            high = middle
        else:
            low = middle + 1
    return low
