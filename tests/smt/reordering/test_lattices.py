"""Lattices of orders against enumeration, Myhill and Nerode, and the decoder's reader."""

from collections.abc import Sequence
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.errors import InputError
from app.smt.decoder.decoder import LONGEST_SENTENCE
from app.smt.decoder.word_lattices.reading import parse_plf
from app.smt.reordering.decoding import distribution_of
from app.smt.reordering.lattices import OrderLattice, decodable_lattice, lattice_of_orders

WORKED = [(0, 1, 2, 3), (1, 0, 3, 2), (1, 0, 2, 3)]


def language(lattice: OrderLattice) -> list[tuple[int, ...]]:
    """Every path from the first node to the last."""
    paths: list[tuple[int, ...]] = []
    stack: list[tuple[int, tuple[int, ...]]] = [(0, ())]
    while stack:
        node, path = stack.pop()
        if node == lattice.nodes - 1:
            paths.append(path)
        stack.extend((arc.end, (*path, arc.position)) for arc in lattice.arcs if arc.start == node)
    return paths


def residuals(orders: Sequence[tuple[int, ...]]) -> set[frozenset[tuple[int, ...]]]:
    """The sets of continuations of all beginnings: as many as states of the smallest automaton (Myhill and Nerode)."""
    beginnings = {order[:k] for order in orders for k in range(len(order) + 1)}
    return {frozenset(order[len(begin) :] for order in orders if order[: len(begin)] == begin) for begin in beginnings}


def test_worked_example() -> None:
    lattice = lattice_of_orders(WORKED)
    assert (lattice.nodes, len(lattice.arcs)) == (8, 9)
    larger = lattice_of_orders([*WORKED, (0, 1, 3, 2)])
    assert (larger.nodes, len(larger.arcs)) == (7, 8)


@given(st.integers(1, 5).flatmap(lambda n: st.lists(st.sampled_from(sorted(permutations(range(n)))), min_size=1, max_size=12)))
def test_a_lattice_is_smallest_and_has_exactly_its_orders(orders: list[tuple[int, ...]]) -> None:
    lattice = lattice_of_orders(orders)
    assert sorted(language(lattice)) == sorted(set(orders))
    assert lattice.nodes == len(residuals(orders))
    assert all(arc.start < arc.end for arc in lattice.arcs)


@given(st.permutations(list("ab'\\\"c")), st.data())
def test_the_decoder_reads_each_order(words: list[str], data: st.DataObject) -> None:
    orders = data.draw(st.lists(st.permutations(range(len(words))), min_size=1, max_size=6, unique_by=tuple))
    distribution = distribution_of(np.array(orders))
    lattice = lattice_of_orders(orders)
    probabilities = lattice.probabilities(distribution.pairs)
    read = parse_plf(lattice.plf(words, probabilities), 1, "lattice", 1)
    assert read.length == lattice.nodes - 1
    arcs = [arc for row in read.arcs for arc in row]
    assert [(arc.start, arc.end, arc.word) for arc in arcs] == [(arc.start, arc.end, words[arc.position]) for arc in lattice.arcs]
    assert np.exp([arc.scores[0] for arc in arcs]) == pytest.approx(probabilities, rel=1e-5, abs=1e-40)


def test_probabilities_are_those_of_preceding_the_rest() -> None:
    distribution = distribution_of(np.array(WORKED), np.array([0.4, 0.3, 0.3]))
    lattice = lattice_of_orders(WORKED)
    by_arc = dict(zip(lattice.arcs, lattice.probabilities(distribution.pairs), strict=True))
    # Word 0 precedes word 1 with probability .4, and the words 2 and 3 always.
    starts = {arc.position: value for arc, value in by_arc.items() if arc.start == 0}
    assert starts == pytest.approx({0: (0.4 + 1 + 1) / 3, 1: (0.6 + 1 + 1) / 3})
    assert all(value == 1 for arc, value in by_arc.items() if arc.end == lattice.nodes - 1)


def test_empty_sentences_and_single_words() -> None:
    assert lattice_of_orders([()]) == OrderLattice(1, ())
    assert lattice_of_orders([()]).plf([], []) == ""
    assert lattice_of_orders([(0,)]).plf(["a"], [1.0]) == "((('a',1,1),),)"


def test_words_of_the_format_itself_are_refused() -> None:
    lattice = lattice_of_orders([(0,)])
    for word in ("*EPS*", "|||"):
        with pytest.raises(InputError, match="no word"):
            lattice.plf([word], [1.0])


def test_lattices_fit_into_the_decoder() -> None:
    rng = np.random.default_rng(1)
    orders = [tuple(rng.permutation(60).tolist()) for _ in range(40)]
    lattice, count = decodable_lattice(orders)
    assert lattice.nodes <= LONGEST_SENTENCE and 0 < count < 40
    assert sorted(language(lattice)) == sorted(orders[:count])
    assert decodable_lattice(WORKED)[1] == 3
