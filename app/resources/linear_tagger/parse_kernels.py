"""Heads of words by arc-hybrid transitions (Kuhlmann et al. 2011), learned with a dynamic oracle (Goldberg and Nivre 2013).

The words stand in a buffer with an artificial root behind the last. SHIFT puts the first of the buffer on the stack, LEFT hangs the
top of the stack on the first of the buffer, RIGHT hangs it on the one below it. Only the last of the stack hangs on the root.
"""

import numpy as np
from numba import njit

from app.arrays import Float64s, Int8s, Int32s, Int64s, UInt64s
from app.resources.linear_tagger.learning_kernels import NONE, add_scores, mixed, step, template_keys, uniform
from app.resources.linear_tagger.word_kernels import FORM, SUFFIX

__all__ = ["ACTIONS", "parse_tokens", "train_heads"]

SHIFT, LEFT, RIGHT = 0, 1, 2
ACTIONS = 3
NO_HEAD = -1
# In place of a tag: the root's, and that of a place where nothing stands.
ROOT_TAG, NO_TAG = 17, 18
EDGE = np.uint64(77)
FAR, MANY = 6, 3
# Places: the top of the stack and what is below it, the first of the buffer and what follows, outermost dependents of theirs.
S0, S1, S2, B0, B1, B2, S0_LEFT, S0_RIGHT, S1_LEFT, S1_RIGHT, B0_LEFT = range(11)
PLACES = 11
# What is looked at: tags of all places, words and endings of some, distances, numbers of dependents on each side.
S0_WORD, S1_WORD, B0_WORD, B1_WORD = range(11, 15)
S0_SHORT, S1_SHORT, B0_SHORT, S0_ENDING, S1_ENDING, B0_ENDING = range(15, 21)
DISTANCE, LOWER_DISTANCE, S0_LEFTS, S0_RIGHTS, S1_RIGHTS, B0_LEFTS = range(21, 27)
ATOMS = 27
_TOGETHER = (
    (S0,), (S1,), (S2,), (B0,), (B1,), (B2,), (S0_WORD,), (S1_WORD,), (B0_WORD,), (S0_WORD, S0), (S1_WORD, S1), (B0_WORD, B0),
    (B1_WORD, B1), (S0, B0), (S1, S0), (S1, S0, B0), (S0_WORD, B0), (B0_WORD, S0), (S1_WORD, S0), (S0_WORD, S1), (S0_WORD, B0_WORD),
    (S1_WORD, S0_WORD), (S0, B0, B1), (B0, B1, B2), (S2, S1, S0), (S0, B0, S0_LEFT), (S0, B0, S0_RIGHT), (S0, B0, B0_LEFT),
    (S1, S0, S1_RIGHT), (S1, S0, S1_LEFT), (S1, S0, S0_LEFT), (S1, S0, S0_RIGHT), (S0, B0, DISTANCE), (S1, S0, LOWER_DISTANCE),
    (S0, S0_LEFTS, S0_RIGHTS), (B0, B0_LEFTS), (S1, S1_RIGHTS), (S0_ENDING, B0), (B0_ENDING, S0), (S1_ENDING, S0), (S0_ENDING, S1),
    (S0_SHORT, B0_SHORT, S0, B0), (S1_SHORT, S0_SHORT, S1, S0), (S0_ENDING, S0), (B0_ENDING, B0), (S1_ENDING, S1),
    (S0_WORD, DISTANCE), (B0_WORD, DISTANCE), (S0_WORD, S0, B0), (B0_WORD, S0, B0), (S0_WORD, S0_LEFTS, S0_RIGHTS),
    (S1_WORD, S1_RIGHTS), (S1, S0, B0, B1), (S2, S1, S0, B0), (B1_WORD, S0, B0),
)  # fmt: skip
TEMPLATES = np.array([(*names, *(NONE,) * (4 - len(names))) for names in _TOGETHER])
KEYS = len(TEMPLATES)


@njit(cache=True)
def _part(parts: UInt64s, ids: Int32s, begin: int, size: int, k: int, column: int) -> np.uint64:
    return parts[ids[begin + k], column] if 0 <= k < size else EDGE


@njit(cache=True)
def _look(
    parts: UInt64s, ids: Int32s, tags: Int8s, begin: int, size: int, stack: Int64s, depth: int, first: int,
    children: Int64s, places: Int64s, atoms: UInt64s,
) -> None:  # fmt: skip
    """What is looked at of a state; `children` (words, 4): the outermost ones left and right, -1 for none, and how many."""
    places[:] = -1
    for k in range(min(depth, 3)):
        places[S0 + k] = stack[depth - 1 - k]
    for k in range(min(size + 1 - first, 3)):
        places[B0 + k] = first + k
    s0, s1, b0 = places[S0], places[S1], places[B0]
    atoms[DISTANCE:] = np.uint64(0)
    if s0 >= 0:
        places[S0_LEFT], places[S0_RIGHT] = children[s0, 0], children[s0, 1]
        atoms[S0_LEFTS], atoms[S0_RIGHTS] = np.uint64(min(children[s0, 2], MANY)), np.uint64(min(children[s0, 3], MANY))
        atoms[DISTANCE] = np.uint64(min(b0 - s0, FAR))
    if s1 >= 0:
        places[S1_LEFT], places[S1_RIGHT] = children[s1, 0], children[s1, 1]
        atoms[S1_RIGHTS] = np.uint64(min(children[s1, 3], MANY))
        atoms[LOWER_DISTANCE] = np.uint64(min(s0 - s1, FAR))
    places[B0_LEFT] = children[b0, 0]
    atoms[B0_LEFTS] = np.uint64(min(children[b0, 2], MANY))
    for place in range(PLACES):
        k = places[place]
        atoms[place] = np.uint64(NO_TAG if k < 0 else ROOT_TAG if k == size else tags[begin + k])
    atoms[S0_WORD] = _part(parts, ids, begin, size, s0, FORM)
    atoms[S1_WORD] = _part(parts, ids, begin, size, s1, FORM)
    atoms[B0_WORD] = _part(parts, ids, begin, size, b0, FORM)
    atoms[B1_WORD] = _part(parts, ids, begin, size, places[B1], FORM)
    atoms[S0_SHORT] = _part(parts, ids, begin, size, s0, SUFFIX + 1)
    atoms[S1_SHORT] = _part(parts, ids, begin, size, s1, SUFFIX + 1)
    atoms[B0_SHORT] = _part(parts, ids, begin, size, b0, SUFFIX + 1)
    atoms[S0_ENDING] = _part(parts, ids, begin, size, s0, SUFFIX + 2)
    atoms[S1_ENDING] = _part(parts, ids, begin, size, s1, SUFFIX + 2)
    atoms[B0_ENDING] = _part(parts, ids, begin, size, b0, SUFFIX + 2)


@njit(cache=True)
def _allowed(action: int, depth: int, first: int, size: int) -> bool:
    if action == SHIFT:
        return first < size
    if action == LEFT:
        return depth > 0 and (first < size or depth == 1)
    return depth > 1


@njit(cache=True)
def _hang(children: Int64s, heads: Int32s, begin: int, size: int, word: int, head: int) -> None:
    heads[begin + word] = head if head < size else NO_HEAD
    side = 0 if word < head else 1
    children[head, side] = word
    children[head, 2 + side] += 1


@njit(cache=True)
def _cost(action: int, gold: Int64s, stack: Int64s, depth: int, first: int, size: int) -> int:
    """Right heads that cannot be found any more after an action; `gold` has the root's place for those that hang on it."""
    cost = 0
    if action == SHIFT:
        for k in range(depth):
            cost += gold[stack[k]] == first
            cost += k < depth - 1 and gold[first] == stack[k]
        return cost
    top = stack[depth - 1]
    for k in range(first, size):
        cost += gold[k] == top
    head = gold[top]
    if action == LEFT:
        return cost + (head > first or (depth > 1 and head == stack[depth - 2]))
    return cost + (head >= first)


@njit(cache=True, nogil=True)
def parse_tokens(parts: UInt64s, ids: Int32s, tags: Int8s, offsets: Int64s, weights: Int8s) -> Int32s:
    """Place in its segment of the head of each token, -1 of a root; every segment is one tree without crossing arcs. O(tokens)."""
    heads = np.full(len(ids), NO_HEAD, np.int32)
    places, atoms, keys = np.empty(PLACES, np.int64), np.empty(ATOMS, np.uint64), np.empty(KEYS, np.uint64)
    scores = np.empty(ACTIONS, np.int32)
    mask = np.uint64(len(weights) - ACTIONS - 1)
    for i in range(len(offsets) - 1):
        begin, size = offsets[i], offsets[i + 1] - offsets[i]
        stack, children = np.empty(size + 1, np.int64), np.zeros((size + 1, 4), np.int64)
        children[:, :2] = -1
        depth = first = 0
        while depth or first < size:
            _look(parts, ids, tags, begin, size, stack, depth, first, children, places, atoms)
            template_keys(TEMPLATES, atoms, keys)
            add_scores(keys, weights, mask, scores)
            best = -1
            for action in range(ACTIONS):
                if _allowed(action, depth, first, size) and (best < 0 or scores[action] > scores[best]):
                    best = action
            if best == SHIFT:
                stack[depth] = first
                depth, first = depth + 1, first + 1
            else:
                depth -= 1
                _hang(children, heads, begin, size, stack[depth], first if best == LEFT else stack[depth - 1])
    return heads


@njit(cache=True, nogil=True)
def train_heads(
    parts: UInt64s, ids: Int32s, tags: Int8s, offsets: Int64s, right: Int64s, order: Int64s,
    weights: Float64s, squares: Float64s, sums: Float64s, rate: float, explored: float, seed: int, time: int,
) -> int:  # fmt: skip
    """One pass over the segments in `order`; the time afterwards. `right` are heads, a segment's size for a root.

    Each state is learned by the likeliest of the actions that cost least; of `explored` states the action that follows is the one
    that the model itself likes best, so that it learns to go on from its own errors.
    """
    heads = np.full(len(ids), NO_HEAD, np.int32)
    places, atoms, keys = np.empty(PLACES, np.int64), np.empty(ATOMS, np.uint64), np.empty(KEYS, np.uint64)
    scores = np.empty(ACTIONS, np.float64)
    mask = np.uint64(len(weights) - ACTIONS - 1)
    state = mixed(np.uint64(11), np.uint64(seed))
    for i in order:
        begin, size = offsets[i], offsets[i + 1] - offsets[i]
        stack, children = np.empty(size + 1, np.int64), np.zeros((size + 1, 4), np.int64)
        children[:, :2] = -1
        gold = right[begin : begin + size]
        depth = first = 0
        while depth or first < size:
            time += 1
            _look(parts, ids, tags, begin, size, stack, depth, first, children, places, atoms)
            template_keys(TEMPLATES, atoms, keys)
            add_scores(keys, weights, mask, scores)
            best = cheapest = -1
            least = 0
            for action in range(ACTIONS):
                if not _allowed(action, depth, first, size):
                    continue
                cost = _cost(action, gold, stack, depth, first, size)
                if best < 0 or scores[action] > scores[best]:
                    best = action
                if cheapest < 0 or cost < least or (cost == least and scores[action] > scores[cheapest]):
                    cheapest, least = action, cost
            step(keys, scores, cheapest, weights, squares, sums, mask, rate, time)
            state = mixed(state, np.uint64(time))
            action = best if uniform(state) < explored else cheapest
            if action == SHIFT:
                stack[depth] = first
                depth, first = depth + 1, first + 1
            else:
                depth -= 1
                _hang(children, heads, begin, size, stack[depth], first if action == LEFT else stack[depth - 1])
    return time
