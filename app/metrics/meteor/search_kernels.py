"""Beam search for an alignment of two segments: many matches, then few pieces (METEOR 1.5, Denkowski and Lavie 2014).

The search reads the reference from left to right and keeps 40 partial alignments. It follows the published program, so that
equal candidates give equal alignments, also for words that occur often.
"""

from typing import Final

import numpy as np
from numba import njit

from app.arrays import Bools, Int32s, Int64s
from app.metrics.meteor.candidate_kernels import EXACT, HYPOTHESIS, HYPOTHESIS_WORDS, REFERENCE, REFERENCE_WORDS, STAGE

__all__ = ["choose_matches", "count_pieces"]

BEAM: Final = 40
# Columns of a partial alignment: matched words, pieces, next word of the reference, end of the last match in the hypothesis
# (-1 in a gap), and distance. A choice also has the partial alignment it continues, and its candidate (-1 for none).
GAIN, PIECES, NEXT, END, DISTANCE, PARENT, CANDIDATE = range(7)


@njit(cache=True, nogil=True)
def _gain(rows: Int32s, k: int, counts_all: bool) -> int:
    """Words that match k counts for in the search: equal words once, others half and rounded down, unless all count once."""
    if counts_all or rows[k, STAGE] == EXACT:
        return int(rows[k, HYPOTHESIS_WORDS] + rows[k, REFERENCE_WORDS])
    return int(rows[k, HYPOTHESIS_WORDS] // 2 + rows[k, REFERENCE_WORDS] // 2)


@njit(cache=True, nogil=True)
def _is_ahead(gain: int, pieces: int, distance: int, rivals: Int64s, place: int) -> bool:
    """Return True for more matched words than a rival has; if equal, for fewer pieces; if equal, for a smaller distance."""
    if gain != rivals[place, GAIN]:
        return bool(gain > rivals[place, GAIN])
    if pieces != rivals[place, PIECES]:
        return bool(pieces < rivals[place, PIECES])
    return bool(distance < rivals[place, DISTANCE])


@njit(cache=True, nogil=True)
def _is_better(first: Int64s, rivals: Int64s, place: int) -> bool:
    return _is_ahead(first[GAIN], first[PIECES], first[DISTANCE], rivals, place)


@njit(cache=True, nogil=True)
def _is_used(masks: Bools, path: int, begin: int, words: int) -> bool:
    """Return True if a path has matched one of `words` words from `begin` on."""
    for k in range(begin, begin + words):  # noqa: SIM110
        if masks[path, k]:
            return True
    return False


@njit(cache=True, nogil=True)
def _insert(choices: Int64s, count: int, choice: Int64s) -> int:
    """Insert a choice behind all that are at least as good, among the best `BEAM`; returns their number."""
    if count == BEAM:
        if not _is_better(choice, choices, count - 1):
            return count
        count -= 1
    place = count
    while place > 0 and _is_better(choice, choices, place - 1):
        choices[place] = choices[place - 1]
        place -= 1
    choices[place] = choice
    return count + 1


@njit(cache=True, nogil=True)
def _extend(state: Int64s, rows: Int32s, k: int, counts_all: bool) -> None:
    """Add match k to a partial alignment."""
    state[GAIN] += _gain(rows, k, counts_all)
    if state[END] != -1 and rows[k, HYPOTHESIS] != state[END]:
        state[PIECES] += 1
    state[NEXT] = rows[k, REFERENCE] + rows[k, REFERENCE_WORDS]
    state[END] = rows[k, HYPOTHESIS] + rows[k, HYPOTHESIS_WORDS]


@njit(cache=True, nogil=True)
def _fix_certain(rows: Int32s, offsets: Int64s, matches: Int64s, used_h: Bools, used_r: Bools) -> None:
    """Choose each candidate whose words have no other candidate."""
    cover_h = np.zeros(len(used_h), np.int64)
    cover_r = np.zeros(len(used_r), np.int64)
    for k in range(len(rows)):
        row = rows[k]
        cover_h[row[HYPOTHESIS] : row[HYPOTHESIS] + row[HYPOTHESIS_WORDS]] += 1
        cover_r[row[REFERENCE] : row[REFERENCE] + row[REFERENCE_WORDS]] += 1
    for j in range(len(used_r)):
        if offsets[j + 1] - offsets[j] != 1:
            continue
        row = rows[offsets[j]]
        in_h = slice(row[HYPOTHESIS], row[HYPOTHESIS] + row[HYPOTHESIS_WORDS])
        in_r = slice(row[REFERENCE], row[REFERENCE] + row[REFERENCE_WORDS])
        if (cover_h[in_h] == 1).all() and (cover_r[in_r] == 1).all():
            matches[j] = offsets[j]
            used_h[in_h] = True
            used_r[in_r] = True


@njit(cache=True, nogil=True)
def choose_matches(rows: Int32s, offsets: Int64s, hypothesis_words: int, counts_all: bool) -> Int64s:
    """The candidate that begins at each word of the reference, -1 for none; shape (words,).

    `rows` and `offsets` are sorted candidates. With `counts_all`, matches of all stages count alike.
    """
    reference_words = len(offsets) - 1
    matches = np.full((BEAM, reference_words), -1, np.int64)
    used_h = np.zeros((BEAM, hypothesis_words), np.bool_)
    used_r = np.zeros((BEAM, reference_words), np.bool_)
    states = np.zeros((BEAM, 7), np.int64)
    states[0, END] = -1
    count = 1
    _fix_certain(rows, offsets, matches[0], used_h[0], used_r[0])
    choices = np.empty((BEAM, 7), np.int64)
    choice = np.empty(7, np.int64)
    for current in range(reference_words):
        choice_count = 0
        for path in range(count):
            state = states[path]
            state[PARENT], state[CANDIDATE] = path, -1
            if used_r[path, current]:
                if current >= state[NEXT]:
                    certain = matches[path, current]
                    _extend(state, rows, certain, counts_all)
                    state[DISTANCE] += abs(rows[certain, REFERENCE] - rows[certain, HYPOTHESIS])
                choice_count = _insert(choices, choice_count, state)
                continue
            for k in range(offsets[current], offsets[current + 1]):
                begin = rows[k, HYPOTHESIS]
                if _is_used(used_r, path, current, rows[k, REFERENCE_WORDS]) or _is_used(
                    used_h, path, begin, rows[k, HYPOTHESIS_WORDS]
                ):
                    continue
                # Most choices of a word that recurs a thousand times fall behind the beam, and need no copy.
                gain = states[path, GAIN] + _gain(rows, k, counts_all)
                pieces = states[path, PIECES] + (states[path, END] != -1 and begin != states[path, END])
                if choice_count < BEAM or _is_ahead(gain, pieces, states[path, DISTANCE], choices, choice_count - 1):
                    choice[:] = state
                    _extend(choice, rows, k, counts_all)
                    choice[CANDIDATE] = k
                    choice_count = _insert(choices, choice_count, choice)
                # As in the program, a match adds its distance to the alternatives behind it, and not to its own path.
                states[path, DISTANCE] += abs(rows[k, REFERENCE] - begin)
            if state[END] != -1:
                state[PIECES] += 1
                state[END] = -1
            state[NEXT] += 1
            choice_count = _insert(choices, choice_count, state)
        if choice_count == 1 and choices[0, CANDIDATE] < 0 and choices[0, PARENT] == 0:
            states[0] = choices[0]
            count = 1
            continue
        parents = choices[:choice_count, PARENT]
        matches[:choice_count] = matches[parents]
        used_h[:choice_count] = used_h[parents]
        used_r[:choice_count] = used_r[parents]
        states[:choice_count] = choices[:choice_count]
        count = choice_count
        for path in range(count):
            k = states[path, CANDIDATE]
            if k >= 0:
                row = rows[k]
                matches[path, current] = k
                used_r[path, current : current + row[REFERENCE_WORDS]] = True
                used_h[path, row[HYPOTHESIS] : row[HYPOTHESIS] + row[HYPOTHESIS_WORDS]] = True
    best = 0
    for path in range(count):
        states[path, PIECES] += states[path, END] != -1
        if _is_better(states[path], states, best):
            best = path
    return matches[best].copy()


@njit(cache=True, nogil=True)
def count_pieces(rows: Int32s, matches: Int64s) -> int:
    """Number of runs of matches that follow each other on both sides."""
    pieces = 0
    end = -1
    at = 0
    while at < len(matches):
        if matches[at] < 0:
            end = -1
            at += 1
            continue
        row = rows[matches[at]]
        pieces += row[HYPOTHESIS] != end
        at = row[REFERENCE] + row[REFERENCE_WORDS]
        end = row[HYPOTHESIS] + row[HYPOTHESIS_WORDS]
    return pieces
