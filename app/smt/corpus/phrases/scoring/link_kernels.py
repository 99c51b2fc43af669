"""Links of a pair of phrases: read, compared, and words that have none counted."""

import numpy as np
from numba import njit

from app.arrays import Int64s, UInt8s, UInt64s

__all__ = ["LONGEST_PHRASE", "comes_after", "count_unaligned", "find_links"]

BLANK = 32
LONGEST_PHRASE = 1000


@njit(cache=True, nogil=True)
def find_links(text: UInt8s, begin: int, end: int, sources: int, targets: int, turned: bool, links: Int64s) -> int:
    """The source words, plus 1, of each target word, and a 0 after those of each; its length, or -1 where text is no links.

    With `turned` the sides are in each other's place.
    """
    size, width = (sources, targets) if turned else (targets, sources)
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
        if turned:
            table[first, second] = True
        else:
            table[second, first] = True
    for word in range(size):
        for other in range(width):
            if table[word, other]:
                links[count] = other + 1
                count += 1
        links[count] = 0
        count += 1
    return count


@njit(cache=True, inline="always")
def comes_after(links: Int64s, size: int, best: Int64s, best_size: int) -> bool:
    """Whether links come after others, the sets of each word compared one by one."""
    for place in range(min(size, best_size)):
        if links[place] != best[place]:
            return links[place] > best[place]
    return size > best_size


@njit(cache=True, nogil=True)
def count_unaligned(words: UInt64s, links: Int64s, function: UInt64s) -> tuple[int, int]:
    """How many words have no link, and how many of those are function words, whose hashes ascend; `links` as of `find_links`."""
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
