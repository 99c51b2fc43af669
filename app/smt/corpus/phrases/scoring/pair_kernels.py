"""Gathering of sorted extracted pairs: counts, links and lexical weights of each phrase pair."""

import numpy as np
from numba import njit

from app.arrays import Bools, Float32s, Float64s, Int16s, Int64s, UInt8s, UInt64s
from app.smt.corpus.phrases.lexical_kernels import lexical_weight, word_hash
from app.smt.corpus.phrases.scoring.joining_kernels import next_bars, second_bars
from app.smt.corpus.phrases.scoring.link_kernels import LONGEST_PHRASE, count_unaligned, find_links, ranks_above

__all__ = [
    "BAD_LINKS",
    "EVENTS",
    "LEAST_WEIGHT",
    "MOST_WEIGHT",
    "NO_COLUMNS",
    "NO_FAULT",
    "first_of_pairs",
    "gather_pairs",
    "record_weights",
    "repeated_records",
]

NO_FAULT, NO_COLUMNS, BAD_LINKS = 0, 1, 2
BLANK, NUMBER, BAR = 32, 35, 124
# mono, swap, dleft, dright, other.
EVENTS = 5
# Limits of the weight of a record: sums of any corpus fit 32-bit floats, and none is 0.
LEAST_WEIGHT, MOST_WEIGHT = 1e-30, 1e15


@njit(cache=True, nogil=True)
def record_weights(text: UInt8s, begins: Int64s, ends: Int64s, trailer: int) -> Float64s:
    """Weight of each record, its fourth column, shape (records,); 1 without this column, NaN for a malformed one.

    The number of a sentence pair, ``#45``, becomes -45. The last `trailer` bytes of a record are a tab and its orientations.
    """
    weights = np.ones(len(begins))
    for record in range(len(begins)):
        end = ends[record] - trailer
        bars = second_bars(text, begins[record], end)
        third = next_bars(text, min(bars + 3, end), end)
        if third >= end - 3:
            continue
        value, scale, power = 0.0, 0, 0
        digits = 0
        point = exponent = minus = numbered = complete = False
        for place in range(third + 4, end):
            byte = text[place]
            if byte <= BLANK:
                complete |= numbered or digits > 0
            elif complete:
                # A second word.
                digits = 0
                break
            elif byte == NUMBER and not numbered and not digits and not point:
                numbered = True
            elif 48 <= byte <= 57:
                if exponent:
                    power = power * 10 + byte - 48
                else:
                    value = value * 10 + byte - 48
                    scale += point
                    digits += 1
            elif byte == 46 and not point and not exponent:
                point = True
            elif (byte == 101 or byte == 69) and not exponent and digits:
                exponent = True
            elif byte == 45 and exponent and power == 0:
                minus = True
            elif byte == 43 and exponent and power == 0:
                continue
            else:
                digits = 0
                break
        if numbered:
            weights[record] = -value if digits and value > 0 and not point and not exponent else np.nan
            continue
        power = (-power if minus else power) - scale
        weights[record] = (value / 10.0**-power if power < 0 else value * 10.0**power) if digits and abs(power) < 300 else np.nan
    return weights


@njit(cache=True, nogil=True)
def _equal(text: UInt8s, begin: int, end: int, second_begin: int, second_end: int) -> bool:
    if end - begin != second_end - second_begin:
        return False
    equal = True
    for place in range(end - begin):
        if text[begin + place] != text[second_begin + place]:
            equal = False
            break
    return equal


@njit(cache=True, nogil=True)
def first_of_pairs(text: UInt8s, begins: Int64s, ends: Int64s, trailer: int) -> Bools:
    """Mask of the first record of each phrase pair, for sorted records; True also for malformed records."""
    first = np.ones(len(begins), np.bool_)
    for record in range(1, len(begins)):
        bars = second_bars(text, begins[record], ends[record] - trailer)
        if bars < ends[record] - trailer:
            size = bars + 3 - begins[record]
            previous = begins[record - 1]
            first[record] = not _equal(text, begins[record], bars + 3, previous, min(previous + size, ends[record - 1]))
    return first


@njit(cache=True, nogil=True)
def repeated_records(text: UInt8s, begins: Int64s, ends: Int64s, weights: Float64s, first: int) -> tuple[Int64s, Float64s]:
    """Distinct records from `first` on: their indices, and sums of their weights."""
    records, totals = np.empty(len(begins) - first, np.int64), np.empty(len(begins) - first)
    count = 0
    for record in range(first, len(begins)):
        if count and _equal(text, begins[record], ends[record], begins[records[count - 1]], ends[records[count - 1]]):
            totals[count - 1] += weights[record]
        else:
            records[count], totals[count] = record, weights[record]
            count += 1
    return records[:count], totals[:count]


@njit(cache=True, nogil=True)
def _words(text: UInt8s, begin: int, end: int, hashes: UInt64s) -> int:
    count = 0
    at = begin
    while at < end:
        if text[at] <= BLANK:
            at += 1
            continue
        word = at
        while at < end and text[at] > BLANK:
            at += 1
        if count < len(hashes):
            hashes[count] = word_hash(text, word, at)
        count += 1
    return count


@njit(cache=True, nogil=True)
def gather_pairs(
    text: UInt8s, begins: Int64s, ends: Int64s, weights: Float64s, trailer: int, last: bool,
    null: np.uint64, forward_slots: UInt64s, forward_numbers: Float64s, backward_slots: UInt64s, backward_numbers: Float64s,
    source_function: UInt64s, target_function: UInt64s,
) -> tuple[Int64s, Float64s, UInt64s, Bools, Float32s, Int16s, int, int, int]:  # fmt: skip
    """Phrase pairs of sorted records; the last pair only with `last`, since the next block may have more records of it.

    The arrays of the result have a row for each pair:

    - places (pairs, 6): begin and end of source, target and links in the text
    - numbers (pairs, 3): weight, lexical weights p(s|t) and p(t|s)
    - hashes (pairs, 2): of source and target
    - new (pairs,): True if the source differs from that of the previous pair, and for the first pair
    - events (pairs, models, 2, EVENTS): orientations
    - free (pairs, 4): unlinked words of source and target, then unlinked function words (sorted hashes) of both

    Then follow the first record without a result, a fault, and its record. Links are those of highest weight; among ties, those
    with the last sets of linked words for each word of the side that the score generates. Lexical weights and unlinked words belong
    to these links.
    """
    models = max(trailer - 1, 0) // 2
    room = len(begins)
    places, numbers = np.empty((room, 6), np.int64), np.empty((room, 3))
    hashes, new = np.empty((room, 2), np.uint64), np.empty(room, np.bool_)
    events = np.zeros((room, models, 2, EVENTS), np.float32)
    free = np.zeros((room, 4), np.int16)
    sources, targets = np.empty(LONGEST_PHRASE, np.uint64), np.empty(LONGEST_PHRASE, np.uint64)
    links, best = np.empty(1 << 12, np.int64), np.empty(1 << 12, np.int64)
    back, best_back = np.empty(1 << 12, np.int64), np.empty(1 << 12, np.int64)
    count = record = 0
    while record < room:
        begin, end = begins[record], ends[record] - trailer
        first_bars = next_bars(text, begin + 1, end)
        bars = second_bars(text, begin, end)
        if bars == end:
            return places, numbers, hashes, new, events, free, record, NO_COLUMNS, record
        after = record + 1
        while after < room and _equal(text, begin, bars + 3, begins[after], min(begins[after] + bars + 3 - begin, ends[after])):
            after += 1
        if after == room and not last:
            break
        source_words, target_words = _words(text, begin, first_bars, sources), _words(text, first_bars + 3, bars, targets)
        # The arrays have no room for phrases above the limit of extraction.
        if source_words > LONGEST_PHRASE or target_words > LONGEST_PHRASE:
            return places, numbers, hashes, new, events, free, record, NO_COLUMNS, record
        limit = source_words * target_words + source_words + target_words
        if limit > len(links):
            links, best = np.empty(2 * limit, np.int64), np.empty(2 * limit, np.int64)
            back, best_back = np.empty(2 * limit, np.int64), np.empty(2 * limit, np.int64)
        highest, total = 0.0, 0.0
        best_size = best_back_size = 0
        group_record = record
        while group_record < after:
            links_begin = begins[group_record] + bars + 3 - begin
            links_end = next_bars(text, links_begin, ends[group_record] - trailer)
            while links_begin < links_end and text[links_begin] <= BLANK:
                links_begin += 1
            while links_end > links_begin and text[links_end - 1] <= BLANK:
                links_end -= 1
            weight = 0.0
            size = links_end - links_begin
            following = group_record
            while following < after:
                second_begin = begins[following] + links_begin - begins[group_record]
                second_end = ends[following] - trailer
                if not _equal(text, links_begin, links_end, second_begin, min(second_begin + size, second_end)):
                    break
                # A further link makes another set of links.
                if (
                    second_begin + size + 1 < second_end
                    and text[second_begin + size] == BLANK
                    and 48 <= text[second_begin + size + 1] <= 57
                ):
                    break
                # Without links, bars of the next column follow at once.
                if second_begin + size < second_end and text[second_begin + size] > BLANK and (size or text[second_begin] != BAR):
                    break
                weight += weights[following]
                for model in range(models):
                    for side in range(2):
                        code = text[ends[following] - trailer + 1 + 2 * model + side]
                        event = 0 if code == 109 else 1 if code == 115 else 2 if code == 108 else 3 if code == 114 else 4
                        events[count, model, side, event] += weights[following]
                following += 1
            total += weight
            if weight >= highest:
                size = find_links(text, links_begin, links_end, source_words, target_words, False, links)
                back_size = find_links(text, links_begin, links_end, source_words, target_words, True, back)
                if size < 0:
                    return places, numbers, hashes, new, events, free, record, BAD_LINKS, group_record
                if weight > highest or ranks_above(links, size, best, best_size):
                    best[:size] = links[:size]
                    best_size = size
                    places[count, 4], places[count, 5] = links_begin, links_end
                if weight > highest or ranks_above(back, back_size, best_back, best_back_size):
                    best_back[:back_size] = back[:back_size]
                    best_back_size = back_size
                highest = weight
            group_record = following
        places[count, 0], places[count, 1] = begin, first_bars - 1
        places[count, 2], places[count, 3] = first_bars + 4, bars - 1
        numbers[count, 0] = total
        numbers[count, 1] = lexical_weight(
            sources[:source_words], targets[:target_words], null, best_back, backward_slots, backward_numbers
        )
        numbers[count, 2] = lexical_weight(
            targets[:target_words], sources[:source_words], null, best, forward_slots, forward_numbers
        )
        free[count, 0], free[count, 2] = count_unaligned(sources[:source_words], best_back, source_function)
        free[count, 1], free[count, 3] = count_unaligned(targets[:target_words], best, target_function)
        hashes[count, 0] = word_hash(text, begin, first_bars)
        hashes[count, 1] = word_hash(text, first_bars + 3, bars)
        new[count] = count == 0 or not _equal(text, begin, places[count, 1], places[count - 1, 0], places[count - 1, 1])
        count += 1
        record = after
    return places[:count], numbers[:count], hashes[:count], new[:count], events[:count], free[:count], record, NO_FAULT, 0
