"""Latent treebanks: permutation trees over the minimal phrases of word-aligned sentences (thesis, sections 3.2 and 3.3)."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import Final, Literal

import numpy as np

from app.arrays import Int64s
from app.smt.reordering.labels import BINARY, LABELS, OPERATORS, UNALIGNED_FIRST, UNALIGNED_SECOND
from app.smt.reordering.terminals import class_text, terminals_of
from app.smt.reordering.trees import Branching, Tree, label_of, tree_of
from app.smt.reordering.units import Attachment, check_links, phrases_of

__all__ = ["LINKED_WORDS", "LONGEST", "SHORTEST", "Treebank", "Trees", "UnitTree", "build_treebank", "unit_tree"]

Trees = Literal["forest", "itg", "left", "right"]
# Sentences with fewer linked words say nothing about order.
LINKED_WORDS: Final = 2
# Words of a training sentence.
SHORTEST: Final = 2
LONGEST: Final = 50
NUMBERS: Final = {label: number for number, label in enumerate(LABELS[: len(OPERATORS) - 2])}
BRANCHINGS: Final[Mapping[Trees, Branching]] = {"forest": "flat", "itg": "flat", "left": "left", "right": "right"}


@dataclass(frozen=True, eq=False)
class UnitTree:
    """A labelled tree over the words of a sentence. A child is a node, or -1 - u for a unit; units are word spans [begin, end)."""

    units: list[tuple[int, int]]
    labels: list[int]
    children: list[list[int]]


@dataclass(frozen=True, eq=False)
class Treebank:
    """Trees of many sentences, unit_trees; the arrays are those of `expectation_kernels.expect`.

    `words` has the text of each terminal, as `terminals` describes them. `lengths` counts the words of sentences, and `omissions`
    the sentences left out, by reason.
    """

    words: tuple[str, ...]
    nodes: Int64s
    labels: Int64s
    offsets: Int64s
    children: Int64s
    lengths: Int64s
    omissions: Mapping[str, int]

    @property
    def sentences(self) -> int:
        """Number of sentences."""
        return len(self.lengths)


def unit_tree(length: int, links: Int64s, trees: Trees = "forest", attach: Attachment = "right") -> UnitTree | str:
    """Tree over the minimal phrases and unaligned words of a sentence, or the reason why a grammar cannot use it.

    An unaligned word joins the unit on its side `attach`, or on the other at the edge of the sentence. The nearest word joins
    first. ValueError for links outside of the words.
    """
    check_links(length, links)
    if len(np.unique(links[:, 0])) < LINKED_WORDS:
        return "linked words"
    phrases = phrases_of(links)
    tree = tree_of(phrases.ranks, BRANCHINGS[trees])
    if tree.arity > (BINARY if trees == "itg" else 5):
        return "arity"
    spans = [(int(begin), int(end)) for begin, end in phrases.spans]
    units: list[tuple[int, int]] = []
    labels: list[int] = []
    children: list[list[int]] = []

    def join(label: int, first: int, second: int) -> int:
        labels.append(label)
        children.append([first, second])
        return len(labels) - 1

    def unit(begin: int, end: int) -> int:
        units.append((begin, end))
        return -len(units)

    heads: list[int] = []
    for k, (begin, end) in enumerate(spans):
        # Words before the first unit, or between two units, that join on the right; then words that join on the left.
        gap = range(spans[k - 1][1] if k else 0, begin) if attach == "right" or k == 0 else range(0)
        after = (
            range(end, spans[k + 1][0] if k + 1 < len(spans) else length) if attach == "left" or k + 1 == len(spans) else range(0)
        )
        before = [unit(word, word + 1) for word in gap]
        head = unit(begin, end)
        for word in reversed(before):
            head = join(UNALIGNED_FIRST, word, head)
        for word in after:
            head = join(UNALIGNED_SECOND, head, unit(word, word + 1))
        heads.append(head)
    return UnitTree(units, *_with_nodes(tree, heads, labels, children))


def _with_nodes(tree: Tree, heads: list[int], labels: list[int], children: list[list[int]]) -> tuple[list[int], list[list[int]]]:
    """Labels and children with the nodes of a tree over heads added; a head alone below the root has a node already."""
    shift = len(labels)
    for i, operator in enumerate(tree.operators):
        labels.append(NUMBERS[label_of(operator)])
        codes = tree.children[tree.offsets[i] : tree.offsets[i + 1]]
        children.append([heads[-1 - code] if code < 0 else int(code) + shift for code in codes])
    return labels, children


def build_treebank(
    sentences: Iterable[tuple[Sequence[str], Int64s]], trees: Trees = "forest", attach: Attachment = "right", rare: int = 3,
    shortest: int = SHORTEST, longest: int = LONGEST, classes: Iterable[Sequence[str]] | None = None,
) -> Treebank:  # fmt: skip
    """Treebank of sentences: words, and links of the shape (k, 2), and perhaps a class for each word of a sentence.

    A unit seen at most `rare` times is a class or unknown, as `terminals` describes.

    Sentences outside of `shortest` to `longest` words, with fewer than two linked words, or of an arity above the
    grammar's are left out and counted.
    """
    unit_trees: list[UnitTree] = []
    texts: list[tuple[str, str]] = []
    lengths: list[int] = []
    omissions: Counter[str] = Counter()
    rows = zip(sentences, repeat(()) if classes is None else classes, strict=classes is not None)
    for (words, links), names in rows:
        result = unit_tree(len(words), links, trees, attach) if shortest <= len(words) <= longest else "length"
        if isinstance(result, str) or not result.labels:
            omissions[result if isinstance(result, str) else "single unit"] += 1
            continue
        unit_trees.append(result)
        texts.extend((" ".join(words[begin:end]), class_text(names[begin:end])) for begin, end in result.units)
        lengths.append(len(words))
    vocabulary, numbers = terminals_of(texts, rare)
    nodes, labels, offsets = [0], [], [0]
    children: list[int] = []
    first = 0
    for tree in unit_trees:
        labels.extend(tree.labels)
        nodes.append(len(labels))
        for codes in tree.children:
            children.extend(code if code >= 0 else -1 - numbers[first - 1 - code] for code in codes)
            offsets.append(len(children))
        first += len(tree.units)
    return Treebank(
        vocabulary, np.array(nodes), np.array(labels, np.int64), np.array(offsets), np.array(children, np.int64),
        np.array(lengths, np.int64), dict(omissions),
    )  # fmt: skip
