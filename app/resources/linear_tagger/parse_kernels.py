"""Heads of words by arc-hybrid transitions (Kuhlmann et al. 2011), learned with a dynamic oracle (Goldberg and Nivre 2013).

The buffer holds the words and then an artificial root. SHIFT moves the first word of the buffer onto the stack. LEFT attaches the
top of the stack to the first word of the buffer, RIGHT to the word below it. Only the last word of the stack is attached to the
root.
"""

import numpy as np
from numba import njit

from app.arrays import Float64s, Int8s, Int32s, Int64s, UInt64s
from app.resources.linear_tagger.learning_kernels import NO_ATOM, add_scores, mix, step, template_keys, uniform
from app.resources.linear_tagger.word_kernels import FORM, SUFFIX

__all__ = ["ACTIONS", "parse_tokens", "train_heads"]

SHIFT_ACTION, LEFT_ACTION, RIGHT_ACTION = 0, 1, 2
ACTIONS = 3
NO_HEAD = -1
# Numbers in place of a tag: of the root, and of an empty place.
ROOT_TAG, NO_TAG = 17, 18
EDGE = np.uint64(77)
# Distances and numbers of dependents are cut at these values.
FARTHEST, LARGEST_COUNT = 6, 3
# Places: the top three words of the stack, the first three of the buffer, and their outermost dependents.
S0, S1, S2, B0, B1, B2, S0_LEFT, S0_RIGHT, S1_LEFT, S1_RIGHT, B0_LEFT = range(11)
PLACES = 11
# Atoms of a state: tags of all places, words and endings of some places, distances, and numbers of dependents on each side.
S0_WORD, S1_WORD, B0_WORD, B1_WORD = range(11, 15)
S0_SHORT, S1_SHORT, B0_SHORT, S0_ENDING, S1_ENDING, B0_ENDING = range(15, 21)
DISTANCE, LOWER_DISTANCE, S0_LEFTS, S0_RIGHTS, S1_RIGHTS, B0_LEFTS = range(21, 27)
ATOMS = 27
ATOM_GROUPS = (
    (S0,), (S1,), (S2,), (B0,), (B1,), (B2,), (S0_WORD,), (S1_WORD,), (B0_WORD,), (S0_WORD, S0), (S1_WORD, S1), (B0_WORD, B0),
    (B1_WORD, B1), (S0, B0), (S1, S0), (S1, S0, B0), (S0_WORD, B0), (B0_WORD, S0), (S1_WORD, S0), (S0_WORD, S1), (S0_WORD, B0_WORD),
    (S1_WORD, S0_WORD), (S0, B0, B1), (B0, B1, B2), (S2, S1, S0), (S0, B0, S0_LEFT), (S0, B0, S0_RIGHT), (S0, B0, B0_LEFT),
    (S1, S0, S1_RIGHT), (S1, S0, S1_LEFT), (S1, S0, S0_LEFT), (S1, S0, S0_RIGHT), (S0, B0, DISTANCE), (S1, S0, LOWER_DISTANCE),
    (S0, S0_LEFTS, S0_RIGHTS), (B0, B0_LEFTS), (S1, S1_RIGHTS), (S0_ENDING, B0), (B0_ENDING, S0), (S1_ENDING, S0), (S0_ENDING, S1),
    (S0_SHORT, B0_SHORT, S0, B0), (S1_SHORT, S0_SHORT, S1, S0), (S0_ENDING, S0), (B0_ENDING, B0), (S1_ENDING, S1),
    (S0_WORD, DISTANCE), (B0_WORD, DISTANCE), (S0_WORD, S0, B0), (B0_WORD, S0, B0), (S0_WORD, S0_LEFTS, S0_RIGHTS),
    (S1_WORD, S1_RIGHTS), (S1, S0, B0, B1), (S2, S1, S0, B0), (B1_WORD, S0, B0),
)  # fmt: skip
TEMPLATES = np.array([(*names, *(NO_ATOM,) * (4 - len(names))) for names in ATOM_GROUPS])
KEYS = len(TEMPLATES)


@njit(cache=True)
def _part(parts: UInt64s, ids: Int32s, begin: int, size: int, k: int, column: int) -> np.uint64:
    return parts[ids[begin + k], column] if 0 <= k < size else EDGE


@njit(cache=True)
def _write_atoms(
    parts: UInt64s, ids: Int32s, tags: Int8s, begin: int, size: int, stack: Int64s, depth: int, first: int,
    children: Int64s, places: Int64s, atoms: UInt64s,
) -> None:  # fmt: skip
    """Write the `places` and `atoms` of a state.

    `children` (words, 4) are the outermost left and right dependent, -1 for none, and their numbers on each side.
    """
    places[:] = -1
    for k in range(min(depth, 3)):
        places[S0 + k] = stack[depth - 1 - k]
    for k in range(min(size + 1 - first, 3)):
        places[B0 + k] = first + k
    s0, s1, b0 = places[S0], places[S1], places[B0]
    atoms[DISTANCE:] = np.uint64(0)
    if s0 >= 0:
        places[S0_LEFT], places[S0_RIGHT] = children[s0, 0], children[s0, 1]
        atoms[S0_LEFTS], atoms[S0_RIGHTS] = (
            np.uint64(min(children[s0, 2], LARGEST_COUNT)),
            np.uint64(min(children[s0, 3], LARGEST_COUNT)),
        )
        atoms[DISTANCE] = np.uint64(min(b0 - s0, FARTHEST))
    if s1 >= 0:
        places[S1_LEFT], places[S1_RIGHT] = children[s1, 0], children[s1, 1]
        atoms[S1_RIGHTS] = np.uint64(min(children[s1, 3], LARGEST_COUNT))
        atoms[LOWER_DISTANCE] = np.uint64(min(s0 - s1, FARTHEST))
    places[B0_LEFT] = children[b0, 0]
    atoms[B0_LEFTS] = np.uint64(min(children[b0, 2], LARGEST_COUNT))
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
    if action == SHIFT_ACTION:
        return first < size
    if action == LEFT_ACTION:
        return depth > 0 and (first < size or depth == 1)
    return depth > 1


@njit(cache=True)
def _attach(children: Int64s, heads: Int32s, begin: int, size: int, word: int, head: int) -> None:
    heads[begin + word] = head if head < size else NO_HEAD
    side = 0 if word < head else 1
    children[head, side] = word
    children[head, 2 + side] += 1


@njit(cache=True)
def _cost(action: int, gold: Int64s, stack: Int64s, depth: int, first: int, size: int) -> int:
    """Number of correct heads that an action makes unreachable; `gold` has the root's index for words attached to it."""
    cost = 0
    if action == SHIFT_ACTION:
        for k in range(depth):
            cost += gold[stack[k]] == first
            cost += k < depth - 1 and gold[first] == stack[k]
        return cost
    top = stack[depth - 1]
    for k in range(first, size):
        cost += gold[k] == top
    head = gold[top]
    if action == LEFT_ACTION:
        return cost + (head > first or (depth > 1 and head == stack[depth - 2]))
    return cost + (head >= first)


@njit(cache=True, nogil=True)
def parse_tokens(parts: UInt64s, ids: Int32s, tags: Int8s, offsets: Int64s, weights: Int8s) -> Int32s:
    """Index of each token's head in its segment, -1 for a root; shape (tokens,). Segments become projective trees. O(tokens)."""
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
            _write_atoms(parts, ids, tags, begin, size, stack, depth, first, children, places, atoms)
            template_keys(TEMPLATES, atoms, keys)
            add_scores(keys, weights, mask, scores)
            best = -1
            for action in range(ACTIONS):
                if _allowed(action, depth, first, size) and (best < 0 or scores[action] > scores[best]):
                    best = action
            if best == SHIFT_ACTION:
                stack[depth] = first
                depth, first = depth + 1, first + 1
            else:
                depth -= 1
                _attach(children, heads, begin, size, stack[depth], first if best == LEFT_ACTION else stack[depth - 1])
    return heads


@njit(cache=True, nogil=True)
def train_heads(
    parts: UInt64s, ids: Int32s, tags: Int8s, offsets: Int64s, right: Int64s, order: Int64s,
    weights: Float64s, squares: Float64s, sums: Float64s, rate: float, exploration: float, seed: int, time: int,
) -> int:  # fmt: skip
    """Train for one pass over the segments in `order`, and return the time afterwards.

    `right` are heads, with the segment's size for a root. Each state is learned with the likeliest of the cheapest actions. After a
    share `exploration` of states, the parser follows the model's best action, so that it learns to recover from its errors.
    """
    heads = np.full(len(ids), NO_HEAD, np.int32)
    places, atoms, keys = np.empty(PLACES, np.int64), np.empty(ATOMS, np.uint64), np.empty(KEYS, np.uint64)
    scores = np.empty(ACTIONS, np.float64)
    mask = np.uint64(len(weights) - ACTIONS - 1)
    state = mix(np.uint64(11), np.uint64(seed))
    for i in order:
        begin, size = offsets[i], offsets[i + 1] - offsets[i]
        stack, children = np.empty(size + 1, np.int64), np.zeros((size + 1, 4), np.int64)
        children[:, :2] = -1
        gold = right[begin : begin + size]
        depth = first = 0
        while depth or first < size:
            time += 1
            _write_atoms(parts, ids, tags, begin, size, stack, depth, first, children, places, atoms)
            template_keys(TEMPLATES, atoms, keys)
            add_scores(keys, weights, mask, scores)
            best = cheapest = -1
            lowest_cost = 0
            for action in range(ACTIONS):
                if not _allowed(action, depth, first, size):
                    continue
                cost = _cost(action, gold, stack, depth, first, size)
                if best < 0 or scores[action] > scores[best]:
                    best = action
                if cheapest < 0 or cost < lowest_cost or (cost == lowest_cost and scores[action] > scores[cheapest]):
                    cheapest, lowest_cost = action, cost
            step(keys, scores, cheapest, weights, squares, sums, mask, rate, time)
            state = mix(state, np.uint64(time))
            action = best if uniform(state) < exploration else cheapest
            if action == SHIFT_ACTION:
                stack[depth] = first
                depth, first = depth + 1, first + 1
            else:
                depth -= 1
                _attach(children, heads, begin, size, stack[depth], first if action == LEFT_ACTION else stack[depth - 1])
    return time
