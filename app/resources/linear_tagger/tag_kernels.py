"""Parts of speech from left to right, by the word, its neighbours and the two preceding tags."""

import numpy as np
from numba import njit

from app.arrays import Float64s, Int8s, Int32s, Int64s, UInt64s
from app.resources.linear_tagger.learning_kernels import NO_ATOM, add_scores, step, template_keys
from app.resources.linear_tagger.word_kernels import FORM, PARTS, SHAPE, SUFFIX

__all__ = ["TAGS", "tag_tokens", "train_tags"]

TAGS = 17
# Part of a position outside the segment.
EDGE = np.uint64(77)
# Atoms of a token: its parts; then the word, the last two and three characters and the shape of its neighbours.
LEFT_WORD, FAR_LEFT_WORD, RIGHT_WORD, FAR_RIGHT_WORD = PARTS, PARTS + 1, PARTS + 2, PARTS + 3
LEFT_ENDING, RIGHT_ENDING, RIGHT_SHORT, FAR_ENDING = PARTS + 4, PARTS + 5, PARTS + 6, PARTS + 7
LEFT_SHAPE, RIGHT_SHAPE, IS_FIRST, PREVIOUS_TAG, SECOND_TAG = PARTS + 8, PARTS + 9, PARTS + 10, PARTS + 11, PARTS + 12
ATOMS = PARTS + 13
ENDING = SUFFIX + 2
# Groups of atoms; each group gives a key.
TEMPLATES = np.array(
    [(k, NO_ATOM, NO_ATOM) for k in range(IS_FIRST)]
    + [
        (FORM, LEFT_WORD, NO_ATOM),
        (FORM, RIGHT_WORD, NO_ATOM),
        (LEFT_WORD, RIGHT_WORD, NO_ATOM),
        (SHAPE, IS_FIRST, NO_ATOM),
        (ENDING, SHAPE, NO_ATOM),
    ]
    + [
        (PREVIOUS_TAG, NO_ATOM, NO_ATOM),
        (PREVIOUS_TAG, SECOND_TAG, NO_ATOM),
        (PREVIOUS_TAG, FORM, NO_ATOM),
        (PREVIOUS_TAG, ENDING, NO_ATOM),
        (PREVIOUS_TAG, SECOND_TAG, ENDING),
    ]
    + [(PREVIOUS_TAG, RIGHT_ENDING, NO_ATOM), (PREVIOUS_TAG, RIGHT_WORD, NO_ATOM), (PREVIOUS_TAG, SHAPE, NO_ATOM)]
)
KEYS = len(TEMPLATES)


@njit(cache=True)
def _part(parts: UInt64s, ids: Int32s, at: int, begin: int, end: int, column: int) -> np.uint64:
    return parts[ids[at], column] if begin <= at < end else EDGE


@njit(cache=True)
def _write_atoms(
    parts: UInt64s, ids: Int32s, t: int, begin: int, end: int, previous_tag: int, second_tag: int, atoms: UInt64s
) -> None:
    """Write the atoms of token t after the tags `second_tag` and `previous_tag`."""
    atoms[:PARTS] = parts[ids[t]]
    atoms[LEFT_WORD] = _part(parts, ids, t - 1, begin, end, FORM)
    atoms[FAR_LEFT_WORD] = _part(parts, ids, t - 2, begin, end, FORM)
    atoms[RIGHT_WORD] = _part(parts, ids, t + 1, begin, end, FORM)
    atoms[FAR_RIGHT_WORD] = _part(parts, ids, t + 2, begin, end, FORM)
    atoms[LEFT_ENDING] = _part(parts, ids, t - 1, begin, end, ENDING)
    atoms[RIGHT_ENDING] = _part(parts, ids, t + 1, begin, end, ENDING)
    atoms[RIGHT_SHORT] = _part(parts, ids, t + 1, begin, end, SUFFIX + 1)
    atoms[FAR_ENDING] = _part(parts, ids, t + 2, begin, end, ENDING)
    atoms[LEFT_SHAPE] = _part(parts, ids, t - 1, begin, end, SHAPE)
    atoms[RIGHT_SHAPE] = _part(parts, ids, t + 1, begin, end, SHAPE)
    atoms[IS_FIRST] = np.uint64(t == begin)
    atoms[PREVIOUS_TAG] = np.uint64(previous_tag)
    atoms[SECOND_TAG] = np.uint64(second_tag)


@njit(cache=True, nogil=True)
def tag_tokens(parts: UInt64s, ids: Int32s, offsets: Int64s, weights: Int8s) -> Int8s:
    """Number of each token's tag; shape (tokens,). O(tokens).

    Segment i is ``ids[offsets[i]:offsets[i + 1]]``; an id is a row of `parts`.
    """
    tags = np.empty(len(ids), np.int8)
    atoms, keys, scores = np.empty(ATOMS, np.uint64), np.empty(KEYS, np.uint64), np.empty(TAGS, np.int32)
    mask = np.uint64(len(weights) - TAGS - 1)
    for i in range(len(offsets) - 1):
        previous_tag = second_tag = TAGS
        for t in range(offsets[i], offsets[i + 1]):
            _write_atoms(parts, ids, t, offsets[i], offsets[i + 1], previous_tag, second_tag, atoms)
            template_keys(TEMPLATES, atoms, keys)
            add_scores(keys, weights, mask, scores)
            second_tag, previous_tag = previous_tag, int(scores.argmax())
            tags[t] = previous_tag
    return tags


@njit(cache=True, nogil=True)
def train_tags(
    parts: UInt64s, ids: Int32s, offsets: Int64s, tags: Int8s, order: Int64s,
    weights: Float64s, squares: Float64s, sums: Float64s, rate: float, time: int,
) -> int:  # fmt: skip
    """Train for one pass over the segments in `order`, with the model's tags as context, and return the time afterwards."""
    atoms, keys, scores = np.empty(ATOMS, np.uint64), np.empty(KEYS, np.uint64), np.empty(TAGS, np.float64)
    mask = np.uint64(len(weights) - TAGS - 1)
    for i in order:
        previous_tag = second_tag = TAGS
        for t in range(offsets[i], offsets[i + 1]):
            time += 1
            _write_atoms(parts, ids, t, offsets[i], offsets[i + 1], previous_tag, second_tag, atoms)
            template_keys(TEMPLATES, atoms, keys)
            add_scores(keys, weights, mask, scores)
            tag = int(scores.argmax())
            step(keys, scores, tags[t], weights, squares, sums, mask, rate, time)
            second_tag, previous_tag = previous_tag, tag
    return time
