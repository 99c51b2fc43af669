"""The way through a search's hypotheses whose words have the best add-one BLEU.

Three things determine the later gains of a way: its number of words, its used n-grams of references, and the longest reference
n-gram at its end. Ways to a hypothesis that agree in these are one state. A hypothesis keeps all its states, or the most promising
ones if they are too many.
"""

import numpy as np
from numba import njit

from app.arrays import Float64s, Int32s, Int64s, UInt8s
from app.smt.decoder.stack_kernels import ARCS, OPTION, PREVIOUS

__all__ = ["best_way"]

ORDER = 4
# Columns of a state: words, final n-gram, hash of used n-grams, matches by order, previous state, last option.
WORDS, CONTEXT, USAGE, MATCHES, PREVIOUS_STATE, LAST_OPTION = 0, 1, 2, 3, 7, 8
WIDTH = 9


@njit(cache=True, nogil=True)
def _final_hypotheses(hypotheses: Int64s, arcs: Int64s, items: Int64s, counts: Int64s, length: int) -> Int64s:
    """Flags of hypotheses that lead to a complete translation; shape (hypotheses,)."""
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
def _bleu(state: Int64s, reference: float) -> float:
    """Add-one BLEU of a state's words against a reference of this length."""
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
def _append_words(state: Int64s, usage: UInt8s, words: Int32s, grams: Int64s, limits: Int64s, hashes: Int64s, base: int) -> None:
    """Append words to a state in place; words of no reference are 0."""
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
            if usage[at] < limits[at]:
                usage[at] += 1
                state[MATCHES + n] += 1
                state[USAGE] += hashes[at]
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
    offsets: Int64s, words: Int32s, grams: Int64s, limits: Int64s, hashes: Int64s, base: int, lengths: Int64s, width: int,
) -> tuple[Int64s, float, float, bool]:  # fmt: skip
    """Options of the best way, last first, its BLEU, its model score, and True if no state was pruned.

    `words` of options have the numbers of the references, 1 to below `base`, and 0 for others. `grams` are sorted n-grams of the
    references as numbers to that base, last word first. `limits` are their largest counts, and `hashes` random numbers for them.
    Ties go to the better model score. A hypothesis keeps `width` states.
    """
    leads = _final_hypotheses(hypotheses, arcs, items, counts, length)
    begins, ends = np.zeros(len(hypotheses), np.int64), np.zeros(len(hypotheses), np.int64)
    states, usage = np.zeros((256, WIDTH), np.int64), np.zeros((256, len(grams)), np.uint8)
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
                gain = score - scores[previous, 0]
                for s in range(begins[previous], ends[previous]):
                    if count + 1 >= len(states):
                        states = np.concatenate((states, np.zeros_like(states)))
                        usage = np.concatenate((usage, np.zeros_like(usage)))
                        models = np.concatenate((models, np.zeros_like(models)))
                    states[count], usage[count] = states[s], usage[s]
                    states[count, PREVIOUS_STATE], states[count, LAST_OPTION] = s, option
                    models[count] = models[s] + gain
                    _append_words(
                        states[count], usage[count], words[offsets[option] : offsets[option + 1]], grams, limits, hashes, base
                    )
                    if 2 * (count - begin + 1) > len(slots):
                        slots = np.full(2 * len(slots), -1, np.int64)
                        for rival in range(begin, count):
                            slots[_slot_of(states, rival, slots)] = rival
                    at = _slot_of(states, count, slots)
                    rival = slots[at]
                    if rival < 0:
                        slots[at] = count
                        count += 1
                    elif models[count] > models[rival]:
                        # Equal states have equal prospects; the better model score wins.
                        states[rival, PREVIOUS_STATE], states[rival, LAST_OPTION] = s, option
                        models[rival] = models[count]
                if arc < 0:
                    break
                previous, option, score, arc = arcs[arc, 0], arcs[arc, 1], arc_scores[arc], arcs[arc, 2]
            if count - begin > width:
                exact = exact and k == length
                bleus = np.empty(count - begin)
                for s in range(begin, count):
                    reference = _closest(lengths, states[s, WORDS] * length // k) * k / length
                    bleus[s - begin] = _bleu(states[s], reference)
                order = begin + np.sort(_best_of(bleus, models[begin:count], width))
                states[begin : begin + width], usage[begin : begin + width] = states[order], usage[order]
                models[begin : begin + width] = models[order]
                count = begin + width
            begins[h], ends[h] = begin, count
    best, best_bleu = -1, -1.0
    for h in items[length, : counts[3 + length]]:
        for s in range(begins[h], ends[h]):
            bleu = _bleu(states[s], _closest(lengths, states[s, WORDS]))
            if best < 0 or bleu > best_bleu + 1e-12 or (bleu > best_bleu - 1e-12 and models[s] > models[best]):
                best, best_bleu = s, max(bleu, best_bleu)
    way = np.empty(length, np.int64)
    step_count = 0
    state = best
    while state > 0:
        way[step_count] = states[state, LAST_OPTION]
        step_count += 1
        state = states[state, PREVIOUS_STATE]
    return way[:step_count], best_bleu, models[best] if best >= 0 else 0.0, exact


@njit(cache=True, nogil=True)
def _best_of(bleus: Float64s, models: Float64s, width: int) -> Int64s:
    """Indices of the `width` best states; ties go to better model scores."""
    order = np.argsort(-models, kind="mergesort")
    return order[np.argsort(-bleus[order], kind="mergesort")][:width]


@njit(cache=True, nogil=True)
def _slot_of(states: Int64s, s: int, slots: Int64s) -> int:
    """Slot of a state equal to state s, or the free slot for it."""
    key_hash = (states[s, USAGE] * np.int64(-7046029254386353131) ^ states[s, CONTEXT]) * np.int64(-7046029254386353131) ^ states[
        s, WORDS
    ]
    key_hash = (key_hash ^ ((key_hash >> 29) & np.int64(0x7FFFFFFFF))) * np.int64(-7046029254386353131)
    at = (key_hash ^ ((key_hash >> 29) & np.int64(0x7FFFFFFFF))) & (len(slots) - 1)
    while slots[at] >= 0:
        rival = slots[at]
        if (
            states[rival, USAGE] == states[s, USAGE]
            and states[rival, CONTEXT] == states[s, CONTEXT]
            and states[rival, WORDS] == states[s, WORDS]
        ):
            break
        at = (at + 1) & (len(slots) - 1)
    return at
