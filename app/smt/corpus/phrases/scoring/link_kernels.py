"""Links of a phrase pair: parsing, comparison, and counts of unlinked words."""

import numpy as np
from numba import njit

from app.arrays import Int64s, UInt8s, UInt64s

__all__ = ["LONGEST_PHRASE", "count_unaligned", "find_links", "ranks_above"]

BLANK = 32
LONGEST_PHRASE = 1000


@njit(cache=True, nogil=True)
def find_links(text: UInt8s, begin: int, end: int, sources: int, targets: int, inverse: bool, links: Int64s) -> int:
    """Write, for each target word, positions of its source words plus 1, then a 0; return the length, or -1 for malformed links.

    With `inverse` both sides are exchanged.
    """
    size, width = (sources, targets) if inverse else (targets, sources)
    table = np.zeros((size, width), np.bool_)
    at = begin
    count = 0
    while at < end:
        if text[at] <= BLANK:
            at += 1
            continue
        first = second = 0
        digits = 0
        while at < end and 48 <= text[at] <= 57:
            first = min(first * 10 + text[at] - 48, LONGEST_PHRASE)
            at += 1
            digits += 1
        if not digits or at >= end or text[at] != 45:
            return -1
        at += 1
        digits = 0
        while at < end and 48 <= text[at] <= 57:
            second = min(second * 10 + text[at] - 48, LONGEST_PHRASE)
            at += 1
            digits += 1
        if not digits or (at < end and text[at] > BLANK) or first >= sources or second >= targets:
            return -1
        if inverse:
            table[first, second] = True
        else:
            table[second, first] = True
    for word in range(size):
        for partner in range(width):
            if table[word, partner]:
                links[count] = partner + 1
                count += 1
        links[count] = 0
        count += 1
    return count


@njit(cache=True, inline="always")
def ranks_above(links: Int64s, size: int, best: Int64s, best_size: int) -> bool:
    """Return True if links rank above the best links, in the order of sets of each word."""
    for place in range(min(size, best_size)):
        if links[place] != best[place]:
            return links[place] > best[place]
    return size > best_size


@njit(cache=True, nogil=True)
def count_unaligned(words: UInt64s, links: Int64s, function: UInt64s) -> tuple[int, int]:
    """Numbers of unlinked words and of function words among them; hashes of function words ascend; `links` of `find_links`."""
    free = of_function = at = 0
    for word in words:
        if links[at] == 0:
            free += 1
            place = np.searchsorted(function, word)
            of_function += place < len(function) and function[place] == word
        while links[at] != 0:
            at += 1
        at += 1
    return free, of_function
