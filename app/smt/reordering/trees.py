"""Permutation trees: bracketings of a permutation into blocks, with the order of the children of each (digest 1.A, 2.3–2.7)."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import comb, prod
from typing import Final, Literal

import numpy as np

from app.arrays import Int64s
from app.errors import InputError
from app.smt.reordering.tree_kernels import binarise, flat_tree, left_tree

__all__ = ["LONGEST", "Branching", "Tree", "permutation_of", "tree_of"]

Branching = Literal["left", "right", "flat"]
# Limit of the positions of a permutation.
LONGEST: Final = 2000


@dataclass(frozen=True, eq=False)
class Tree:
    """A tree over positions 0 … size - 1; its nodes stand in postorder.

    `children[offsets[i] : offsets[i + 1]]` are the children of node i: a node, or -1 - p for the leaf of position p.
    `places` has the place of each child in the output, from 0.
    """

    size: int
    offsets: Int64s
    children: Int64s
    places: Int64s

    @property
    def nodes(self) -> int:
        """Number of nodes that are no leaves."""
        return len(self.offsets) - 1

    @cached_property
    def operators(self) -> list[tuple[int, ...]]:
        """Operator of each node: the place of each child in the output, from 1."""
        places = (self.places + 1).tolist()
        return [tuple(places[begin:stop]) for begin, stop in zip(self.offsets[:-1], self.offsets[1:], strict=True)]

    @property
    def arity(self) -> int:
        """Number of children that the widest operator orders; chains of a binary operator count as 2, a single leaf as 1."""
        return max((2 if _binary(operator) else len(operator) for operator in self.operators), default=1)

    @cached_property
    def spans(self) -> Int64s:
        """Begin and end of each node, as gaps between positions; shape (nodes, 2)."""
        spans = np.empty((self.nodes, 2), np.int64)
        for i in range(self.nodes):
            first, last = self.children[self.offsets[i]], self.children[self.offsets[i + 1] - 1]
            spans[i] = -1 - first if first < 0 else spans[first, 0], -last if last < 0 else spans[last, 1]
        return spans

    def trees(self) -> int:
        """Number of trees of the permutation, exactly; of the flat tree only (thesis, equations 2.50 and 2.51)."""
        chains = (len(operator) - 1 for operator in self.operators if _binary(operator))
        return prod(comb(2 * links, links) // (links + 1) for links in chains)

    def order(self) -> list[int]:
        """Positions in the order of the output, from 0 (the tree's yield, digest 2.10)."""
        orders: list[list[int]] = []
        for i in range(self.nodes):
            begin, stop = self.offsets[i], self.offsets[i + 1]
            parts: list[list[int]] = [[]] * (stop - begin)
            for child, place in zip(self.children[begin:stop], self.places[begin:stop], strict=True):
                parts[place] = [-1 - int(child)] if child < 0 else orders[child]
            orders.append([position for part in parts for position in part])
        return orders[-1] if orders else list(range(self.size))

    def text(self, leaves: Sequence[str]) -> str:
        """The tree in brackets, `P21(c P12(a b))`, with a text for each leaf."""
        texts: list[str] = []
        for i, operator in enumerate(self.operators):
            parts = [leaves[-1 - c] if c < 0 else texts[c] for c in self.children[self.offsets[i] : self.offsets[i + 1]]]
            texts.append(f"{label_of(operator)}({' '.join(parts)})")
        return texts[-1] if texts else " ".join(leaves)


def label_of(operator: tuple[int, ...]) -> str:
    """Label of an operator: P12, P21, P2413; commas from ten children on."""
    if _binary(operator):
        return "P12" if operator[0] == 1 else "P21"
    return "P" + ("," if len(operator) > 9 else "").join(map(str, operator))


def _binary(operator: tuple[int, ...]) -> bool:
    """Return True if places rise or fall one by one: no wider operator does."""
    return abs(operator[1] - operator[0]) == 1 and (len(operator) == 2 or abs(operator[2] - operator[1]) == 1)


def permutation_of(values: Sequence[int], place: tuple[str | int, ...] = ("permutation",)) -> Int64s:
    """Ranks from 0 of a permutation of 1 … n. InputError for gaps, repeats and more than `LONGEST` values."""
    if len(values) > LONGEST:
        raise InputError("segment-too-long", f"a permutation has at most {LONGEST} numbers; this one has {len(values)}", place)
    previous: dict[int, int] = {}
    for i, value in enumerate(values):
        if not 1 <= value <= len(values):
            raise InputError("invalid-request", f"{value} is none of the numbers 1 to {len(values)}", (*place, i))
        if value in previous:
            raise InputError("invalid-request", f"{value} stands twice, at {previous[value] + 1} and at {i + 1}", (*place, i))
        previous[value] = i
    return np.array(values, np.int64) - 1


def tree_of(ranks: Int64s, branching: Branching = "left") -> Tree:
    """Tree of a permutation given as ranks from 0. The left-branching one is canonical; "flat" merges binary chains.

    ValueError for ranks with gaps or repeats.
    """
    if not np.array_equal(np.sort(ranks), np.arange(len(ranks))):
        raise ValueError(f"{len(ranks)} ranks of a permutation are 0 to {len(ranks) - 1}, each once")
    if branching == "left":
        return Tree(len(ranks), *left_tree(ranks))
    flat = flat_tree(ranks)
    return Tree(len(ranks), *(flat if branching == "flat" else binarise(*flat, True)))
