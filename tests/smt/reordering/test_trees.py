"""Permutation trees against explicit ones, and against the worked examples of the thesis's digest (4.1)."""

from itertools import permutations
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.errors import InputError
from app.smt.reordering.tree_kernels import block_starts
from app.smt.reordering.trees import LONGEST, Branching, Tree, permutation_of, tree_of
from tests.smt.reordering.enumeration import Nested, blocks, trees

WORKED = [
    ("1 2 3 4", "P12(P12(P12(1 2) 3) 4)", 5, 3),
    ("4 3 2 1", "P21(P21(P21(4 3) 2) 1)", 5, 3),
    ("2 4 1 3", "P2413(2 4 1 3)", 1, 1),
    ("3 1 4 2", "P3142(3 1 4 2)", 1, 1),
    ("2 1 4 3", "P12(P21(2 1) P21(4 3))", 1, 3),
    ("3 4 1 2", "P21(P12(3 4) P12(1 2))", 1, 3),
    ("1 2 3 5 4", "P12(P12(P12(1 2) 3) P21(5 4))", 5, 4),
    ("2 4 1 5 3", "P24153(2 4 1 5 3)", 1, 1),
    ("2 4 1 3 5", "P12(P2413(2 4 1 3) 5)", 1, 2),
    ("5 7 2 4 1 3 6", "P2413(5 7 P2413(2 4 1 3) 6)", 1, 2),
    ("5 6 7 8 4 1 2 3", "P21(P21(P12(P12(P12(5 6) 7) 8) 4) P12(P12(1 2) 3))", 20, 7),
    ("6 7 8 5 4 1 2 3", "P21(P21(P21(P12(P12(6 7) 8) 5) 4) P12(P12(1 2) 3))", 20, 7),
    ("1 2 5 3 4 6 7 8 9", "P12(P12(P12(P12(P12(P12(1 2) P21(5 P12(3 4))) 6) 7) 8) 9)", 132, 8),
]


@pytest.mark.parametrize(("text", "tree", "count", "nodes"), WORKED)
def test_worked_examples(text: str, tree: str, count: int, nodes: int) -> None:
    ranks = permutation_of([int(value) for value in text.split()])
    left = tree_of(ranks)
    assert left.text(text.split()) == tree
    assert left.nodes == nodes
    assert tree_of(ranks, "flat").trees() == count


def test_flat_and_right_branching_trees_of_worked_examples() -> None:
    text = "5 6 7 8 4 1 2 3"
    ranks = permutation_of([int(value) for value in text.split()])
    assert tree_of(ranks, "flat").text(text.split()) == "P21(P12(5 6 7 8) 4 P12(1 2 3))"
    assert tree_of(ranks, "right").text(text.split()) == "P21(P12(5 P12(6 P12(7 8))) P21(4 P12(1 P12(2 3))))"


def nested(tree: Tree) -> Nested:
    """A tree of arrays as nested tuples."""
    results: list[Nested] = []
    for i, operator in enumerate(tree.operators):
        codes = tree.children[tree.offsets[i] : tree.offsets[i + 1]]
        results.append((operator, tuple(-1 - int(code) if code < 0 else results[code] for code in codes)))
    return results[-1] if results else 0


@pytest.mark.parametrize("length", range(1, 8))
def test_trees_of_all_permutations(length: int) -> None:
    prime = separable = 0
    for values in permutations(range(length)):
        ranks = np.array(values)
        explicit = trees(values)
        left, right, flat = (tree_of(ranks, branching) for branching in ("left", "right", "flat"))
        assert nested(left) in explicit
        assert nested(right) in explicit
        assert flat.trees() == len(explicit)
        for tree in (left, right, flat):
            # The yield puts the positions into the order of their values.
            assert [values[position] for position in tree.order()] == list(range(length))
            assert set(map(tuple, tree.spans.tolist())) <= set(blocks(values))
        starts = [min(i for i, stop in blocks(values) if stop == end + 1) for end in range(length)]
        assert block_starts(ranks).tolist() == starts
        prime += length > 1 and left.nodes == 1 and len(left.children) == length
        separable += left.arity <= 2
    # Simple permutations and separable ones (large Schröder numbers).
    assert prime == [0, 2, 0, 2, 6, 46, 338][length - 1]
    assert separable == [1, 2, 6, 22, 90, 394, 1806][length - 1]


def test_no_child_of_a_chain_in_the_left_tree_is_a_right_child() -> None:
    for values in (values for length in range(1, 8) for values in permutations(range(length))):
        tree = tree_of(np.array(values))
        for i, operator in enumerate(tree.operators):
            last = tree.children[tree.offsets[i + 1] - 1]
            assert not (len(operator) == 2 and last >= 0 and tree.operators[last] == operator)


@settings(max_examples=50, deadline=None)
@given(st.integers(1, LONGEST), st.integers(0, 2**32 - 1), st.integers(0, 3))
def test_both_parsers_agree_on_long_permutations(length: int, seed: int, swaps: int) -> None:
    ranks = np.arange(length)
    rng = np.random.default_rng(seed)
    for _ in range(length if swaps == 3 else swaps):
        begin, middle, end = sorted(rng.integers(0, length + 1, 3))
        ranks[begin:end] = np.concatenate([ranks[middle:end], ranks[begin:middle]])
    flat, left = tree_of(ranks, "flat"), tree_of(ranks)
    assert flat.order() == left.order() == np.argsort(ranks).tolist()
    assert left.arity == flat.arity
    assert left.nodes == sum(len(operator) - 1 if tree_is_chain(operator) else 1 for operator in flat.operators)


def tree_is_chain(operator: tuple[int, ...]) -> bool:
    return operator in (tuple(range(1, len(operator) + 1)), tuple(range(len(operator), 0, -1)))


def test_counts_are_exact_beyond_floats() -> None:
    assert tree_of(np.arange(400), "flat").trees() == comb(798, 399) // 400


@pytest.mark.parametrize("ranks", [[1, 1], [0, 2], [-1, 0], [5, 0], [0] * 50, [10**9]])
def test_ranks_that_are_no_permutation_are_refused(ranks: list[int]) -> None:
    branchings: tuple[Branching, ...] = ("left", "right", "flat")
    for branching in branchings:
        with pytest.raises(ValueError, match="each once"):
            tree_of(np.array(ranks), branching)


@pytest.mark.parametrize("values", [[1, 3], [1, 1], [0, 1], [2], list(range(1, LONGEST + 2))])
def test_gaps_repeats_and_length_are_refused(values: list[int]) -> None:
    with pytest.raises(InputError):
        permutation_of(values)
