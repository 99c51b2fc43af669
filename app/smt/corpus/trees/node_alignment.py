"""Links between nodes of two trees: greedy, by what lexical tables say of words inside and outside of both (Zhechev 2009)."""

from contextlib import ExitStack
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Final

import numpy as np

from app.arrays import Float64s, Int8s, UInt64s
from app.building.line_files import read_lines
from app.errors import InputError
from app.smt.corpus.phrases.lexical import LEXICAL_E2F, LEXICAL_F2E
from app.smt.corpus.trees.tree import Tree
from app.text.hashing import combine_all, hash_tokens
from app.text.reading.lines import decode_text

__all__ = ["FLOOR", "NodeAligner", "WordProbabilities", "node_scores"]

# What a word is given by words that it was never linked to.
FLOOR: Final = 1e-3
LINES: Final = 1 << 16
INSIDE, ABOUT, SAME = 1, 2, 3


@dataclass(frozen=True)
class WordProbabilities:
    """p(word | given) of pairs of words, by sorted keys of both."""

    keys: UInt64s
    values: Float64s

    @classmethod
    def read(cls, path: Path) -> "WordProbabilities":
        """Read ``word given probability`` lines, gzip or not; InputError (`invalid-table`) names a line that is none."""
        keys, values = [np.empty(0, np.uint64)], [np.empty(0)]
        with ExitStack() as stack:
            lines, first = read_lines(path, stack), 1
            while part := list(islice(lines, LINES)):
                rows = [decode_text(line, str(path), number).split() for number, line in enumerate(part, first)]
                numbers = [_probability(row, path, number) for number, row in enumerate(rows, first)]
                keys.append(combine_all(hash_tokens([row[0] for row in rows]), hash_tokens([row[1] for row in rows])))
                values.append(np.array(numbers))
                first += len(part)
        return cls.of(np.concatenate(keys), np.concatenate(values))

    @classmethod
    def of(cls, keys: UInt64s, values: Float64s) -> "WordProbabilities":
        """Of keys in any order."""
        order = np.argsort(keys)
        return cls(keys[order], values[order])

    def between(self, words: UInt64s, given: UInt64s) -> Float64s:
        """p of each word given each other, by their hashes; shape (words, given), 0 for pairs that are not in the table."""
        wanted = combine_all(np.repeat(words, len(given)), np.tile(given, len(words)))
        if not len(self.keys):
            return np.zeros((len(words), len(given)))
        places = np.minimum(np.searchsorted(self.keys, wanted), len(self.keys) - 1)
        values: Float64s = np.where(self.keys[places] == wanted, self.values[places], 0.0)
        return values.reshape(len(words), len(given))


def _probability(row: list[str], path: Path, number: int) -> float:
    try:
        value = float(row[2]) if len(row) == 3 else -1.0
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        detail = f"line {number} of {path} is not two words and a probability"
        raise InputError("invalid-table", detail, (str(path), number))
    return value


@dataclass(frozen=True)
class NodeAligner:
    """Aligns trees by p(source word | target word) and p(target word | source word).

    `floor` is the least that a word is given by the words of a node. Nodes are linked first, and words afterwards within what is
    linked already; `mixed` lets a word be linked to a node too.
    """

    source_given_target: WordProbabilities
    target_given_source: WordProbabilities
    floor: float = FLOOR
    mixed: bool = False

    @classmethod
    def read(cls, folder: Path, floor: float = FLOOR, mixed: bool = False) -> "NodeAligner":
        """By the lexical tables `lex.e2f` and `lex.f2e` of a folder."""
        return cls(WordProbabilities.read(folder / LEXICAL_E2F), WordProbabilities.read(folder / LEXICAL_F2E), floor, mixed)

    def align(self, source: Tree, target: Tree) -> list[tuple[int, int]]:
        """Elements of both trees that are linked, each once at most, in the order of the source.

        The best pair that is left is linked, as long as there is one that no link contradicts: of two links, either both ends of
        one are inside those of the other, or both about them, or neither. Pairs of elements with no pair of words inside that
        both tables know are never linked. Cost grows with the product of elements and words, and of elements and links.
        """
        if not source.words or not target.words:
            return []
        words, others = hash_tokens(source.words), hash_tokens(target.words)
        forward = self.source_given_target.between(words, others)
        backward = self.target_given_source.between(others, words)
        below, others_below = source.yields.astype(np.float64), target.yields.astype(np.float64)
        scores = node_scores(forward, backward, below, others_below, self.floor)
        shared = below @ ((forward > 0) & (backward.T > 0)).astype(np.float64) @ others_below.T
        scores[shared == 0] = -np.inf
        lexical = np.zeros(scores.shape, np.bool_)
        lexical[: len(words), : len(others)] = True
        if not self.mixed:
            scores[: len(words), len(others) :] = scores[len(words) :, : len(others)] = -np.inf
        links: list[tuple[int, int]] = []
        nesting = _nesting(source), _nesting(target)
        for wanted in (~lexical, lexical):
            _link(np.where(wanted, scores, -np.inf), *nesting, links)
        return sorted(links)


def node_scores(forward: Float64s, backward: Float64s, below: Float64s, others_below: Float64s, floor: float) -> Float64s:
    """Log of α(s_in|t_in) α(t_in|s_in) α(s_out|t_out) α(t_out|s_out) of all pairs of elements, -inf for 0.

    α(x|y) is the product over the words of x of the mean, over those of y, of p(word | other), at least `floor`; it is 1 for no
    words and 0 for words given none. `forward` is p(source | target), shape (words, other words), `backward` p(target | source);
    `below` says which words are in an element, shape (elements, words).
    """
    total: Float64s = np.zeros((len(below), len(others_below)))
    for side, other in ((below, others_below), (1 - below, 1 - others_below)):
        total += _logarithms(forward, side, other, floor) + _logarithms(backward, other, side, floor).T
    return total


def _logarithms(probabilities: Float64s, words: Float64s, given: Float64s, floor: float) -> Float64s:
    """ln α of each set of words, by each set that they are given; shape (sets, sets of given words)."""
    sizes = given.sum(axis=1)
    means = np.maximum(probabilities @ given.T / np.maximum(sizes, 1), floor)
    # Zero to the power of no words is one, and no product of infinity and zero.
    zero = means <= 0
    total: Float64s = words @ np.log(np.where(zero, 1.0, means))
    total[(words @ zero.astype(np.float64)) > 0] = -np.inf
    total[:, sizes == 0] = np.where(words.any(axis=1), -np.inf, 0.0)[:, None]
    return total


def _nesting(tree: Tree) -> Int8s:
    """Of each pair of elements: `INSIDE` if the second is below the first, `ABOUT` if it is above, `SAME`, or 0 if neither."""
    count = len(tree.words)
    inside = np.zeros((count + len(tree.labels),) * 2, np.bool_)
    for node in range(len(tree.labels) - 1, -1, -1):
        children = list(tree.children[node])
        inside[count + node] = inside[children].any(axis=0)
        inside[count + node, children] = True
    nesting: Int8s = INSIDE * inside.astype(np.int8) + ABOUT * inside.T.astype(np.int8)
    np.fill_diagonal(nesting, SAME)
    return nesting


def _link(scores: Float64s, nesting: Int8s, other_nesting: Int8s, links: list[tuple[int, int]]) -> None:
    """Add links to those that there are, best first, the first of equal ones in the order of elements."""
    for element, other in links:
        scores[nesting[element][:, None] != other_nesting[other][None, :]] = -np.inf
    while True:
        element, other = divmod(int(np.argmax(scores)), scores.shape[1])
        if np.isneginf(scores[element, other]):
            return
        links.append((element, other))
        scores[nesting[element][:, None] != other_nesting[other][None, :]] = -np.inf
        # The two are the same as themselves, and linked.
        scores[element, other] = -np.inf
