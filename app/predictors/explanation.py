"""Shapley values: the part of each feature in the difference between a prediction and that of an average segment.

Exact for linear predictors and for few features; otherwise the mean over random orders of the features, each
also backwards (Štrumbelj and Kononenko 2014; Mitchell et al. 2022). Values of one segment add up to its prediction
minus the average segment's, whatever the orders.
"""

from functools import cache
from itertools import combinations
from math import comb
from typing import Final

import numpy as np

from app.arrays import Bools, Float64s
from app.predictors.regressor import Regressor
from app.running.deadline import check_deadline

__all__ = ["EXACT_FEATURES", "ORDERS", "SEED", "explanation_method", "shapley_values"]

# Pairs of an order and its reverse; more would move values by less than neighbouring segments differ.
ORDERS: Final = 4
SEED: Final = 12345
# Up to this many features, all subsets need fewer evaluations than orders.
EXACT_FEATURES: Final = 8
# Numbers in memory at once.
MOST_NUMBERS: Final = 1_000_000


def explanation_method(regressor: Regressor, features: int) -> str:
    """``exact``, or ``sampled``."""
    return "exact" if regressor.slopes() is not None or features <= EXACT_FEATURES else "sampled"


def shapley_values(regressor: Regressor, x: Float64s) -> Float64s:
    """Shapley values of standardised features (n, k), in standardised labels; the average segment has all features 0."""
    slopes = regressor.slopes()
    if slopes is not None:
        return x * slopes
    k = x.shape[1]
    present, weights = _subsets(k) if k <= EXACT_FEATURES else _orders(k)
    out = np.empty(x.shape)
    rows = max(1, MOST_NUMBERS // max(1, present.size))
    for begin in range(0, len(x), rows):
        check_deadline()
        part = x[begin : begin + rows]
        inputs = np.where(present, part[:, None, :], 0.0).reshape(-1, k)
        out[begin : begin + rows] = regressor.means(inputs).reshape(len(part), -1) @ weights
    return out


@cache
def _orders(k: int) -> tuple[Bools, Float64s]:
    """Features present in each evaluation (evaluations, k), and its weights in the value of each feature."""
    rng = np.random.default_rng(SEED)
    orders = [direction for _ in range(ORDERS) for order in [rng.permutation(k)] for direction in (order, order[::-1])]
    present = np.zeros((2 + len(orders) * (k - 1), k), np.bool_)
    present[1] = True
    weights = np.zeros((len(present), k))
    share, place = 1.0 / len(orders), 2
    for order in orders:
        steps = [0, *range(place, place + k - 1), 1]
        for step, feature in enumerate(order):
            if step < k - 1:
                present[place + step, order[: step + 1]] = True
            weights[steps[step + 1], feature] += share
            weights[steps[step], feature] -= share
        place += k - 1
    return present, weights


@cache
def _subsets(k: int) -> tuple[Bools, Float64s]:
    """Features and weights of one evaluation per subset of the features (Shapley 1953)."""
    subsets = [set(subset) for size in range(k + 1) for subset in combinations(range(k), size)]
    present = np.array([[feature in subset for feature in range(k)] for subset in subsets])
    weights = np.zeros((len(subsets), k))
    for row, members in enumerate(subsets):
        for feature in range(k):
            rest_size = len(members) - (feature in members)
            weights[row, feature] = (1 if feature in members else -1) / (k * comb(k - 1, rest_size))
    return present, weights
