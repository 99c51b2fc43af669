"""Measures of permutations against the worked examples of the thesis on permutation trees, and an independent tree builder."""

from fractions import Fraction as F
from itertools import combinations, pairwise, permutations
from math import comb
from statistics import fmean

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.permutations.permutation_kernels import permutation_similarities, ranks_of_links
from app.permutations.similarities import SIMILARITIES

Tree = int | tuple  # a value, or (operator, children)


def measures(*rows: tuple[int, ...], beta: float = 0.6, only: int = -1) -> np.ndarray:
    offsets = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64)
    flat = np.array([value - 1 for row in rows for value in row], np.int64)
    return permutation_similarities(flat, offsets, beta, only)


def of(row: str, name: str, beta: float = 0.6) -> float:
    return float(measures(tuple(map(int, row.split())), beta=beta)[0, SIMILARITIES.index(name)])


# kendall hamming spearman ulam fuzzy |PET| MAX|Op| #PETs
FLAT = {
    "1 2 3 4": "1 1 1 1 1 1 1 1",
    "4 3 2 1": "0 0 0 0 0 1 1 1",
    "2 4 1 3": "1/2 0 1/2 1/3 0 0 0 0",
    "2 1 4 3": "2/3 0 4/5 1/3 0 1 1 0",
    "3 4 1 2": "1/3 0 1/5 1/3 2/3 1 1 0",
    "1 2 3 5 4": "9/10 3/5 19/20 3/4 1/2 1 1 4/13",
    "5 4 3 2 1": "0 1/5 0 0 0 1 1 1",
    "2 4 1 3 5": "7/10 1/5 3/4 1/2 0 1/3 1/3 0",
    "2 4 1 5 3": "3/5 0 13/20 1/2 0 0 0 0",
    "5 7 2 4 1 3 6": "3/7 1/7 11/28 1/3 0 1/5 3/5 0",
    "5 6 7 8 4 1 2 3": "9/28 0 1/6 3/7 5/7 1 1 19/428",
    "1 2 5 3 4 6 7 8 9": "17/18 2/3 39/40 7/8 5/8 1 1 131/1429",
}
RECURSIVE = {
    "1 2 3 4 5": ("1", "1"),
    "5 4 3 2 1": ("0", "0"),
    "2 4 1 3": ("0", "0"),
    "2 4 1 5 3": ("0", "0"),
    "2 1 4 3": ("3/5", "3/5"),
    "3 4 1 2": ("2/5", "2/5"),
    "2 3 1": ("2/5", "2/5"),
    "3 1 2": ("2/5", "2/5"),
    "1 3 2": ("3/5", "3/5"),
    "2 1 3": ("3/5", "3/5"),
    "1 2 3 5 4": ("4/5", "331/375"),
    "2 3 1 5 4": ("17/25", "17/25"),
    "2 4 1 3 5": ("3/5", "3/5"),
    "3 4 2 1": ("4/25", "9/50"),
    "4 3 1 2": ("1/5", "9/50"),
    "1 4 5 3 2": ("83/125", "84/125"),
    "1 5 4 2 3": ("17/25", "84/125"),
    "3 4 5 2 1": ("4/25", "9/50"),
    "4 5 6 1 2 3": ("2/5", "2/5"),
    "5 6 7 8 4 1 2 3": ("7/25", "7/25"),
    "6 7 8 5 4 1 2 3": ("29/125", "79/375"),
    "1 2 5 3 4 6 7 8 9": ("15577/15625", "1237751/1250000"),
}


@pytest.mark.parametrize("row", FLAT)
def test_flat_and_counting_measures_of_the_digest(row: str) -> None:
    expected = [float(F(each)) for each in FLAT[row].split()]
    assert measures(tuple(map(int, row.split())))[0, :8] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("row", RECURSIVE)
def test_recursive_measures_of_the_digest(row: str) -> None:
    tree, forest = RECURSIVE[row]
    assert of(row, "recpet") == pytest.approx(float(F(tree)), abs=1e-12)
    assert of(row, "recpef") == pytest.approx(float(F(forest)), abs=1e-12)


def test_beta_moves_between_leaves_and_root() -> None:
    for beta, forest, tree in ((0, "5/12", "1/2"), (0.5, "5/6", "3/4"), (1, "1", "1")):
        assert of("1 2 3 5 4", "recpef", beta) == pytest.approx(float(F(forest)))
        assert of("1 2 3 5 4", "recpet", beta) == pytest.approx(float(F(tree)))
    for beta, both in ((0, 1.0), (0.5, 3 / 8), (1, 0.0)):
        assert of("5 6 7 8 4 1 2 3", "recpef", beta) == of("5 6 7 8 4 1 2 3", "recpet", beta) == pytest.approx(both)


# An independent construction: the shift-reduce parser of the thesis, with explicit trees.


def shift_reduce(row: tuple[int, ...]) -> Tree:
    def values(tree: Tree) -> list[int]:
        return [tree] if isinstance(tree, int) else [v for child in tree[1] for v in values(child)]

    stack: list[Tree] = []
    for value in row:
        stack.append(value)
        reduced = True
        while reduced:
            reduced = False
            for k in range(2, len(stack) + 1):
                top = stack[-k:]
                held = [v for tree in top for v in values(tree)]
                if max(held) - min(held) + 1 == len(held):
                    least = [min(values(tree)) for tree in top]
                    stack[-k:] = [(tuple(sorted(least).index(m) + 1 for m in least), top)]
                    reduced = True
                    break
    (only,) = stack
    return only


def flat(tree: Tree) -> Tree:
    if isinstance(tree, int):
        return tree
    operator, children = tree[0], [flat(child) for child in tree[1]]
    if len(operator) > 2:
        return operator, children
    spliced = [c for child in children for c in (child[1] if isinstance(child, tuple) and child[0] == operator else [child])]
    return operator, spliced


def nodes(tree: Tree) -> list[tuple]:
    return [] if isinstance(tree, int) else [tree, *(node for child in tree[1] for node in nodes(child))]


def catalan(n: int) -> int:
    return comb(2 * n, n) // (n + 1)


def test_all_permutations_up_to_seven_against_explicit_trees() -> None:
    for n in range(3, 8):
        rows = list(permutations(range(1, n + 1)))
        found = measures(*rows)
        binary = prime = 0
        for row, have in zip(rows, found, strict=True):
            tree = shift_reduce(row)
            inner = nodes(tree)
            widths = [len(node[0]) for node in inner]
            trees = 1
            for node in nodes(flat(tree)):
                if len(node[0]) == 2:
                    trees *= catalan(len(node[1]) - 1)
            binary += max(widths) == 2
            prime += len(inner) == 1 and n > 2
            assert have[5] == pytest.approx((len(inner) - 1) / (n - 2))
            assert have[6] == pytest.approx(1 - (max(widths) - 2) / (n - 2))
            assert have[7] == pytest.approx((trees - 1) / (catalan(n - 1) - 1), abs=1e-12)
            shares = [sum(node[0] == o for node in inner) for o in ((1, 2), (2, 1))]
            shares += [widths.count(4), sum(w > 4 for w in widths)]
            assert have[10:14] == pytest.approx([share / len(inner) for share in shares])
        assert binary == {3: 6, 4: 22, 5: 90, 6: 394, 7: 1806}[n]
        assert prime == {3: 0, 4: 2, 5: 6, 6: 46, 7: 338}[n]


def test_all_measures_but_recpet_are_those_of_the_inverse() -> None:
    directed = ("recpet", "arity-4", "arity-more", "monotone", "inverted")
    same = [k for k, name in enumerate(SIMILARITIES) if name not in directed]
    recpet = SIMILARITIES.index("recpet")
    exceptions = 0
    for n in range(1, 8):
        rows = list(permutations(range(1, n + 1)))
        values, inverse = measures(*rows), measures(*[tuple(row.index(v) + 1 for v in range(1, n + 1)) for row in rows])
        assert np.allclose(values[:, same], inverse[:, same])
        exceptions += int((~np.isclose(values[:, recpet], inverse[:, recpet])).sum())
    # Digest 2.8.
    assert exceptions == 756


def test_recursive_measures_of_all_permutations_against_explicit_inferences() -> None:
    """The mean over all inferences of a span, or the one of the left tree: that whose last child is shortest."""
    for n in range(2, 8):
        rows = list(permutations(range(n)))
        values = measures(*[tuple(value + 1 for value in row) for row in rows])
        for row, got in zip(rows, values, strict=True):
            for name, forest in (("recpet", False), ("recpef", True)):
                assert got[SIMILARITIES.index(name)] == pytest.approx(recursive(row, forest), abs=1e-12), (row, name)


def blocks(row: tuple[int, ...]) -> set[tuple[int, int]]:
    """Spans of contiguous values, from their definition."""
    spans = combinations(range(len(row) + 1), 2)
    return {(i, j) for i, j in spans if max(row[i:j]) - min(row[i:j]) == j - i - 1}


def recursive(row: tuple[int, ...], forest: bool, beta: float = 0.6) -> float:
    spans = blocks(row)

    def score(i: int, j: int) -> float:
        for arity in range(2, j - i + 1):
            cuts = [(i, *cut, j) for cut in combinations(range(i + 1, j), arity - 1)]
            inferences = [cut for cut in cuts if all(part in spans for part in pairwise(cut))]
            if inferences:
                break
        operator = float(arity == 2 and row[i] < row[j - 1])
        if arity == j - i:
            return operator
        used = inferences if forest else [max(inferences)]
        means = [fmean(score(*part) for part in pairwise(cut) if part[1] - part[0] > 1) for cut in used]
        return beta * operator + (1 - beta) * fmean(means)

    return score(0, len(row))


def test_recursive_measures_of_classes() -> None:
    for n in range(1, 8):
        assert measures(tuple(range(1, n + 1)))[0, 8:10] == pytest.approx([1, 1])
        if n > 1:
            assert measures(tuple(range(n, 0, -1)))[0, 8:10] == pytest.approx([0, 0])
    assert [SIMILARITIES[8], SIMILARITIES[9]] == ["recpet", "recpef"]
    for n in range(4, 8):
        prime = [row for row in permutations(range(1, n + 1)) if len(blocks(row)) == n + 1]
        assert len(prime) == {4: 2, 5: 6, 6: 46, 7: 338}[n]
        assert not measures(*prime)[:, 8:10].any()


@given(st.permutations(range(1, 15)), st.integers(0, 9))
def test_one_measure_is_the_same_alone_and_with_all(row: list[int], only: int) -> None:
    assert measures(tuple(row), only=only)[0, only] == measures(tuple(row))[0, only]


def test_given_alignments_become_permutations() -> None:
    links = np.array([3, 4, -1, 0, 0], np.int64)
    ranks, offsets = ranks_of_links(links, np.array([0, 3, 5], np.int64))
    assert ranks.tolist() == [0, 1, 0, 1]
    assert offsets.tolist() == [0, 2, 4]
