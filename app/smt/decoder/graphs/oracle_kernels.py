"""The way through a search's hypotheses whose words have the best add-one BLEU.

What a way's words come to depends on their number, which n-grams of the references they have used up, and the longest n-gram of a
reference that they end with: ways to a hypothesis that agree in these are one state. States of a hypothesis are all kept, or where
they are too many the most promising.
"""

import numpy as np
from numba import njit

from app.arrays import Float64s, Int32s, Int64s, UInt8s
from app.smt.decoder.stack_kernels import ARCS, OPTION, PREVIOUS

__all__ = ["best_way"]

ORDER = 4
# Columns of a state: words, the n-gram that it ends with, a number of what is used up, matches, the state before it, the option.
WORDS, CONTEXT, USED, MATCHES, BEFORE, BY = 0, 1, 2, 3, 7, 8
WIDTH = 9


@njit(cache=True, nogil=True)
def _leading(hypotheses: Int64s, arcs: Int64s, items: Int64s, counts: Int64s, length: int) -> Int64s:
    """Which hypotheses lead to the end."""
    leads = np.zeros(len(hypotheses), np.int64)
    for h in items[length, : counts[3 + length]]:
        leads[h] = 1
    for k in range(length, 0, -1):
        for h in items[k, : counts[3 + k]]:
            if leads[h]:
                leads[hypotheses[h, PREVIOUS]] = 1
                arc = hypotheses[h, ARCS]
                while arc >= 0:
                    leads[arcs[arc, 0]] = 1
                    arc = arcs[arc, 2]
    return leads


@njit(cache=True, inline="always")
def _worth(state: Int64s, reference: float) -> float:
    """Add-one BLEU of a state's words, beside a reference of so many words."""
    if state[WORDS] == 0:
        return 0.0
    mean = 0.0
    for n in range(ORDER):
        mean += np.log((state[MATCHES + n] + 1.0) / (max(state[WORDS] - n, 0) + 1.0))
    ratio = reference / state[WORDS]
    return np.exp(mean / ORDER + min(0.0, 1.0 - ratio))


@njit(cache=True, inline="always")
def _closest(lengths: Int64s, words: int) -> float:
    best = lengths[0]
    for length in lengths:
        if abs(length - words) < abs(best - words) or (abs(length - words) == abs(best - words) and length < best):
            best = length
    return float(best)


@njit(cache=True, nogil=True)
def _say(state: Int64s, used: UInt8s, words: Int32s, grams: Int64s, most: Int64s, marks: Int64s, base: int) -> None:
    """Add words to a state in place; those of no reference are 0."""
    for word in words:
        state[WORDS] += 1
        context, code, power = state[CONTEXT], np.int64(word), np.int64(1)
        state[CONTEXT] = 0
        if word == 0:
            continue
        for n in range(ORDER):
            at = np.searchsorted(grams, code)
            if at == len(grams) or grams[at] != code:
                break
            if used[at] < most[at]:
                used[at] += 1
                state[MATCHES + n] += 1
                state[USED] += marks[at]
            if n < ORDER - 1:
                state[CONTEXT] = code
            if context == 0:
                break
            power *= base
            code += power * (context % base)
            context //= base


@njit(cache=True, nogil=True)
def best_way(
    hypotheses: Int64s, scores: Float64s, arcs: Int64s, arc_scores: Float64s, items: Int64s, counts: Int64s, length: int,
    offsets: Int64s, words: Int32s, grams: Int64s, most: Int64s, marks: Int64s, base: int, lengths: Int64s, width: int,
) -> tuple[Int64s, float, float, bool]:  # fmt: skip
    """The options of the best way, last first, its BLEU, its model score, and whether none can be better: no state was left out.

    `words` of options are numbered from 1 to less than `base` as the references have them, 0 for others. `grams` are the
    references' n-grams as numbers to that base, last words first, in order; `most` how often they count, `marks` random numbers
    of them. Of equal ways that with the best model score is taken. A hypothesis keeps `width` states.
    """
    leads = _leading(hypotheses, arcs, items, counts, length)
    begins, ends = np.zeros(len(hypotheses), np.int64), np.zeros(len(hypotheses), np.int64)
    states, used = np.zeros((256, WIDTH), np.int64), np.zeros((256, len(grams)), np.uint8)
    models = np.zeros(256)
    count = 1
    exact = True
    root = items[0, 0]
    ends[root] = 1
    slots = np.full(1024, -1, np.int64)
    for k in range(1, length + 1):
        for h in items[k, : counts[3 + k]]:
            if not leads[h]:
                continue
            begin = count
            slots[:] = -1
            previous, option, arc = hypotheses[h, PREVIOUS], hypotheses[h, OPTION], hypotheses[h, ARCS]
            score = scores[h, 0]
            while True:
                added = score - scores[previous, 0]
                for s in range(begins[previous], ends[previous]):
                    if count + 1 >= len(states):
                        states = np.concatenate((states, np.zeros_like(states)))
                        used = np.concatenate((used, np.zeros_like(used)))
                        models = np.concatenate((models, np.zeros_like(models)))
                    states[count], used[count] = states[s], used[s]
                    states[count, BEFORE], states[count, BY] = s, option
                    models[count] = models[s] + added
                    _say(states[count], used[count], words[offsets[option] : offsets[option + 1]], grams, most, marks, base)
                    if 2 * (count - begin + 1) > len(slots):
                        slots = np.full(2 * len(slots), -1, np.int64)
                        for other in range(begin, count):
                            slots[_place(states, other, slots)] = other
                    at = _place(states, count, slots)
                    other = slots[at]
                    if other < 0:
                        slots[at] = count
                        count += 1
                    elif models[count] > models[other]:
                        # What they can come to is the same; how they came there is not.
                        states[other, BEFORE], states[other, BY] = s, option
                        models[other] = models[count]
                if arc < 0:
                    break
                previous, option, score, arc = arcs[arc, 0], arcs[arc, 1], arc_scores[arc], arcs[arc, 2]
            if count - begin > width:
                exact = exact and k == length
                worth = np.empty(count - begin)
                for s in range(begin, count):
                    reference = _closest(lengths, states[s, WORDS] * length // k) * k / length
                    worth[s - begin] = _worth(states[s], reference)
                order = begin + np.sort(_best_of(worth, models[begin:count], width))
                states[begin : begin + width], used[begin : begin + width] = states[order], used[order]
                models[begin : begin + width] = models[order]
                count = begin + width
            begins[h], ends[h] = begin, count
    best, best_worth = -1, -1.0
    for h in items[length, : counts[3 + length]]:
        for s in range(begins[h], ends[h]):
            worth_of = _worth(states[s], _closest(lengths, states[s, WORDS]))
            if best < 0 or worth_of > best_worth + 1e-12 or (worth_of > best_worth - 1e-12 and models[s] > models[best]):
                best, best_worth = s, max(worth_of, best_worth)
    way = np.empty(length, np.int64)
    taken = 0
    state = best
    while state > 0:
        way[taken] = states[state, BY]
        taken += 1
        state = states[state, BEFORE]
    return way[:taken], best_worth, models[best] if best >= 0 else 0.0, exact


@njit(cache=True, nogil=True)
def _best_of(worth: Float64s, models: Float64s, width: int) -> Int64s:
    """The places of the best, of equal ones those with the best model scores."""
    order = np.argsort(-models, kind="mergesort")
    return order[np.argsort(-worth[order], kind="mergesort")][:width]


@njit(cache=True, nogil=True)
def _place(states: Int64s, s: int, slots: Int64s) -> int:
    """The slot of a state that is as this one, or the free one for it."""
    mixed = (states[s, USED] * np.int64(-7046029254386353131) ^ states[s, CONTEXT]) * np.int64(-7046029254386353131) ^ states[
        s, WORDS
    ]
    mixed = (mixed ^ ((mixed >> 29) & np.int64(0x7FFFFFFFF))) * np.int64(-7046029254386353131)
    at = (mixed ^ ((mixed >> 29) & np.int64(0x7FFFFFFFF))) & (len(slots) - 1)
    while slots[at] >= 0:
        other = slots[at]
        if (
            states[other, USED] == states[s, USED]
            and states[other, CONTEXT] == states[s, CONTEXT]
            and states[other, WORDS] == states[s, WORDS]
        ):
            break
        at = (at + 1) & (len(slots) - 1)
    return at
