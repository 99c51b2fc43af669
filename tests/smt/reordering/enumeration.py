"""Explicit trees and derivations, for comparison with packed ones."""

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import combinations, pairwise, product

import numpy as np

from app.arrays import Float64s
from app.smt.reordering.grammar import Grammar
from app.smt.reordering.labels import LABELS, OPERATORS, Layout

# A leaf is its position, a node its operator and children.
Nested = int | tuple[tuple[int, ...], tuple["Nested", ...]]


def blocks(values: Sequence[int]) -> list[tuple[int, int]]:
    """Spans [i, j) with contiguous values."""
    n = len(values)
    return [(i, j) for i in range(n) for j in range(i + 1, n + 1) if max(values[i:j]) - min(values[i:j]) == j - i - 1]


def trees(values: Sequence[int]) -> list[Nested]:
    """All trees of a permutation: each node has as few children as possible, every child is a block."""
    spans = set(blocks(values))

    @cache
    def below(i: int, j: int) -> tuple[Nested, ...]:
        if j - i == 1:
            return (i,)
        for arity in range(2, j - i + 1):
            results: list[Nested] = []
            for cuts in combinations(range(i + 1, j), arity - 1):
                bounds = (i, *cuts, j)
                parts = list(pairwise(bounds))
                if all(part in spans for part in parts):
                    heads = [values[begin] for begin, _ in parts]
                    operator = tuple(sorted(heads).index(head) + 1 for head in heads)
                    results.extend((operator, children) for children in product(*(below(*part) for part in parts)))
            if results:
                return tuple(results)
        raise AssertionError("each block splits into its single positions at the latest")

    return list(below(0, len(values)))


def leaves(tree: Nested) -> int:
    """Number of leaves below a node."""
    return 1 if isinstance(tree, int) else sum(leaves(child) for child in tree[1])


def derivations(grammar: Grammar, words: Sequence[str]) -> Iterator[tuple[float, tuple[int, ...]]]:
    """Probability and output order of every derivation of the words."""
    layout = grammar.layout

    def symbol(number: int, i: int, j: int) -> Iterator[tuple[float, tuple[int, ...]]]:
        label = int(layout.labels_of_symbols[number])
        split, operator = number - int(layout.symbols[label]), OPERATORS[label]
        arity = len(operator)
        for cuts in combinations(range(i + 1, j), arity - 1):
            bounds = (i, *cuts, j)
            slots = [int(layout.slots[label] + child * layout.splits[label] + split) for child in range(arity)]
            parts = [list(slot(slots[child], bounds[child], bounds[child + 1])) for child in range(arity)]
            for choice in product(*parts):
                probability = float(np.prod([part[0] for part in choice]))
                placed = sorted(zip(operator, (part[1] for part in choice), strict=True))
                yield probability, tuple(position for _, order in placed for position in order)

    def slot(number: int, i: int, j: int) -> Iterator[tuple[float, tuple[int, ...]]]:
        text = " ".join(words[i:j])
        terminal = grammar.words.index(text) if text in grammar.words else 0 if j - i == 1 else -1
        if terminal >= 0 and grammar.emissions[terminal, number] > 0:
            yield float(grammar.emissions[terminal, number]), tuple(range(i, j))
        if j - i > 1:
            for child in range(int(layout.symbols[-1])):
                if grammar.rules[number, child] > 0:
                    for probability, order in symbol(child, i, j):
                        yield probability * float(grammar.rules[number, child]), order

    for root in range(int(layout.symbols[-1])):
        if grammar.roots[root] > 0:
            for probability, order in symbol(root, 0, len(words)):
                yield probability * float(grammar.roots[root]), order


def random_grammar(layout: Layout, words: tuple[str, ...], labels: Sequence[str], seed: int) -> Grammar:
    """Grammar with random distributions over a few labels."""
    rng = np.random.default_rng(seed)
    mask = np.isin(layout.labels_of_symbols, [LABELS.index(label) for label in labels])
    rules: Float64s = rng.random((int(layout.slots[-1]), len(mask))) * mask
    emissions = rng.random((len(words), len(rules)))
    totals = rules.sum(1) + emissions.sum(0)
    roots = rng.random(len(mask)) * mask
    return Grammar(layout, words, roots / roots.sum(), rules / totals[:, None], emissions / totals)
