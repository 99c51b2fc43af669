"""Weights behind hashes: where those of a key stand, what choices score, and a step towards the right one.

The weights of a key for all choices stand side by side, from ``key & mask`` on, so that a table of 2^b weights has room for one key
per weight; keys that meet share weights, which learning finds out.
"""

import numpy as np
from numba import njit

from app.arrays import Float64s, Int32s, Int64s, UInt64s

__all__ = ["NONE", "add_scores", "mixed", "slot", "step", "template_keys", "uniform"]

NONE = -1
# Below this a probability is right enough: three steps of four are none, and most weights stay zero.
NEGLIGIBLE = 1e-3
# What the squares of gradients begin with (AdaGrad).
FIRST_SQUARE = 1e-2


@njit(cache=True)
def mixed(key: np.uint64, value: np.uint64) -> np.uint64:
    """A key of a key and one more value."""
    key = (key ^ value) * np.uint64(0x9E3779B97F4A7C15)
    return key ^ (key >> np.uint64(29))


@njit(cache=True)
def template_keys(templates: Int64s, atoms: UInt64s, keys: UInt64s) -> None:
    """A key of each template: of its number and of those of the `atoms` that it names; shape (keys, places), `NONE` for no more."""
    for k in range(len(templates)):
        key = mixed(np.uint64(0), np.uint64(k + 1))
        for place in templates[k]:
            if place != NONE:
                key = mixed(key, atoms[place])
        keys[k] = key


@njit(cache=True)
def slot(key: np.uint64, mask: np.uint64) -> int:
    """Where the weights of a key begin."""
    return int((key >> np.uint64(20)) & mask)


@njit(cache=True)
def uniform(state: np.uint64) -> float:
    """A number in [0, 1) of a state of `mixed`."""
    return np.float64((state >> np.uint64(33)) & np.uint64(0xFFFFFF)) / 16777216.0


@njit(cache=True)
def add_scores(keys: UInt64s, weights: Int32s | Float64s, mask: np.uint64, scores: Int32s | Float64s) -> None:
    """Scores of all choices: sums of the weights of the keys."""
    scores[:] = 0
    for j in range(len(keys)):
        base = slot(keys[j], mask)
        for k in range(len(scores)):
            scores[k] += weights[base + k]


@njit(cache=True)
def step(
    keys: UInt64s, scores: Float64s, right: int, weights: Float64s, squares: Float64s, sums: Float64s,
    mask: np.uint64, rate: float, time: int,
) -> None:  # fmt: skip
    """One step of AdaGrad on the negative log-probability of `right`; `sums` gets what averaging over time needs.

    `scores` are turned into probabilities.
    """
    top, total = scores.max(), 0.0
    for k in range(len(scores)):
        scores[k] = np.exp(scores[k] - top)
        total += scores[k]
    for k in range(len(scores)):
        gradient = scores[k] / total - (1.0 if k == right else 0.0)
        if abs(gradient) < NEGLIGIBLE:
            continue
        for j in range(len(keys)):
            at = slot(keys[j], mask) + k
            squares[at] += gradient * gradient
            change = -rate * gradient / np.sqrt(squares[at] + FIRST_SQUARE)
            weights[at] += change
            sums[at] += time * change
