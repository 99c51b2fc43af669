"""Hashed weights: slots of keys, scores of choices, and steps of learning.

The weights of a key for all choices are adjacent, from slot ``key & mask`` on. A key may begin at any of
2^b weights. Keys may collide and then share weights; training adapts to this.
"""

import numpy as np
from numba import njit

from app.arrays import Float64s, Int32s, Int64s, UInt64s

__all__ = ["NO_ATOM", "add_scores", "mix", "slot", "step", "template_keys", "uniform"]

NO_ATOM = -1
# Smaller gradients are skipped. This saves three steps of four, and most weights stay zero.
NEGLIGIBLE = 1e-3
# Initial value of the sums of squared gradients (AdaGrad).
FIRST_SQUARE = 1e-2


@njit(cache=True)
def mix(key: np.uint64, value: np.uint64) -> np.uint64:
    """Combine a key and a value into a key."""
    key = (key ^ value) * np.uint64(0x9E3779B97F4A7C15)
    return key ^ (key >> np.uint64(29))


@njit(cache=True)
def template_keys(templates: Int64s, atoms: UInt64s, keys: UInt64s) -> None:
    """Write a key of each template, from its number and its `atoms`.

    `templates` has shape (keys, places), padded by `NO_ATOM`.
    """
    for k in range(len(templates)):
        key = mix(np.uint64(0), np.uint64(k + 1))
        for place in templates[k]:
            if place != NO_ATOM:
                key = mix(key, atoms[place])
        keys[k] = key


@njit(cache=True)
def slot(key: np.uint64, mask: np.uint64) -> int:
    """First slot of a key's weights."""
    return int((key >> np.uint64(20)) & mask)


@njit(cache=True)
def uniform(state: np.uint64) -> float:
    """Pseudo-random number in [0, 1) from a state of `mix`."""
    return np.float64((state >> np.uint64(33)) & np.uint64(0xFFFFFF)) / 16777216.0


@njit(cache=True)
def add_scores(keys: UInt64s, weights: Int32s | Float64s, mask: np.uint64, scores: Int32s | Float64s) -> None:
    """Write the scores of all choices: sums of the weights of the keys."""
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
    """Make a step of AdaGrad on the negative log-probability of the choice `right`.

    `sums` collects changes weighted by `time`, for averaging. `scores` are overwritten.
    """
    largest, total = scores.max(), 0.0
    for k in range(len(scores)):
        scores[k] = np.exp(scores[k] - largest)
        total += scores[k]
    for k in range(len(scores)):
        gradient = scores[k] / total - (1.0 if k == right else 0.0)
        if abs(gradient) < NEGLIGIBLE:
            continue
        for j in range(len(keys)):
            index = slot(keys[j], mask) + k
            squares[index] += gradient * gradient
            change = -rate * gradient / np.sqrt(squares[index] + FIRST_SQUARE)
            weights[index] += change
            sums[index] += time * change
