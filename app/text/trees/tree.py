"""`Tree` and `Dependencies`: the structure of a sentence, for all file formats."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from app.arrays import Bools
from app.errors import InputError

__all__ = ["MOST_NODES", "MOST_WORDS", "Dependencies", "FileLine", "Tree", "build_tree", "nested_text", "size_error"]

# File and line, for errors.
FileLine = tuple[str, int]
# The cost of an alignment grows with the product of nodes and words of two trees.
MOST_WORDS: Final = 500
MOST_NODES: Final = 2000
ROOT: Final = -1


def size_error(place: FileLine) -> InputError:
    """Error for a tree of more than `MOST_WORDS` words or `MOST_NODES` nodes."""
    file, line = place
    detail = f"line {line} of {file}: a tree has at most {MOST_WORDS} words and {MOST_NODES} nodes"
    return InputError("segment-too-long", detail, place)


@dataclass(frozen=True)
class Tree:
    """A tree of constituents over n words.

    Elements 0 to n - 1 are words; elements from n on are nodes in preorder, the root first.

    - `tags` of words, "" for none; `labels` of nodes
    - `children`: child elements of each node, in the order of their first words
    - `heads`: index of the marked head among the children of each node, -1 without a mark
    - `names`: ids of all elements in the file, or empty
    """

    words: tuple[str, ...]
    tags: tuple[str, ...]
    labels: tuple[str, ...]
    children: tuple[tuple[int, ...], ...]
    heads: tuple[int, ...]
    names: tuple[str, ...] = ()

    @cached_property
    def yields(self) -> Bools:
        """Mask of the words of each element; shape (words + nodes, words)."""
        count = len(self.words)
        below = np.zeros((count + len(self.labels), count), np.bool_)
        below[np.arange(count), np.arange(count)] = True
        for node in range(len(self.labels) - 1, -1, -1):
            below[count + node] = below[list(self.children[node])].any(axis=0)
        return below


@dataclass(frozen=True)
class Dependencies:
    """Words, their tags ("" for none), and the position of each governor, -1 for a root, without cycles."""

    words: tuple[str, ...]
    tags: tuple[str, ...]
    heads: tuple[int, ...]

    def check(self, place: FileLine) -> "Dependencies":
        """Return self; InputError for a cycle of governors. Linear in the number of words."""
        state = [0] * len(self.heads)
        for first in range(len(self.heads)):
            path, at = [], first
            while at >= 0 and not state[at]:
                state[at] = 1
                path.append(at)
                at = self.heads[at]
            if at >= 0 and state[at] == 1:
                file, line = place
                raise InputError("invalid-table", f"line {line} of {file}: word {at + 1} governs itself, in a cycle", place)
            for word in path:
                state[word] = 2
        return self


def nested_text(tree: Tree, word_texts: Sequence[str], nest: Callable[[str, str], str]) -> str | None:
    """Text of the root, with `nest(label, texts of its children)` for each node; None for a tree without nodes.

    InputError for a discontinuous node.
    """
    count = len(tree.words)
    texts = [*word_texts, *([""] * len(tree.labels))]
    for node in range(len(tree.labels) - 1, -1, -1):
        places = tree.yields[count + node].nonzero()[0]
        if places[-1] - places[0] >= len(places):
            raise InputError("invalid-table", f"node n{node} is discontinuous; nested text cannot express this")
        texts[count + node] = nest(tree.labels[node], " ".join(texts[child] for child in tree.children[node]))
    return texts[count] if tree.labels else None


def build_tree(
    words: Sequence[str],
    tags: Sequence[str],
    word_parents: Sequence[int],
    labels: Sequence[str],
    node_parents: Sequence[int],
    place: FileLine,
    heads: Sequence[int] = (),
    names: tuple[Sequence[str], Sequence[str]] | None = None,
) -> Tree:
    """Tree from parents of words and of nodes (node numbers in any order, -1 for none); nodes without words are left out.

    Several elements without a parent get a root without a label. `heads` are head elements of nodes, -1 for none; node k is element
    ``len(words) + k``. InputError for nodes in a cycle.
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
    # Elements to visit, with their new parent; None is the added root.
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
