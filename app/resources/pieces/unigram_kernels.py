"""Compiled search for the most probable pieces of a text, as in SentencePiece's unigram model."""

import numpy as np
from numba import njit

from app.arrays import Float32s, Int32s, Int64s, UInt32s

__all__ = ["MARK", "best_pieces", "normalised", "table_of_pieces"]

SPACE = np.uint32(0x20)
MARK = np.uint32(0x2581)


@njit(cache=True, inline="always")
def _mix(state: np.uint64, code: np.uint32) -> np.uint64:
    return (state ^ np.uint64(code)) * np.uint64(1099511628211)


@njit(cache=True, inline="always")
def _slot(state: np.uint64, size: int) -> np.int64:
    return np.int64((state ^ (state >> np.uint64(29))) & np.uint64(size - 1))


@njit(cache=True)
def table_of_pieces(codes: UInt32s, offsets: Int64s, pieces: Int64s) -> Int32s:
    """Open-addressed table of `pieces` by a hash of their code points: number of the piece plus 1, 0 for a free slot."""
    size = 2
    while size < 2 * offsets.shape[0]:
        size *= 2
    table = np.zeros(size, np.int32)
    for piece in pieces:
        state = np.uint64(1469598103934665603)
        for place in range(offsets[piece], offsets[piece + 1]):
            state = _mix(state, codes[place])
        slot = _slot(state, size)
        while table[slot]:
            slot = (slot + 1) & (size - 1)
        table[slot] = piece + 1
    return table


@njit(cache=True)
def _find(table: Int32s, state: np.uint64, codes: UInt32s, offsets: Int64s, text: UInt32s, first: int, end: int) -> int:
    size = table.shape[0]
    slot = _slot(state, size)
    while table[slot]:
        piece = table[slot] - 1
        if offsets[piece + 1] - offsets[piece] == end - first:
            is_equal = True
            for place in range(end - first):
                if codes[offsets[piece] + place] != text[first + place]:
                    is_equal = False
                    break
            if is_equal:
                return piece
        slot = (slot + 1) & (size - 1)
    return -1


@njit(cache=True, nogil=True)
def normalised(
    text: UInt32s, characters: UInt32s, replacements: UInt32s, replacement_offsets: Int64s, limit: int
) -> tuple[UInt32s, Int64s, bool]:
    """Normalised code points of a text, the index of the character of each, and True if the result was cut at `limit`.

    The table replaces characters, runs of spaces become the mark U+2581, and a mark is put before the text.
    """
    out = np.empty(limit, np.uint32)
    origins = np.empty(limit, np.int64)
    count = 0
    last_space = False
    for place in range(text.shape[0]):
        code = text[place]
        low, high = 0, characters.shape[0]
        while low < high:
            middle = (low + high) >> 1
            if characters[middle] < code:
                low = middle + 1
            else:
                high = middle
        is_mapped = low < characters.shape[0] and characters[low] == code
        copies = replacement_offsets[low + 1] - replacement_offsets[low] if is_mapped else 1
        for copy in range(copies):
            replacement = replacements[replacement_offsets[low] + copy] if is_mapped else code
            space = replacement == SPACE
            if space and last_space:
                continue
            if count == 0 and not space:
                out[0] = MARK
                origins[0] = place
                count = 1
            if count == limit:
                return out, origins, True
            out[count] = MARK if space else replacement
            origins[count] = place
            last_space = space
            count += 1
    if count == 0:
        out[0] = MARK
        origins[0] = 0
        count = 1
    return out[:count], origins[:count], False


@njit(cache=True, nogil=True)
def best_pieces(
    text: UInt32s,
    table: Int32s,
    codes: UInt32s,
    offsets: Int64s,
    scores: Float32s,
    longest: int,
    unknown: int,
    unknown_score: np.float32,
) -> tuple[Int32s, Int64s]:
    """Numbers of the pieces in the most probable segmentation of a text (code points), and their offsets; (pieces,) each.

    Scores are sums of 32-bit log-probabilities. Of equal sums, the first wins, from short prefixes to long ones.
    """
    count = text.shape[0]
    best = np.full(count + 1, np.float32(-1e30), np.float32)
    pieces = np.empty(count + 1, np.int32)
    froms = np.empty(count + 1, np.int32)
    best[0] = np.float32(0.0)
    for first in range(count):
        state = np.uint64(1469598103934665603)
        for end in range(first + 1, min(count, first + longest) + 1):
            state = _mix(state, text[end - 1])
            piece = _find(table, state, codes, offsets, text, first, end)
            if piece >= 0 and piece != unknown:
                total = best[first] + scores[piece]
                if total > best[end]:
                    best[end] = total
                    pieces[end] = piece
                    froms[end] = first
        total = best[first] + unknown_score
        if total > best[first + 1]:
            best[first + 1] = total
            pieces[first + 1] = unknown
            froms[first + 1] = first
    length = 0
    place = count
    while place > 0:
        place = froms[place]
        length += 1
    ids = np.empty(length, np.int32)
    starts = np.empty(length, np.int64)
    place = count
    for number in range(length - 1, -1, -1):
        ids[number] = pieces[place]
        place = froms[place]
        starts[number] = place
    return ids, starts
