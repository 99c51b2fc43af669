"""Parts of speech from left to right: each chosen by the word, its neighbours and the two tags before it."""

import numpy as np
from numba import njit

from app.arrays import Float64s, Int8s, Int32s, Int64s, UInt64s
from app.resources.linear_tagger.learning_kernels import NONE, add_scores, step, template_keys
from app.resources.linear_tagger.word_kernels import FORM, PARTS, SHAPE, SUFFIX

__all__ = ["TAGS", "tag_tokens", "train_tags"]

TAGS = 17
# What stands outside the segment.
EDGE = np.uint64(77)
# What is looked at: the parts of the token; then the word, the last two and three characters and the shape of its neighbours.
LEFT, FAR_LEFT, RIGHT, FAR_RIGHT = PARTS, PARTS + 1, PARTS + 2, PARTS + 3
LEFT_ENDING, RIGHT_ENDING, RIGHT_SHORT, FAR_ENDING = PARTS + 4, PARTS + 5, PARTS + 6, PARTS + 7
LEFT_SHAPE, RIGHT_SHAPE, IS_FIRST, BEFORE, SECOND = PARTS + 8, PARTS + 9, PARTS + 10, PARTS + 11, PARTS + 12
ATOMS = PARTS + 13
ENDING = SUFFIX + 2
# Together: each is one key.
TEMPLATES = np.array(
    [(k, NONE, NONE) for k in range(IS_FIRST)]
    + [(FORM, LEFT, NONE), (FORM, RIGHT, NONE), (LEFT, RIGHT, NONE), (SHAPE, IS_FIRST, NONE), (ENDING, SHAPE, NONE)]
    + [(BEFORE, NONE, NONE), (BEFORE, SECOND, NONE), (BEFORE, FORM, NONE), (BEFORE, ENDING, NONE), (BEFORE, SECOND, ENDING)]
    + [(BEFORE, RIGHT_ENDING, NONE), (BEFORE, RIGHT, NONE), (BEFORE, SHAPE, NONE)]
)
KEYS = len(TEMPLATES)


@njit(cache=True)
def _part(parts: UInt64s, ids: Int32s, at: int, begin: int, end: int, column: int) -> np.uint64:
    return parts[ids[at], column] if begin <= at < end else EDGE


@njit(cache=True)
def _look(parts: UInt64s, ids: Int32s, t: int, begin: int, end: int, before: int, second: int, atoms: UInt64s) -> None:
    """What is looked at of token t after the tags `before` and `second` before that."""
    atoms[:PARTS] = parts[ids[t]]
    atoms[LEFT] = _part(parts, ids, t - 1, begin, end, FORM)
    atoms[FAR_LEFT] = _part(parts, ids, t - 2, begin, end, FORM)
    atoms[RIGHT] = _part(parts, ids, t + 1, begin, end, FORM)
    atoms[FAR_RIGHT] = _part(parts, ids, t + 2, begin, end, FORM)
    atoms[LEFT_ENDING] = _part(parts, ids, t - 1, begin, end, ENDING)
    atoms[RIGHT_ENDING] = _part(parts, ids, t + 1, begin, end, ENDING)
    atoms[RIGHT_SHORT] = _part(parts, ids, t + 1, begin, end, SUFFIX + 1)
    atoms[FAR_ENDING] = _part(parts, ids, t + 2, begin, end, ENDING)
    atoms[LEFT_SHAPE] = _part(parts, ids, t - 1, begin, end, SHAPE)
    atoms[RIGHT_SHAPE] = _part(parts, ids, t + 1, begin, end, SHAPE)
    atoms[IS_FIRST] = np.uint64(t == begin)
    atoms[BEFORE] = np.uint64(before)
    atoms[SECOND] = np.uint64(second)


@njit(cache=True, nogil=True)
def tag_tokens(parts: UInt64s, ids: Int32s, offsets: Int64s, weights: Int8s) -> Int8s:
    """Number of the tag of each token; segment i is ``ids[offsets[i]:offsets[i + 1]]``, an id a row of `parts`. O(tokens)."""
    out = np.empty(len(ids), np.int8)
    atoms, keys, scores = np.empty(ATOMS, np.uint64), np.empty(KEYS, np.uint64), np.empty(TAGS, np.int32)
    mask = np.uint64(len(weights) - TAGS - 1)
    for i in range(len(offsets) - 1):
        before = second = TAGS
        for t in range(offsets[i], offsets[i + 1]):
            _look(parts, ids, t, offsets[i], offsets[i + 1], before, second, atoms)
            template_keys(TEMPLATES, atoms, keys)
            add_scores(keys, weights, mask, scores)
            second, before = before, int(scores.argmax())
            out[t] = before
    return out


@njit(cache=True, nogil=True)
def train_tags(
    parts: UInt64s, ids: Int32s, offsets: Int64s, tags: Int8s, order: Int64s,
    weights: Float64s, squares: Float64s, sums: Float64s, rate: float, time: int,
) -> int:  # fmt: skip
    """One pass over the segments in `order`, each token after the tags that the model itself chose; the time afterwards."""
    atoms, keys, scores = np.empty(ATOMS, np.uint64), np.empty(KEYS, np.uint64), np.empty(TAGS, np.float64)
    mask = np.uint64(len(weights) - TAGS - 1)
    for i in order:
        before = second = TAGS
        for t in range(offsets[i], offsets[i + 1]):
            time += 1
            _look(parts, ids, t, offsets[i], offsets[i + 1], before, second, atoms)
            template_keys(TEMPLATES, atoms, keys)
            add_scores(keys, weights, mask, scores)
            chosen = int(scores.argmax())
            step(keys, scores, tags[t], weights, squares, sums, mask, rate, time)
            second, before = before, chosen
    return time
