"""Interned states of several language models together, and cached scores of words after them.

A state holds, for each model, the words that can still influence later scores (KenLM's rule: the longest suffix that begins a
longer n-gram). Hypotheses with equal states may be recombined. The effect of a word on a state is looked up once and cached.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from app.arrays import Float64s, Int32s, Int64s, UInt8s
from app.resources.language_models.trie import find_row, float_of, read_bits
from app.smt.decoder.coverage_kernels import mix

__all__ = ["BEGIN", "EMPTY", "Models", "States", "advance", "step", "step_slot", "window_scores"]

# The state without words, and the state at the begin of a sentence.
EMPTY = 0
BEGIN = 1
# KenLM's mark of an n-gram that begins no longer one: a back-off of minus zero.
NO_EXTENSION = 0x80000000


class Models(NamedTuple):
    """Tries side by side: bytes, offsets of their tables (models, orders), and factors of their scores.

    ``words[w, m]`` is the number of word w in model m; word 0 ends a sentence and word 1 is unknown to all models.
    """

    data: UInt8s
    starts: Int64s
    next_bits: Int64s
    word_bits: Int64s
    orders: Int64s
    weights: Float64s
    words: Int32s


class States(NamedTuple):
    """Interned states and cached steps; `counts` gives their numbers, and slots of -1 are free.

    A row of `steps` holds state and word as one number, the score, and the next state; it fits in a cache line. State s has
    ``lengths[s, m]`` words of model m in ``words[s, m]``, the last word first, with back-offs of the n-grams that they end.
    """

    words: Int32s
    lengths: Int64s
    backoffs: Float64s
    slots: Int64s
    steps: Float64s
    counts: Int64s


@njit(cache=True, nogil=True)
def step(
    models: Models,
    m: int,
    context: Int32s,
    context_length: int,
    backoffs: Float64s,
    word: int,
    context_out: Int32s,
    backoffs_out: Float64s,
) -> tuple[float, int]:
    """log10 p(word | `context`) in model m, and the length of the next state, which is written.

    The context has `context_length` words, the last one first.
    """
    order = models.orders[m]
    word_bits = models.word_bits[m]
    at = models.starts[m, 0] + 16 * word
    prob = float_of(read_bits(models.data, at, 0, 32))
    backoff_bits = read_bits(models.data, at, 32, 32)
    backoffs_out[0] = float_of(backoff_bits)
    length = 0 if backoff_bits == NO_EXTENSION else 1
    low, high = read_bits(models.data, at + 8, 0, 48), read_bits(models.data, at + 24, 0, 48)
    match_length = 1
    for n in range(1, order):
        if n > context_length:
            break
        last = n == order - 1
        width = word_bits + 31 if last else word_bits + 63 + models.next_bits[m, n]
        row = find_row(models.data, models.starts[m, n], width, word_bits, low, high, context[n - 1])
        if row < 0:
            break
        bit = row * width + word_bits
        prob = -float_of(read_bits(models.data, models.starts[m, n], bit, 31))
        match_length += 1
        if last:
            break
        backoff_bits = read_bits(models.data, models.starts[m, n], bit + 31, 32)
        backoffs_out[n] = float_of(backoff_bits)
        if backoff_bits != NO_EXTENSION:
            length = n + 1
        low = read_bits(models.data, models.starts[m, n], bit + 63, models.next_bits[m, n])
        high = read_bits(models.data, models.starts[m, n], bit + width + 63, models.next_bits[m, n])
    for n in range(match_length - 1, context_length):
        prob += backoffs[n]
    length = min(length, order - 1)
    if length:
        context_out[0] = word
    for n in range(1, length):
        context_out[n] = context[n - 1]
    return prob, length


@njit(cache=True, inline="always")
def step_slot(steps: Float64s, state: int, word: int) -> int:
    """Slot of a cached step, or the free slot for it, whose first number is negative."""
    key = (state << 30) | word
    key_hash = np.int64(key) * np.int64(-7046029254386353131)
    at = (key_hash ^ ((key_hash >> 29) & np.int64(0x7FFFFFFFF))) & (len(steps) - 1)
    while steps[at, 0] >= 0 and steps[at, 0] != key:
        at = (at + 1) & (len(steps) - 1)
    return at


@njit(cache=True, nogil=True)
def advance(models: Models, states: States, state: int, word: int) -> tuple[float, int]:
    """Weighted score of a word after a state, in natural logarithms, and the next state; -1 if there is no more room."""
    key = (state << 30) | word
    at = step_slot(states.steps, state, word)
    if states.steps[at, 0] >= 0:
        return states.steps[at, 1], np.int64(states.steps[at, 2])
    if states.counts[1] * 2 > len(states.steps):
        return 0.0, -1
    score, following = _first_step(models, states, state, word)
    if following >= 0:
        states.steps[at, 0] = key
        states.steps[at, 1] = score
        states.steps[at, 2] = following
        states.counts[1] += 1
    return score, following


@njit(cache=True, nogil=True)
def _first_step(models: Models, states: States, state: int, word: int) -> tuple[float, int]:
    """Score a word with the models, write the new state in the next row, and intern it."""
    new = states.counts[0]
    if new + 1 >= len(states.words):
        return 0.0, -1
    score = 0.0
    state_hash = np.int64(1469598103934665603)
    for m in range(len(models.orders)):
        prob, length = step(
            models, m, states.words[state, m], states.lengths[state, m], states.backoffs[state, m], models.words[word, m],
            states.words[new, m], states.backoffs[new, m],
        )  # fmt: skip
        score += models.weights[m] * prob
        states.lengths[new, m] = length
        state_hash = mix(state_hash ^ length)
        for n in range(length):
            state_hash = mix(state_hash ^ states.words[new, m, n])
    mask = len(states.slots) - 1
    at = state_hash & mask
    while states.slots[at] >= 0:
        if _equal(states, states.slots[at], new):
            return score, states.slots[at]
        at = (at + 1) & mask
    states.slots[at] = new
    states.counts[0] = new + 1
    return score, new


@njit(cache=True, inline="always")
def _equal(states: States, left: int, right: int) -> bool:
    for m in range(states.lengths.shape[1]):
        if states.lengths[left, m] != states.lengths[right, m]:
            return False
        for n in range(states.lengths[left, m]):
            if states.words[left, m, n] != states.words[right, m, n]:
                return False
    return True


@njit(cache=True, nogil=True)
def window_scores(models: Models, words: Int32s, offsets: Int64s, context_length: int, begins: bool, begin: Int32s) -> Float64s:
    """Sum of log10 p over the words of each window behind its first `context_length`; shape (windows, models).

    If a window `begins` a sentence, the models' `begin` precedes it.
    """
    width = models.starts.shape[1]
    count = len(offsets) - 1
    out = np.zeros((count, len(models.orders)))
    context, fresh = np.zeros(width, np.int32), np.zeros(width, np.int32)
    backoffs, fresh_backoffs = np.zeros(width), np.zeros(width)
    for m in range(len(models.orders)):
        for i in range(count):
            have = 0
            if begins:
                _, have = step(models, m, context, 0, backoffs, begin[m], fresh, fresh_backoffs)
                context, fresh = fresh, context
                backoffs, fresh_backoffs = fresh_backoffs, backoffs
            for t in range(offsets[i], offsets[i + 1]):
                score, have = step(models, m, context, have, backoffs, models.words[words[t], m], fresh, fresh_backoffs)
                context, fresh = fresh, context
                backoffs, fresh_backoffs = fresh_backoffs, backoffs
                if t >= offsets[i] + context_length:
                    out[i, m] += score
    return out
