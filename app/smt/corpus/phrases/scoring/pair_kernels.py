"""Sorted extracted pairs, gathered: each pair of phrases once, with its counts, links and lexical weights."""

import numpy as np
from numba import njit

from app.arrays import Bools, Float32s, Float64s, Int16s, Int64s, UInt8s, UInt64s
from app.smt.corpus.phrases.lexical_kernels import lexical_weight, word_hash
from app.smt.corpus.phrases.scoring.joining_kernels import next_bars, second_bars
from app.smt.corpus.phrases.scoring.link_kernels import LONGEST_PHRASE, comes_after, count_unaligned, find_links

__all__ = [
    "BAD_LINKS",
    "EVENTS",
    "GATHERED",
    "LEAST_WEIGHT",
    "MOST_WEIGHT",
    "NO_COLUMNS",
    "first_of_pairs",
    "gather_pairs",
    "record_weights",
    "repeated_records",
]

GATHERED, NO_COLUMNS, BAD_LINKS = 0, 1, 2
BLANK, NUMBER = 32, 35
# mono, swap, dleft, dright, other.
EVENTS = 5
# Of a record: sums of weights stay numbers of 32 bits, however many pairs there are, and none is 0.
LEAST_WEIGHT, MOST_WEIGHT = 1e-30, 1e15


@njit(cache=True, nogil=True)
def record_weights(text: UInt8s, begins: Int64s, ends: Int64s, trailer: int) -> Float64s:
    """The weight of each record, its fourth column, and 1 where there is none; not a number where that is none.

    Where the column is the number of a sentence pair, as ``#45``, this is less than 0, -45, as no weight is. The last `trailer`
    bytes of a record are a tab and its orientations.
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
        point = exponent = minus = numbered = ended = False
        for place in range(third + 4, end):
            byte = text[place]
            if byte <= BLANK:
                ended |= numbered or digits > 0
            elif ended:
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
def _same(text: UInt8s, begin: int, end: int, other: int, other_end: int) -> bool:
    if end - begin != other_end - other:
        return False
    same = True
    for place in range(end - begin):
        if text[begin + place] != text[other + place]:
            same = False
            break
    return same


@njit(cache=True, nogil=True)
def first_of_pairs(text: UInt8s, begins: Int64s, ends: Int64s, trailer: int) -> Bools:
    """Of sorted records, which are the first of their pair of phrases; true for all that are no pairs."""
    first = np.ones(len(begins), np.bool_)
    for record in range(1, len(begins)):
        bars = second_bars(text, begins[record], ends[record] - trailer)
        if bars < ends[record] - trailer:
            size = bars + 3 - begins[record]
            other = begins[record - 1]
            first[record] = not _same(text, begins[record], bars + 3, other, min(other + size, ends[record - 1]))
    return first


@njit(cache=True, nogil=True)
def repeated_records(text: UInt8s, begins: Int64s, ends: Int64s, weights: Float64s, first: int) -> tuple[Int64s, Float64s]:
    """Records from `first` on, equal ones once: their numbers, and their weights added up."""
    kept, totals = np.empty(len(begins) - first, np.int64), np.empty(len(begins) - first)
    count = 0
    for record in range(first, len(begins)):
        if count and _same(text, begins[record], ends[record], begins[kept[count - 1]], ends[kept[count - 1]]):
            totals[count - 1] += weights[record]
        else:
            kept[count], totals[count] = record, weights[record]
            count += 1
    return kept[:count], totals[:count]


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
    """Pairs of phrases of sorted records, the last one only with `last`, since more of it may come.

    Gives for each pair its places (begin, end of the source, begin and end of the target, begin and end of its links); its weight
    and lexical weights p(s|t) and p(t|s); hashes of source and target; whether its source is another than that of the pair before
    (true for the first); its orientations, shape (pairs, models, 2, EVENTS); how many words of source and target have no link, and
    how many of those are function words (whose hashes ascend); then the first record that was left, and a fault with its record.
    Links, lexical weights and words without links are those of the links that were extracted most often; of several as frequent
    ones, of those that come last when the sets of words linked to each word are compared, from the side that is translated into.
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
        while after < room and _same(text, begin, bars + 3, begins[after], min(begins[after] + bars + 3 - begin, ends[after])):
            after += 1
        if after == room and not last:
            break
        source_words, target_words = _words(text, begin, first_bars, sources), _words(text, first_bars + 3, bars, targets)
        # Phrases that are longer than any that is extracted have no room.
        if source_words > LONGEST_PHRASE or target_words > LONGEST_PHRASE:
            return places, numbers, hashes, new, events, free, record, NO_COLUMNS, record
        most = source_words * target_words + source_words + target_words
        if most > len(links):
            links, best = np.empty(2 * most, np.int64), np.empty(2 * most, np.int64)
            back, best_back = np.empty(2 * most, np.int64), np.empty(2 * most, np.int64)
        highest, total = 0.0, 0.0
        best_size = best_back_size = 0
        same = record
        while same < after:
            links_begin = begins[same] + bars + 3 - begin
            links_end = next_bars(text, links_begin, ends[same] - trailer)
            while links_begin < links_end and text[links_begin] <= BLANK:
                links_begin += 1
            while links_end > links_begin and text[links_end - 1] <= BLANK:
                links_end -= 1
            weight = 0.0
            size = links_end - links_begin
            following = same
            while following < after:
                other = begins[following] + links_begin - begins[same]
                other_end = ends[following] - trailer
                if not _same(text, links_begin, links_end, other, min(other + size, other_end)):
                    break
                # A link more is another set of links.
                if other + size + 1 < other_end and text[other + size] == BLANK and 48 <= text[other + size + 1] <= 57:
                    break
                if other + size < other_end and text[other + size] > BLANK:
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
                    return places, numbers, hashes, new, events, free, record, BAD_LINKS, same
                if weight > highest or comes_after(links, size, best, best_size):
                    best[:size] = links[:size]
                    best_size = size
                    places[count, 4], places[count, 5] = links_begin, links_end
                if weight > highest or comes_after(back, back_size, best_back, best_back_size):
                    best_back[:back_size] = back[:back_size]
                    best_back_size = back_size
                highest = weight
            same = following
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
        new[count] = count == 0 or not _same(text, begin, places[count, 1], places[count - 1, 0], places[count - 1, 1])
        count += 1
        record = after
    return places[:count], numbers[:count], hashes[:count], new[:count], events[:count], free[:count], record, GATHERED, 0
