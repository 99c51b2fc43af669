"""Pairs of phrases that agree with the links of their sentence (Och and Ney 2004; Koehn et al. 2003)."""

import numpy as np
from numba import njit

from app.arrays import Int32s, Int64s

__all__ = ["cumulative_links", "extract_chunk", "links_by_target"]


@njit(cache=True, nogil=True)
def links_by_target(source: Int32s, target: Int32s, words: int) -> tuple[Int64s, Int32s]:
    """Source positions linked to each target word, in the order of links: offsets (words + 1,), positions (links,)."""
    offsets = np.zeros(words + 1, np.int64)
    for link in range(len(target)):
        offsets[target[link] + 1] += 1
    for word in range(words):
        offsets[word + 1] += offsets[word]
    places = np.empty(len(source), np.int32)
    free = offsets.copy()
    for link in range(len(target)):
        places[free[target[link]]] = source[link]
        free[target[link]] += 1
    return offsets, places


@njit(cache=True, nogil=True)
def cumulative_links(source: Int32s, words: int) -> Int64s:
    """Number of links before each source word; a difference counts the links of a span. Shape (words + 1,)."""
    cumulative = np.zeros(words + 1, np.int64)
    for place in source:
        cumulative[place + 1] += 1
    for word in range(words):
        cumulative[word + 1] += cumulative[word]
    return cumulative


@njit(cache=True, nogil=True)
def extract_chunk(
    source_offsets: Int64s, target_offsets: Int64s, links_source: Int32s, links_target: Int32s, link_offsets: Int64s, longest: int
) -> Int32s:
    """Phrase pairs as rows (sentence, first and last source position, first and last target position); shape (pairs, 5).

    Two spans are a phrase pair if at least one link joins them, no link crosses their edges, and neither exceeds `longest` words.
    Unlinked words at the edges of a span may belong to several phrase pairs.
    Order: by first and last target word; then source phrases grow to the left, and for each begin to the right.
    """
    rows = np.empty((1024, 5), np.int32)
    count = 0
    for sentence in range(len(source_offsets) - 1):
        source_words = source_offsets[sentence + 1] - source_offsets[sentence]
        target_words = target_offsets[sentence + 1] - target_offsets[sentence]
        begin, end = link_offsets[sentence], link_offsets[sentence + 1]
        offsets, places = links_by_target(links_source[begin:end], links_target[begin:end], target_words)
        cumulative = cumulative_links(links_source[begin:end], source_words)
        for first_target in range(target_words):
            low, high = source_words, -1
            for last_target in range(first_target, min(target_words, first_target + longest)):
                for link in range(offsets[last_target], offsets[last_target + 1]):
                    low, high = min(low, places[link]), max(high, places[link])
                if high < 0:
                    continue
                if high - low >= longest:
                    break
                if cumulative[high + 1] - cumulative[low] != offsets[last_target + 1] - offsets[first_target]:
                    continue
                first = low
                while first >= 0 and first > high - longest and (first == low or cumulative[first + 1] == cumulative[first]):
                    last = high
                    while (
                        last < source_words
                        and last < first + longest
                        and (last == high or cumulative[last + 1] == cumulative[last])
                    ):
                        if count == len(rows):
                            larger = np.empty((2 * count, 5), np.int32)
                            larger[:count] = rows
                            rows = larger
                        rows[count, 0], rows[count, 1], rows[count, 2] = sentence, first, last
                        rows[count, 3], rows[count, 4] = first_target, last_target
                        count += 1
                        last += 1
                    first -= 1
    return rows[:count]
