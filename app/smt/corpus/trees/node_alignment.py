"""Greedy links between nodes of two trees, by lexical probabilities of words inside and outside (Zhechev 2009)."""

from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Final

import numpy as np

from app.arrays import Float64s, Int8s, UInt64s
from app.smt.corpus.lines import line_error, numbered_lines
from app.smt.corpus.phrases.lexical import LEXICAL_E2F, LEXICAL_F2E
from app.text.hashing import combine_all, hash_tokens
from app.text.trees.tree import Tree

__all__ = ["FLOOR", "NodeAligner", "WordProbabilities", "node_scores"]

# Minimum probability of a word, given words without a link to it.
FLOOR: Final = 1e-3
LINES: Final = 1 << 16
INSIDE, ABOVE, EQUAL = 1, 2, 3


@dataclass(frozen=True)
class WordProbabilities:
    """p(word | condition) of pairs of words, with sorted keys of both."""

    keys: UInt64s
    values: Float64s

    @classmethod
    def read(cls, path: Path) -> "WordProbabilities":
        """Read lines ``word condition probability``, gzipped or plain; InputError (`invalid-table`) names a malformed line."""
        keys, values, lines = [np.empty(0, np.uint64)], [np.empty(0)], numbered_lines(path)
        while part := list(islice(lines, LINES)):
            rows = [line.split() for _, line in part]
            values.append(np.array([_probability(row, path, number) for row, (number, _) in zip(rows, part, strict=True)]))
            keys.append(combine_all(hash_tokens([row[0] for row in rows]), hash_tokens([row[1] for row in rows])))
        return cls.of(np.concatenate(keys), np.concatenate(values))

    @classmethod
    def of(cls, keys: UInt64s, values: Float64s) -> "WordProbabilities":
        """Table from keys in any order."""
        order = np.argsort(keys)
        return cls(keys[order], values[order])

    def between(self, words: UInt64s, conditions: UInt64s) -> Float64s:
        """p(word | condition) of all pairs of hashes, 0 for absent pairs; shape (words, conditions)."""
        keys = combine_all(np.repeat(words, len(conditions)), np.tile(conditions, len(words)))
        if not len(self.keys):
            return np.zeros((len(words), len(conditions)))
        places = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        values: Float64s = np.where(self.keys[places] == keys, self.values[places], 0.0)
        return values.reshape(len(words), len(conditions))


def _probability(row: list[str], path: Path, number: int) -> float:
    try:
        value = float(row[2]) if len(row) == 3 else -1.0
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise line_error(path, number, "is not two words and a probability")
    return value


@dataclass(frozen=True)
class NodeAligner:
    """Aligner of trees by p(source word | target word) and p(target word | source word).

    `floor` is the minimum probability of a word, given the words of a node. Nodes are linked first, then words within linked
    nodes; with `mixed` a word may be linked to a node.
    """

    source_given_target: WordProbabilities
    target_given_source: WordProbabilities
    floor: float = FLOOR
    mixed: bool = False

    @classmethod
    def read(cls, folder: Path, floor: float = FLOOR, mixed: bool = False) -> "NodeAligner":
        """Aligner with the lexical tables `lex.e2f` and `lex.f2e` of a folder."""
        return cls(WordProbabilities.read(folder / LEXICAL_E2F), WordProbabilities.read(folder / LEXICAL_F2E), floor, mixed)

    def align(self, source: Tree, target: Tree) -> list[tuple[int, int]]:
        """Links of elements of both trees, in the order of the source; an element has at most one link.

        The aligner repeatedly links the best compatible pair. Two links are compatible if their source ends nest like their target
        ends. Linked elements share at least one pair of words that both tables know. Cost grows with elements times words, and with
        elements times links.
        """
        if not source.words or not target.words:
            return []
        words, target_words = hash_tokens(source.words), hash_tokens(target.words)
        forward = self.source_given_target.between(words, target_words)
        backward = self.target_given_source.between(target_words, words)
        below, target_below = source.yields.astype(np.float64), target.yields.astype(np.float64)
        scores = node_scores(forward, backward, below, target_below, self.floor)
        shared = below @ ((forward > 0) & (backward.T > 0)).astype(np.float64) @ target_below.T
        scores[shared == 0] = -np.inf
        lexical = np.zeros(scores.shape, np.bool_)
        lexical[: len(words), : len(target_words)] = True
        if not self.mixed:
            scores[: len(words), len(target_words) :] = scores[len(words) :, : len(target_words)] = -np.inf
        links: list[tuple[int, int]] = []
        nesting = _nesting(source), _nesting(target)
        for mask in (~lexical, lexical):
            _link(np.where(mask, scores, -np.inf), *nesting, links)
        return sorted(links)


def node_scores(forward: Float64s, backward: Float64s, below: Float64s, target_below: Float64s, floor: float) -> Float64s:
    """Log of α(s_in|t_in) α(t_in|s_in) α(s_out|t_out) α(t_out|s_out) of all pairs of elements; shape (elements, elements).

    α(x|y) is the product over words of x of the mean p(word | word of y), at least `floor`; it is 1 for empty x and 0 for empty y.
    `forward` is p(source | target), shape (source words, target words), and `backward` p(target | source). `below` and
    `target_below` are masks of the words of elements, shape (elements, words).
    """
    total: Float64s = np.zeros((len(below), len(target_below)))
    for source_sets, target_sets in ((below, target_below), (1 - below, 1 - target_below)):
        total += _logarithms(forward, source_sets, target_sets, floor) + _logarithms(backward, target_sets, source_sets, floor).T
    return total


def _logarithms(probabilities: Float64s, words: Float64s, conditions: Float64s, floor: float) -> Float64s:
    """ln α of each set of words, for each set of conditions; shape (sets, sets of conditions)."""
    sizes = conditions.sum(axis=1)
    means = np.maximum(probabilities @ conditions.T / np.maximum(sizes, 1), floor)
    # 0 to the power of 0 is 1, so zeros are left out of the sum of logarithms.
    zero = means <= 0
    total: Float64s = words @ np.log(np.where(zero, 1.0, means))
    total[(words @ zero.astype(np.float64)) > 0] = -np.inf
    total[:, sizes == 0] = np.where(words.any(axis=1), -np.inf, 0.0)[:, None]
    return total


def _nesting(tree: Tree) -> Int8s:
    """Nesting of pairs of elements: `INSIDE` if the second is below the first, `ABOVE`, `EQUAL`, or 0; shape (n, n)."""
    count = len(tree.words)
    inside = np.zeros((count + len(tree.labels),) * 2, np.bool_)
    for node in range(len(tree.labels) - 1, -1, -1):
        children = list(tree.children[node])
        inside[count + node] = inside[children].any(axis=0)
        inside[count + node, children] = True
    nesting: Int8s = INSIDE * inside.astype(np.int8) + ABOVE * inside.T.astype(np.int8)
    np.fill_diagonal(nesting, EQUAL)
    return nesting


def _link(scores: Float64s, nesting: Int8s, target_nesting: Int8s, links: list[tuple[int, int]]) -> None:
    """Append compatible links, best first; ties go to the first element."""
    for source_element, target_element in links:
        scores[nesting[source_element][:, None] != target_nesting[target_element][None, :]] = -np.inf
    while True:
        source_element, target_element = divmod(int(np.argmax(scores)), scores.shape[1])
        if np.isneginf(scores[source_element, target_element]):
            return
        links.append((source_element, target_element))
        scores[nesting[source_element][:, None] != target_nesting[target_element][None, :]] = -np.inf
        # The linked pair is compatible with itself, so its score needs an explicit end.
        scores[source_element, target_element] = -np.inf
