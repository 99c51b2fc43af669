"""Target orders of a source sentence under a Reordering Grammar (thesis, section 3.3.3; digest 2.11)."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from app.arrays import Float64s, Int64s
from app.smt.reordering.chart_kernels import combine, expected_pairs, gains, sample_orders
from app.smt.reordering.grammar import Grammar
from app.smt.reordering.labels import OPERATORS
from app.smt.reordering.terminals import number_of_span

__all__ = ["Chart", "OrderDistribution", "distribution_of", "parse"]

# Any child may be any single word, so that each sentence has a tree. The most probable slot of a word has 1.
FLOOR: Final = 1e-9
OPERATOR_TABLE: Final = np.array([operator + (0,) * (5 - len(operator)) for operator in OPERATORS])


@dataclass(frozen=True, eq=False)
class Chart:
    """Inside values of a sentence. `log_probability` is that of the words under the grammar, -inf without any tree."""

    grammar: Grammar
    slot_values: Float64s
    item_values: Float64s
    symbol_values: Float64s
    terminals: Float64s
    log_probability: float

    def sample(self, samples: int, seed: int) -> Int64s:
        """Source positions in output order, drawn by the probability of their derivations; shape (samples, n)."""
        layout = self.grammar.layout
        orders: Int64s = sample_orders(
            samples, seed, self.slot_values, self.item_values, self.symbol_values, self.terminals, self.grammar.rules,
            self.grammar.roots, layout.splits, layout.arities, layout.symbols, layout.slots, OPERATOR_TABLE,
        )  # fmt: skip
        return orders


@dataclass(frozen=True, eq=False)
class OrderDistribution:
    """Distinct orders of a sentence with their probabilities, the least risky first; orders have the shape (k, n).

    The risk of an order is its expected Kendall distance, the share of word pairs in another order (thesis, equations 3.3–3.8).
    """

    orders: Int64s
    probabilities: Float64s
    risks: Float64s
    pairs: Float64s

    @property
    def best(self) -> list[int]:
        """Source positions in the least risky order."""
        return [int(position) for position in self.orders[0]]

    @cached_property
    def entropy(self) -> float:
        """Entropy of the distribution over orders, in bits."""
        return float(-(self.probabilities * np.log2(self.probabilities)).sum())


def parse(grammar: Grammar, words: Sequence[str], classes: Sequence[str] = ()) -> Chart:
    """Chart over all spans of words, perhaps with their classes, without pruning; memory and time grow with n² and n³."""
    n, layout = len(words), grammar.layout
    slot_count, symbol_count = int(layout.slots[-1]), int(layout.symbols[-1])
    terminals, scale = _terminals(grammar, words, classes)
    slot_values, item_values = np.zeros((n + 1, n + 1, slot_count)), np.zeros((n + 1, n + 1, slot_count))
    symbol_values = np.zeros((n + 1, n + 1, symbol_count))
    rules = np.ascontiguousarray(grammar.rules.T)
    for size in range(1, n + 1):
        begins = np.arange(n - size + 1)
        if size > 1:
            combine(size, slot_values, item_values, symbol_values, layout.splits, layout.arities, layout.symbols, layout.slots)
        slot_values[begins, begins + size] = terminals[begins, begins + size] + symbol_values[begins, begins + size] @ rules
    mass = float(grammar.roots @ symbol_values[0, n])
    return Chart(grammar, slot_values, item_values, symbol_values, terminals, scale + math.log(mass) if mass > 0 else -math.inf)


def _terminals(grammar: Grammar, words: Sequence[str], classes: Sequence[str]) -> tuple[Float64s, float]:
    """Probabilities of the terminals of each span, each word's scaled to at most 1; and the logarithm of all scales."""
    n = len(words)
    numbers = [number_of_span(grammar.numbers, words[i : i + 1], classes[i : i + 1]) for i in range(n)]
    rows = grammar.emissions[np.array(numbers, np.int64)]
    scales = rows.max(1)
    scales = np.where(scales > 0, scales, 1.0)
    terminals = np.zeros((n + 1, n + 1, grammar.emissions.shape[1]))
    terminals[np.arange(n), np.arange(1, n + 1)] = np.maximum(rows / scales[:, None], FLOOR)
    for i in range(n):
        for j in range(i + 2, min(n, i + grammar.longest_terminal) + 1):
            number = number_of_span(grammar.numbers, words[i:j], classes[i:j])
            if number is not None:
                terminals[i, j] = grammar.emissions[number] / scales[i:j].prod()
    return terminals, float(np.log(scales).sum())


def distribution_of(orders: Int64s, weights: Float64s | None = None) -> OrderDistribution:
    """Distribution of orders of the shape (k, n), by their weights or else equally; equal rows are one order."""
    # Rows as bytes of big numbers first, which sort like the rows themselves and much faster.
    rows = np.ascontiguousarray(orders, ">u2").view(f"V{2 * orders.shape[1]}").ravel()
    _, firsts, inverse = np.unique(rows, return_index=True, return_inverse=True)
    distinct = orders[firsts]
    probabilities = np.bincount(inverse, weights)
    probabilities = probabilities / probabilities.sum()
    pairs = expected_pairs(distinct, probabilities)
    n = orders.shape[1]
    risks = 1 - gains(distinct, pairs) / (n * (n - 1) / 2) if n > 1 else np.zeros(len(distinct))
    ranking = np.lexsort((-probabilities, risks))
    return OrderDistribution(distinct[ranking], probabilities[ranking], risks[ranking], pairs)
