"""Lattices of target orders: the smallest automaton of several orders of a sentence (thesis, section 3.6; digest 2.12)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from app.arrays import Float64s
from app.errors import InputError
from app.smt.decoder.decoder import BARS, LONGEST_SENTENCE
from app.smt.decoder.word_lattices.reading import EPSILON

__all__ = ["OrderArc", "OrderLattice", "decodable_lattice", "lattice_of_orders"]


@dataclass(frozen=True)
class OrderArc:
    """Step between two nodes that puts out the word at a source position; words at other positions are not confused with it."""

    start: int
    end: int
    position: int


@dataclass(frozen=True)
class OrderLattice:
    """Arcs by start node and position. Node 0 begins each order and the last node ends it; each arc leads to a later node."""

    nodes: int
    arcs: tuple[OrderArc, ...]

    def probabilities(self, pairs: Float64s) -> list[float]:
        """Mean probability, for each arc, that its word precedes the words still to come; 1 for the last word of an order.

        `pairs[u, v]` is the probability that word u precedes word v, shape (n, n).
        """
        later: list[frozenset[int]] = [frozenset()] * self.nodes
        results = [1.0] * len(self.arcs)
        for number in range(len(self.arcs) - 1, -1, -1):
            arc = self.arcs[number]
            rest = later[arc.end]
            later[arc.start] = rest | {arc.position}
            if rest:
                results[number] = float(np.mean([pairs[arc.position, word] for word in rest]))
        return results

    def plf(self, words: Sequence[str], probabilities: Sequence[float]) -> str:
        """The lattice in Moses' Python lattice format, which `assay smt decode --lattice` reads; one probability per arc.

        InputError (`invalid-character`) for a word that the format uses for itself.
        """
        for place, word in enumerate(words):
            if word == EPSILON or BARS in word:
                raise InputError("invalid-character", f"a lattice has no word {EPSILON} and none with {BARS}", ("words", place))
        columns: list[list[str]] = [[] for _ in range(self.nodes - 1)]
        for arc, probability in zip(self.arcs, probabilities, strict=True):
            word = words[arc.position].replace("\\", "\\\\").replace("'", "\\'")
            columns[arc.start].append(f"('{word}',{probability:.6g},{arc.end - arc.start}),")
        return "(" + "".join(f"({''.join(column)})," for column in columns) + ")" if columns else ""


def lattice_of_orders(orders: Sequence[Sequence[int]]) -> OrderLattice:
    """The smallest deterministic lattice of exactly these orders, each of all positions 0 … n - 1.

    Nodes with equal continuations are one node. Time is linear in the positions of all orders.
    """
    children: list[dict[int, int]] = [{}]
    levels = [0]
    for order in orders:
        node = 0
        for position in order:
            child = children[node].get(position)
            if child is None:
                child = children[node][position] = len(children)
                children.append({})
                levels.append(levels[node] + 1)
            node = child
    # Children come after their parents, so the continuations of a node are known before those of its parent.
    classes: dict[tuple[tuple[int, int], ...], int] = {}
    numbers = [0] * len(children)
    for node in range(len(children) - 1, -1, -1):
        continuations = tuple(sorted((position, numbers[child]) for position, child in children[node].items()))
        numbers[node] = classes.setdefault(continuations, len(classes))
    # Equal continuations have equal lengths, so that a class has one level; the levels put nodes in topological order.
    level_of_class = dict(zip(numbers, levels, strict=True))
    places = {
        number: place for place, number in enumerate(sorted(level_of_class, key=lambda number: (level_of_class[number], -number)))
    }
    arcs = [
        OrderArc(places[number], places[child], position)
        for continuations, number in classes.items()
        for position, child in continuations
    ]
    return OrderLattice(len(places), tuple(sorted(arcs, key=lambda arc: (arc.start, arc.position))))


def decodable_lattice(orders: Sequence[Sequence[int]]) -> tuple[OrderLattice, int]:
    """Lattice of as many of the first orders as the decoder reads, and their number: all, or else a half, a quarter …"""
    count = len(orders)
    lattice = lattice_of_orders(orders)
    while lattice.nodes > LONGEST_SENTENCE and count > 1:
        count = (count + 1) // 2
        lattice = lattice_of_orders(orders[:count])
    return lattice, count
