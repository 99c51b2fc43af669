"""Worked examples of the digest that no other test of this room has: 4.1, 4.2 and 4.7 to 4.10."""

from itertools import permutations

import numpy as np
import pytest

from app.smt.reordering.chart_kernels import gains
from app.smt.reordering.decoding import distribution_of
from app.smt.reordering.grammar import Grammar
from app.smt.reordering.labels import LABELS, OPERATORS, Layout
from app.smt.reordering.learning import expected_counts
from app.smt.reordering.treebank import Trees, build_treebank, unit_tree
from app.smt.reordering.trees import Tree, label_of, permutation_of, tree_of
from app.smt.reordering.units import ranks_of_words
from tests.smt.reordering.enumeration import Nested, trees
from tests.smt.reordering.test_grammar import MONOTONE, worked_grammar
from tests.smt.reordering.test_units import LINKS

FLAT = [
    ("1 2", "P12(1 2)"), ("2 1", "P21(2 1)"), ("1 2 3 4", "P12(1 2 3 4)"), ("4 3 2 1", "P21(4 3 2 1)"),
    ("2 4 1 3", "P2413(2 4 1 3)"), ("3 1 4 2", "P3142(3 1 4 2)"), ("2 1 4 3", "P12(P21(2 1) P21(4 3))"),
    ("3 4 1 2", "P21(P12(3 4) P12(1 2))"), ("1 2 3 5 4", "P12(1 2 3 P21(5 4))"), ("2 4 1 5 3", "P24153(2 4 1 5 3)"),
    ("2 4 1 3 5", "P12(P2413(2 4 1 3) 5)"), ("5 7 2 4 1 3 6", "P2413(5 7 P2413(2 4 1 3) 6)"),
    ("5 6 7 8 4 1 2 3", "P21(P12(5 6 7 8) 4 P12(1 2 3))"), ("6 7 8 5 4 1 2 3", "P21(P12(6 7 8) 5 4 P12(1 2 3))"),
    ("3 2 1", "P21(3 2 1)"), ("1 2 5 3 4 6 7 8 9", "P12(1 2 P21(5 P12(3 4)) 6 7 8 9)"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), FLAT)
def test_flat_trees(text: str, expected: str) -> None:
    assert tree_of(permutation_of([int(value) for value in text.split()]), "flat").text(text.split()) == expected


def test_both_trees_of_three_inverted_blocks() -> None:
    ranks = permutation_of([3, 2, 1])
    leaves = ["A", "because", "B"]
    assert tree_of(ranks, "right").text(leaves) == "P21(A P21(because B))"
    assert tree_of(ranks, "left").text(leaves) == "P21(P21(A because) B)"
    assert tree_of(ranks, "flat").trees() == 2


@pytest.mark.parametrize(
    ("text", "trace"),
    [
        ("1 2 3 5 4", "S1 S2 R2:12 S3 R2:12 S5 S4 R2:21 R2:12"), ("2 4 1 3", "S2 S4 S1 S3 R4:2413"),
        ("5 7 2 4 1 3 6", "S5 S7 S2 S4 S1 S3 R4:2413 S6 R4:2413"), ("3 4 1 2", "S3 S4 R2:12 S1 S2 R2:12 R2:21"),
    ],
)  # fmt: skip
def test_reductions_follow_the_last_word_of_their_span(text: str, trace: str) -> None:
    values = text.split()
    tree = tree_of(permutation_of([int(value) for value in values]))
    steps = []
    for position, value in enumerate(values, 1):
        steps.append(f"S{value}")
        nodes = [operator for operator, (_, end) in zip(tree.operators, tree.spans.tolist(), strict=True) if end == position]
        steps += [f"R{len(operator)}:{label_of(operator)[1:]}" for operator in nodes]
    assert " ".join(steps) == trace


def test_numbers_of_trees_are_catalan() -> None:
    counts = [tree_of(np.arange(length), "flat").trees() for length in range(1, 11)]
    assert counts == [1, 1, 2, 5, 14, 42, 132, 429, 1430, 4862]


def test_forest_of_a_flat_tree() -> None:
    tree = tree_of(permutation_of([1, 2, 3, 5, 4]), "flat")
    forest = {}
    for i, operator in enumerate(tree.operators):
        codes = tree.children[tree.offsets[i] : tree.offsets[i + 1]].tolist()
        ends = [int(tree.spans[code, 1]) if code >= 0 else -code for code in codes]
        bounds = [int(tree.spans[i, 0]), *ends]
        for begin in range(len(bounds)):
            for end in range(begin + 2, len(bounds)):
                forest[bounds[begin], bounds[end]] = (label_of(operator), bounds[begin + 1 : end])
    assert forest == {
        (0, 2): ("P12", [1]), (1, 3): ("P12", [2]), (0, 3): ("P12", [1, 2]), (3, 5): ("P21", [4]), (2, 5): ("P12", [3]),
        (1, 5): ("P12", [2, 3]), (0, 5): ("P12", [1, 2, 3]),
    }  # fmt: skip


def test_source_in_the_order_of_the_target() -> None:
    words = ["I", "will", "wait", "for", "you", "the", "day", "after", "tomorrow"]
    order = np.argsort(ranks_of_words(9, LINKS, "mean", "right"))
    assert " ".join(words[position] for position in order) == "I will for you wait the day after tomorrow"


def flattened(tree: Nested) -> Nested:
    """An explicit tree whose chains of a binary operator are one node; the operator stays that of two children."""
    if isinstance(tree, int):
        return tree
    operator, children = tree
    parts: list[Nested] = []
    for child in map(flattened, children):
        is_chain = isinstance(child, tuple) and len(operator) == 2 and child[0] == operator
        parts.extend(child[1] if is_chain and isinstance(child, tuple) else [child])
    return operator, tuple(parts)


def nested(tree: Tree) -> Nested:
    results: list[Nested] = []
    for i, operator in enumerate(tree.operators):
        codes = tree.children[tree.offsets[i] : tree.offsets[i + 1]]
        short = {"P12": (1, 2), "P21": (2, 1)}.get(label_of(operator), operator)
        results.append((short, tuple(-1 - int(code) if code < 0 else results[code] for code in codes)))
    return results[-1] if results else 0


def widest(tree: Nested) -> int:
    return 1 if isinstance(tree, int) else max(len(tree[0]), *map(widest, tree[1]))


@pytest.mark.parametrize("length", range(1, 8))
def test_flat_trees_and_arities_of_all_permutations(length: int) -> None:
    for values in permutations(range(length)):
        explicit = trees(values)
        flat, left = tree_of(np.array(values), "flat"), tree_of(np.array(values))
        assert {nested(flat)} == set(map(flattened, explicit))
        assert left.arity == flat.arity == widest(explicit[0])


@pytest.mark.parametrize("kind", ["forest", "itg", "left", "right"])
def test_inside_sums_count_the_trees_of_all_permutations(kind: Trees) -> None:
    """With 1 in place of each probability, the inside sum of a sentence is its number of trees."""
    rows = [values for length in range(2, 8) for values in permutations(range(length))]
    ranks = [np.array(values) for values in rows]
    widths = [tree_of(row).arity for row in ranks]
    sentences = [(["a"] * len(row), np.column_stack([np.arange(len(row)), row])) for row in ranks]
    treebank = build_treebank(sentences, kind, rare=0)
    layout = Layout(1, 1)
    symbols, slots = int(layout.symbols[-1]), int(layout.slots[-1])
    ones = Grammar(layout, treebank.words, np.ones(symbols), np.ones((slots, symbols)), np.ones((len(treebank.words), slots)))
    usable = [row for row, width in zip(rows, widths, strict=True) if width <= (2 if kind == "itg" else 5)]
    expected = [len(trees(row)) if kind in ("forest", "itg") else 1 for row in usable]
    assert np.exp(expected_counts(ones, treebank).logs) == pytest.approx(expected)


@pytest.mark.parametrize(("splits", "arity", "rules"), [(30, 2, 1830), (30, 4, 3630), (30, 5, 4530), (3, 4, 39), (3, 5, 48)])
def test_rules_of_a_split_label(splits: int, arity: int, rules: int) -> None:
    """A label whose children all have its own number of splits: a rule for each split, and for each child a table of splits."""
    layout = Layout(splits, splits)
    label = next(number for number, operator in enumerate(OPERATORS) if len(operator) == arity)
    slots = int(layout.slots[label + 1] - layout.slots[label])
    assert slots * splits + splits == rules


def test_rules_with_children_of_two_labels() -> None:
    layout = Layout(2, 2)
    first, second = LABELS.index("P12"), LABELS.index("P2413")
    per_child = int(layout.slots[2] - layout.slots[1]) // 2
    assert 2 + sum(per_child * int(layout.splits[child]) for child in (first, second)) == 10


def test_expected_counts_of_both_bracketings() -> None:
    treebank = build_treebank([(["a", "b", "c"], MONOTONE)], rare=0)
    counts = expected_counts(worked_grammar(treebank), treebank)
    a, b, c = (treebank.words.index(word) for word in "abc")
    assert [counts.rules[0, 0], counts.emissions[a, 0], counts.emissions[b, 0]] == pytest.approx([0.5, 1, 0.5])
    assert [counts.rules[1, 0], counts.emissions[b, 1], counts.emissions[c, 1]] == pytest.approx([0.5, 0.5, 1])


def test_outputs_of_operators() -> None:
    outputs = {
        label: " ".join(letter for _, letter in sorted(zip(OPERATORS[LABELS.index(label)], "ABCD", strict=True)))
        for label in ("P3142", "P2413")
    }
    assert outputs == {"P3142": "B D A C", "P2413": "C A D B"}
    # P21(P12(a b) P01(u c)) has the output u c a b.
    links = np.array([(0, 1), (1, 2), (3, 0)])
    assert np.argsort(ranks_of_words(4, links, "mean", "right")).tolist() == [2, 3, 0, 1]
    tree = unit_tree(4, links)
    assert not isinstance(tree, str) and [LABELS[label] for label in tree.labels] == ["P01", "P12", "P21"]


def test_inverted_operators_restore_fewer_orders() -> None:
    """Read as the source position of each output, an operator fails on 3,228 of 5,913 permutations, as the digest says."""

    def inverted_yield(tree: Nested) -> list[int]:
        if isinstance(tree, int):
            return [tree]
        return [position for place in tree[0] for position in inverted_yield(tree[1][place - 1])]

    failures = total = 0
    for length in range(1, 8):
        for values in permutations(range(length)):
            total += 1
            order = inverted_yield(nested(tree_of(np.array(values))))
            failures += [values[position] for position in order] != list(range(length))
    assert (failures, total) == (3228, 5913)


def test_gains_of_the_worked_distribution() -> None:
    orders = np.array([[0, 1, 2, 3], [1, 0, 3, 2], [1, 0, 2, 3]])
    pairs = distribution_of(orders, np.array([0.4, 0.3, 0.3])).pairs
    assert gains(orders, pairs) == pytest.approx([5.1, 4.9, 5.3])
    expected = {(0, 1): 0.4, (1, 0): 0.6, (2, 3): 0.7, (3, 2): 0.3}
    for u, v in permutations(range(4), 2):
        assert pairs[u, v] == pytest.approx(expected.get((u, v), float(u < v)))
