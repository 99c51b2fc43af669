"""Compiled keys and numbers of words and gaps, each kernel in the place of a dozen calls of NumPy."""

import numpy as np
from numba import njit

from app.arrays import Float32s, Float64s, Int32s, Int64s, UInt8s, UInt64s
from app.features.kernels import CAPITAL, LAST_LETTER, SMALL, code_point

__all__ = [
    "explained_probabilities",
    "jump_codes",
    "link_patterns",
    "linked_shares",
    "model_numbers",
    "order_codes",
    "position_numbers",
    "shape_codes",
    "suffix_begins",
    "unexplained_codes",
]

# Largest count of source words between two links.
LARGEST_COUNT = 4
# Number of the first order before the first word of a segment.
NO_ORDER = 7


@njit(cache=True, nogil=True)
def suffix_begins(data: UInt8s, begins: Int64s, ends: Int64s, characters: int) -> Int64s:
    """Byte at which the last `characters` characters of each word of a vocabulary begin; shape (vocabulary,)."""
    out = np.empty(len(begins), np.int64)
    for word in range(len(begins)):
        at, count = ends[word], 0
        while at > begins[word] and count < characters:
            at -= 1
            # Bytes inside a character begin with the bits 10.
            count += data[at] & 0xC0 != 0x80
        out[word] = at
    return out


@njit(cache=True, nogil=True)
def shape_codes(data: UInt8s, begins: Int64s, ends: Int64s, table: UInt8s, attributes: Int64s) -> UInt64s:
    """Capitals, marks, digits and shortness of each word of a vocabulary as one key; shape (vocabulary,)."""
    out = np.empty(len(begins), np.uint64)
    for word in range(len(begins)):
        at, characters, begins_with_capital, capitals, small = begins[word], 0, 0, False, False
        while at < ends[word]:
            code, width = code_point(data, at)
            at += width
            flags = table[code] if code < LAST_LETTER else 0
            if characters == 0:
                begins_with_capital = 1 if flags & CAPITAL else 0
            capitals |= flags & CAPITAL != 0
            small |= flags & SMALL != 0
            characters += 1
        mark = 0
        for k in range(6):
            if attributes[word, 1 + k] and (mark == 0 or attributes[word, 1 + k] > attributes[word, mark]):
                mark = k + 1
        key = begins_with_capital + (1 if capitals and not small else 0) + 4 * mark
        key += 32 * attributes[word, 7] + 64 * attributes[word, 8] + 128 * min(attributes[word, 0], 3) + 16
        out[word] = np.uint64(key)
    return out


@njit(cache=True, nogil=True)
def order_codes(orders: Int64s, offsets: Int64s, of_gaps: bool, at_ends: int) -> UInt64s:
    """Orders of the known n-grams around each word, or around each gap, as one key; shape (tokens,) or (gaps,).

    `orders` (tokens + n,) are those of words and of the end of each segment. The first gap of a segment follows an n-gram of the
    order `at_ends`.
    """
    n = len(offsets) - 1
    out = np.empty(len(orders) if of_gaps else len(orders) - n, np.uint64)
    for i in range(n):
        begin, end = offsets[i] + i, offsets[i + 1] + i
        for at in range(begin, end + 1 if of_gaps else end):
            if of_gaps:
                out[at] = np.uint64(3 + 8 * (orders[at - 1] if at > begin else at_ends) + orders[at])
            else:
                before = orders[at - 1] if at > begin else NO_ORDER
                out[at - i] = np.uint64(3 + 64 * before + 8 * orders[at] + orders[at + 1])
    return out


@njit(cache=True, nogil=True)
def model_numbers(log_prob: Float64s, sentence_log_prob: Float64s, offsets: Int64s) -> Float64s:
    """Log-probability of each word, of the following word or end, and per word of its segment; shape (3, tokens)."""
    out = np.empty((3, offsets[-1]))
    for i in range(len(offsets) - 1):
        mean = sentence_log_prob[i] / (offsets[i + 1] - offsets[i] + 1)
        for t in range(offsets[i], offsets[i + 1]):
            out[0, t] = log_prob[t + i]
            out[1, t] = log_prob[t + i + 1]
            out[2, t] = mean
    return out


@njit(cache=True, nogil=True)
def position_numbers(offsets: Int64s, source_offsets: Int64s) -> Float64s:
    """Place of each word in its segment, from 0 to 1, and tokens of the translation per source token; shape (2, tokens)."""
    out = np.zeros((2, offsets[-1]))
    for i in range(len(offsets) - 1):
        length, source_length = offsets[i + 1] - offsets[i], source_offsets[i + 1] - source_offsets[i]
        for t in range(offsets[i], offsets[i + 1]):
            out[0, t] = (t - offsets[i]) / length
            out[1, t] = length / source_length if source_length else 0.0
    return out


@njit(cache=True, nogil=True)
def link_patterns(place: Int32s, offsets: Int64s) -> UInt64s:
    """Links of the words before, at and after each word, and their direction, as one key; shape (tokens,)."""
    out = np.empty(len(place), np.uint64)
    for i in range(len(offsets) - 1):
        begin, end = offsets[i], offsets[i + 1]
        for t in range(begin, end):
            link = 11 if place[t] >= 0 else 10
            before = 1 if t == begin else 11 if place[t - 1] >= 0 else 10
            after = 1 if t + 1 == end else 11 if place[t + 1] >= 0 else 10
            # The first word follows no word.
            step = np.int64(place[t]) - np.int64(place[t - 1]) - 1 if t > begin else -1
            forward = 2 if step > 0 else 1 if step == 0 else 0
            out[t] = np.uint64(900 * before + 30 * link + after + 100_000 * forward)
    return out


@njit(cache=True, nogil=True)
def explained_probabilities(
    offsets: Int64s, source_place: Int32s, source_probability: Float32s, source_offsets: Int64s
) -> Float64s:
    """Sum of the probabilities of the source words that each word explains best; shape (tokens,)."""
    out = np.zeros(offsets[-1])
    for i in range(len(offsets) - 1):
        for t in range(source_offsets[i], source_offsets[i + 1]):
            if source_place[t] >= 0:
                out[offsets[i] + source_place[t]] += source_probability[t]
    return out


@njit(cache=True, nogil=True)
def linked_shares(place: Int32s, offsets: Int64s) -> Float64s:
    """Share of words with a link of the segment of each word; shape (tokens,)."""
    out = np.empty(len(place))
    for i in range(len(offsets) - 1):
        count = 0
        for t in range(offsets[i], offsets[i + 1]):
            count += place[t] >= 0
        for t in range(offsets[i], offsets[i + 1]):
            out[t] = count / (offsets[i + 1] - offsets[i])
    return out


@njit(cache=True, nogil=True)
def jump_codes(place: Int32s, offsets: Int64s) -> UInt64s:
    """Order of the source places of the linked words on both sides of each gap, and the number of words between; shape (gaps,)."""
    out = np.empty(offsets[-1] + len(offsets) - 1, np.uint64)
    at = 0
    for i in range(len(offsets) - 1):
        for t in range(offsets[i], offsets[i + 1] + 1):
            left = np.int64(place[t - 1]) if t > offsets[i] else -2
            right = np.int64(place[t]) if t < offsets[i + 1] else -2
            if left >= 0 and right >= 0:
                out[at] = np.uint64(min(max(right - left, -LARGEST_COUNT), LARGEST_COUNT) + LARGEST_COUNT + 20)
            else:
                # Sides with a link, without a link, and edges.
                out[at] = np.uint64(3 * min(left + 2, 2) + min(right + 2, 2))
            at += 1
    return out


@njit(cache=True, nogil=True)
def unexplained_codes(place: Int32s, offsets: Int64s, source_place: Int32s, source_offsets: Int64s) -> UInt64s:
    """Source words without a link behind the left word's source word and before the right word's, as one key; shape (gaps,)."""
    out = np.empty(offsets[-1] + len(offsets) - 1, np.uint64)
    at = 0
    for i in range(len(offsets) - 1):
        begin, end = source_offsets[i], source_offsets[i + 1]
        for t in range(offsets[i], offsets[i + 1] + 1):
            key = 30
            after = begin + place[t - 1] + 1 if t > offsets[i] and place[t - 1] >= 0 else end
            if after < end and source_place[after] < 0:
                key += 2
            before = begin + place[t] - 1 if t < offsets[i + 1] and place[t] >= 0 else begin - 1
            if before >= begin and source_place[before] < 0:
                key += 1
            out[at] = np.uint64(key)
            at += 1
    return out
