"""The most probable pieces of a text, as SentencePiece's unigram model finds them; compiled."""

import numpy as np
from numba import njit

from app.arrays import Float32s, Int32s, Int64s, UInt32s

__all__ = ["MARK", "best_pieces", "normalised", "table_of_pieces"]

SPACE = np.uint32(0x20)
MARK = np.uint32(0x2581)


@njit(cache=True, inline="always")
def _mixed(state: np.uint64, code: np.uint32) -> np.uint64:
    return (state ^ np.uint64(code)) * np.uint64(1099511628211)


@njit(cache=True, inline="always")
def _slot(state: np.uint64, size: int) -> np.int64:
    return np.int64((state ^ (state >> np.uint64(29))) & np.uint64(size - 1))


@njit(cache=True)
def table_of_pieces(codes: UInt32s, offsets: Int64s) -> Int32s:
    """An open table of pieces by a hash of their code points: the number of a piece and one, 0 where a slot is free."""
    size = 2
    while size < 2 * offsets.shape[0]:
        size *= 2
    table = np.zeros(size, np.int32)
    for piece in range(offsets.shape[0] - 1):
        state = np.uint64(1469598103934665603)
        for place in range(offsets[piece], offsets[piece + 1]):
            state = _mixed(state, codes[place])
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
            same = True
            for place in range(end - first):
                if codes[offsets[piece] + place] != text[first + place]:
                    same = False
                    break
            if same:
                return piece
        slot = (slot + 1) & (size - 1)
    return -1


@njit(cache=True, nogil=True)
def normalised(
    text: UInt32s, characters: UInt32s, becomes: UInt32s, becomes_offsets: Int64s, most: int
) -> tuple[UInt32s, Int64s, bool]:
    """A text (code points) as the vocabulary has it, at most `most` code points, and which character each comes from.

    Characters become others by the table, spaces in a row one, spaces the mark U+2581, and a mark is put before the text.
    """
    out = np.empty(most, np.uint32)
    origins = np.empty(most, np.int64)
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
        mapped = low < characters.shape[0] and characters[low] == code
        copies = becomes_offsets[low + 1] - becomes_offsets[low] if mapped else 1
        for copy in range(copies):
            one = becomes[becomes_offsets[low] + copy] if mapped else code
            space = one == SPACE
            if space and last_space:
                continue
            if count == 0 and not space:
                out[0] = MARK
                origins[0] = place
                count = 1
            if count == most:
                return out, origins, True
            out[count] = MARK if space else one
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
    """Numbers of the pieces of the most probable segmentation of a text (code points), and where each begins.

    Sums of 32-bit log-probabilities; of equal ones the first that is found, from short beginnings to long ones.
    """
    count = text.shape[0]
    best = np.full(count + 1, np.float32(-1e30), np.float32)
    pieces = np.empty(count + 1, np.int32)
    froms = np.empty(count + 1, np.int32)
    best[0] = np.float32(0.0)
    for first in range(count):
        state = np.uint64(1469598103934665603)
        for end in range(first + 1, min(count, first + longest) + 1):
            state = _mixed(state, text[end - 1])
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
