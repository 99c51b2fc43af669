"""Orientation of a phrase pair to its neighbours in the target (Tillmann 2004; Galley and Manning 2008)."""

import numpy as np
from numba import njit

from app.arrays import Bools, Int8s, Int32s, Int64s
from app.smt.corpus.phrases.extraction_kernels import cumulative_links, links_by_target

__all__ = [
    "DISCONTINUOUS_LEFT",
    "DISCONTINUOUS_RIGHT",
    "MONOTONE",
    "NOWHERE",
    "SWAP",
    "orientations_by_phrases",
    "orientations_by_words",
]

MONOTONE, SWAP, DISCONTINUOUS_LEFT, DISCONTINUOUS_RIGHT = 0, 1, 2, 3
# The words of the neighbour have no links.
NOWHERE = 4


@njit(cache=True, inline="always")
def _joined(offsets: Int64s, places: Int32s, source: int, target: int, source_words: int, target_words: int) -> bool:
    """Return True if two words are linked. The marks of sentence begin are linked, and so are those of sentence end."""
    if target < 0 or target >= target_words:
        return (source < 0 and target < 0) or (source >= source_words and target >= target_words)
    linked = False
    for link in range(offsets[target], offsets[target + 1]):
        linked |= places[link] == source
    return linked


@njit(cache=True, inline="always")
def _by_words(
    offsets: Int64s, places: Int32s, near: int, far: int, neighbour: int, step: int, source_words: int, target_words: int
) -> int:
    """Orientation to the target word `neighbour`; `near` and `far` are the edges of the source phrase, as seen from it.

    `step` is 1 for the previous word; it is -1 for the next word, which mirrors all directions.
    """
    monotone = _joined(offsets, places, near - step, neighbour, source_words, target_words)
    swap = _joined(offsets, places, far + step, neighbour, source_words, target_words)
    if monotone != swap:
        return MONOTONE if monotone else SWAP
    if neighbour < 0 or neighbour >= target_words:
        return NOWHERE
    discontinuous_left = False
    for link in range(offsets[neighbour], offsets[neighbour + 1]):
        place = places[link]
        if (near - 2 * step - place) * step >= 0 and not _joined(
            offsets, places, place + step, neighbour, source_words, target_words
        ):
            return DISCONTINUOUS_RIGHT
        if (place - far - 2 * step) * step >= 0 and not _joined(
            offsets, places, place - step, neighbour, source_words, target_words
        ):
            discontinuous_left = True
    return DISCONTINUOUS_LEFT if discontinuous_left else NOWHERE


@njit(cache=True, nogil=True)
def orientations_by_words(
    rows: Int32s, source_offsets: Int64s, target_offsets: Int64s, links_source: Int32s, links_target: Int32s, link_offsets: Int64s
) -> Int8s:
    """Orientation of each row to the previous and the next target word; shape (pairs, 2).

    Codes: MONOTONE 0, SWAP 1, DISCONTINUOUS_LEFT 2, DISCONTINUOUS_RIGHT 3, NOWHERE 4.
    """
    result = np.empty((len(rows), 2), np.int8)
    row = 0
    while row < len(rows):
        sentence = rows[row, 0]
        source_words = source_offsets[sentence + 1] - source_offsets[sentence]
        target_words = target_offsets[sentence + 1] - target_offsets[sentence]
        begin, end = link_offsets[sentence], link_offsets[sentence + 1]
        offsets, places = links_by_target(links_source[begin:end], links_target[begin:end], target_words)
        while row < len(rows) and rows[row, 0] == sentence:
            first, last = rows[row, 1], rows[row, 2]
            result[row, 0] = _by_words(offsets, places, first, last, rows[row, 3] - 1, 1, source_words, target_words)
            result[row, 1] = _by_words(offsets, places, last, first, rows[row, 4] + 1, -1, source_words, target_words)
            row += 1
    return result


@njit(cache=True, nogil=True)
def _lower_corners(
    offsets: Int64s, places: Int32s, cumulative: Int64s, source_words: int, target_words: int, longest: int
) -> tuple[Bools, Bools]:
    """Masks of lower corners: a phrase pair ends at a target word, and begins (left) or ends (right) at a source word.

    Both have shape (target words, source words). A phrase has up to `longest` words.
    """
    left_corners, right_corners = np.zeros((target_words, source_words), np.bool_), np.zeros((target_words, source_words), np.bool_)
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
                left_corners[last_target, first] = True
                first -= 1
            last = high
            while last < source_words and last < low + longest and (last == high or cumulative[last + 1] == cumulative[last]):
                right_corners[last_target, last] = True
                last += 1
    return left_corners, right_corners


@njit(cache=True, inline="always")
def _by_corners(
    monotone: bool, swap: bool, near_corners: Bools, far_corners: Bools, near: int, far: int, neighbour: int, step: int
) -> int:
    """Orientation to phrase pairs that end at `neighbour`, by masks of their corners towards and away from the row.

    The next neighbour is mirrored, as in `_by_words`. In its forward search for distant phrases Moses skips the last source word.
    """
    target_words, source_words = near_corners.shape
    inside = 0 <= neighbour < target_words
    if (monotone and not swap) or (inside and 0 <= near - step < source_words and near_corners[neighbour, near - step]):
        return MONOTONE
    if (swap and not monotone) or (inside and 0 <= far + step < source_words and far_corners[neighbour, far + step]):
        return SWAP
    if not inside:
        return NOWHERE
    place = near - 2 * step
    while 0 <= place < source_words - (step < 0):
        if near_corners[neighbour, place]:
            return DISCONTINUOUS_RIGHT
        place -= step
    place = far + 2 * step
    while 0 <= place < source_words - (step > 0):
        if far_corners[neighbour, place]:
            return DISCONTINUOUS_LEFT
        place += step
    return NOWHERE


@njit(cache=True, nogil=True)
def orientations_by_phrases(
    rows: Int32s,
    source_offsets: Int64s,
    target_offsets: Int64s,
    links_source: Int32s,
    links_target: Int32s,
    link_offsets: Int64s,
    longest: int,
) -> Int8s:
    """Orientation of each row to the previous and the next phrase, of up to `longest` words; shape (pairs, 2).

    With phrases of any length this is the hierarchical model. For the next phrase, too, Moses searches phrases that end at the
    next target word, so it finds only those of one target word. Assay repeats this, for equal tables.
    """
    result = np.empty((len(rows), 2), np.int8)
    row = 0
    while row < len(rows):
        sentence = rows[row, 0]
        source_words = source_offsets[sentence + 1] - source_offsets[sentence]
        target_words = target_offsets[sentence + 1] - target_offsets[sentence]
        begin, end = link_offsets[sentence], link_offsets[sentence + 1]
        offsets, places = links_by_target(links_source[begin:end], links_target[begin:end], target_words)
        cumulative = cumulative_links(links_source[begin:end], source_words)
        left_corners, right_corners = _lower_corners(offsets, places, cumulative, source_words, target_words, longest)
        while row < len(rows) and rows[row, 0] == sentence:
            first, last, above, below = rows[row, 1], rows[row, 2], rows[row, 3] - 1, rows[row, 4] + 1
            monotone = _joined(offsets, places, first - 1, above, source_words, target_words)
            swap = _joined(offsets, places, last + 1, above, source_words, target_words)
            result[row, 0] = _by_corners(monotone, swap, right_corners, left_corners, first, last, above, 1)
            monotone = _joined(offsets, places, last + 1, below, source_words, target_words)
            swap = _joined(offsets, places, first - 1, below, source_words, target_words)
            result[row, 1] = _by_corners(monotone, swap, left_corners, right_corners, last, first, below, -1)
            row += 1
    return result
