"""`Tree` and `Dependencies`: what is known of a sentence's structure, whatever file it came from."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from app.arrays import Bools
from app.errors import InputError

__all__ = ["MOST_NODES", "MOST_WORDS", "Dependencies", "Place", "Tree", "build_tree"]

# File and line, for errors.
Place = tuple[str, int]
# A tree is compared with another node by node: what one takes grows with the product of their nodes and words.
MOST_WORDS: Final = 500
MOST_NODES: Final = 2000
ROOT: Final = -1


@dataclass(frozen=True)
class Tree:
    """A tree of constituents over n words.

    `children` has, for each node, the elements below it in the order of their first words: words are the elements 0 to n - 1,
    nodes the elements from n on, each after those above it and before those to its right; the first node is the root. `tags` are
    of words, "" for none; `labels` of nodes. `heads` says which of its children a node's head is where the file tells it, -1
    where it does not. `names` are the file's own names of all elements, or empty.
    """

    words: tuple[str, ...]
    tags: tuple[str, ...]
    labels: tuple[str, ...]
    children: tuple[tuple[int, ...], ...]
    heads: tuple[int, ...]
    names: tuple[str, ...] = ()

    @cached_property
    def yields(self) -> Bools:
        """Which words each element is or has below it; shape (words + nodes, words)."""
        count = len(self.words)
        below = np.zeros((count + len(self.labels), count), np.bool_)
        below[np.arange(count), np.arange(count)] = True
        for node in range(len(self.labels) - 1, -1, -1):
            below[count + node] = below[list(self.children[node])].any(axis=0)
        return below


@dataclass(frozen=True)
class Dependencies:
    """Words, their tags ("" for none), and the place of the word that governs each, -1 for a root; nothing governs itself."""

    words: tuple[str, ...]
    tags: tuple[str, ...]
    heads: tuple[int, ...]

    def check(self, place: Place) -> "Dependencies":
        """These; InputError where words govern one another in a circle. Linear in their number."""
        state = [0] * len(self.heads)
        for first in range(len(self.heads)):
            path, at = [], first
            while at >= 0 and not state[at]:
                state[at] = 1
                path.append(at)
                at = self.heads[at]
            if at >= 0 and state[at] == 1:
                file, line = place
                raise InputError("invalid-table", f"line {line} of {file}: word {at + 1} governs itself, in a circle", place)
            for word in path:
                state[word] = 2
        return self


def build_tree(
    words: Sequence[str],
    tags: Sequence[str],
    word_parents: Sequence[int],
    labels: Sequence[str],
    node_parents: Sequence[int],
    place: Place,
    heads: Sequence[int] = (),
    names: tuple[Sequence[str], Sequence[str]] | None = None,
) -> Tree:
    """A tree of the nodes above words and nodes, in any order, -1 for none; nodes without words below them are left out.

    Where several elements have nothing above them, a root without a label is put there. `heads` are the elements, words from 0
    and nodes from the number of words on, that are heads of nodes, -1 for none. InputError for nodes in a circle.
    """
    count = len(words)
    parents = [*word_parents, *node_parents]
    first = [*range(count), *([-1] * len(labels))]
    for word in range(count):
        at = parents[word]
        while at >= 0 and first[count + at] < 0:
            first[count + at] = word
            at = parents[count + at]
    below: list[list[int]] = [[] for _ in labels]
    roots: list[int] = []
    for element in sorted((element for element in range(len(parents)) if first[element] >= 0), key=first.__getitem__):
        (below[parents[element]] if parents[element] >= 0 else roots).append(element)
    new_labels, children, new_heads, order = list[str](), list[list[int]](), list[int](), list[int]()
    number = dict(zip(range(count), range(count), strict=True))
    # What is to be visited, and the new node that it is below; None is a root that the file does not have.
    waiting: list[tuple[int | None, int]] = [(None, ROOT)] if len(roots) > 1 else [(root, ROOT) for root in roots]
    while waiting:
        current, parent = waiting.pop()
        if current is None or current >= count:
            new = len(new_labels)
            new_labels.append("" if current is None else labels[current - count])
            children.append([])
            order.append(-1 if current is None else current)
            if current is not None:
                number[current] = count + new
            inside = roots if current is None else below[current - count]
            waiting += [(child, new) for child in reversed(inside)]
            new_element = count + new
        else:
            new_element = current
        if parent >= 0:
            children[parent].append(new_element)
    if sum(value >= 0 for value in first) > len(number):
        file, line = place
        raise InputError("invalid-table", f"line {line} of {file}: a node is below itself", place)
    for new, original in enumerate(order):
        head = heads[original - count] if len(heads) and original >= 0 else -1
        new_heads.append(children[new].index(number[head]) if head >= 0 and number.get(head) in children[new] else -1)
    all_names: tuple[str, ...] = ()
    if names is not None:
        all_names = (*names[0], *("" if element < 0 else names[1][element - count] for element in order))
    return Tree(
        tuple(words), tuple(tags), tuple(new_labels), tuple(tuple(inside) for inside in children), tuple(new_heads), all_names
    )
