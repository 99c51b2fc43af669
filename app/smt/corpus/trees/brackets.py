"""Trees in brackets, as the Penn Treebank has them: read from any number of lines each, written one a line."""

import re
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from app.building.line_files import read_lines
from app.errors import InputError
from app.smt.corpus.trees.tree import MOST_NODES, MOST_WORDS, Place, Tree, build_tree
from app.text.reading.lines import decode_text

__all__ = ["read_brackets", "write_brackets"]

TOKEN: Final = re.compile(r"[()]|[^\s()]+")
# What is said in the place of a word that is not there.
TRACE: Final = "-NONE-"
ESCAPES: Final = {"-LRB-": "(", "-RRB-": ")", "-LCB-": "{", "-RCB-": "}", "-LSB-": "[", "-RSB-": "]"}
ESCAPE: Final = re.compile("|".join(ESCAPES))
ESCAPED: Final = {"(": "-LRB-", ")": "-RRB-"}


@dataclass
class _Growing:
    """A tree while it is read; `opened` are nodes that are not closed yet, with how much was read in each since its bracket."""

    place: Place
    words: list[str] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    word_parents: list[int] = field(default_factory=list)
    labels: list[str | None] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)
    opened: list[tuple[int, int, int]] = field(default_factory=list)

    def open(self) -> None:
        self.labels.append(None)
        self.parents.append(self.opened[-1][0] if self.opened else -1)
        self.opened.append((len(self.labels) - 1, len(self.words), len(self.labels)))

    def take(self, atom: str) -> None:
        node, words, nodes = self.opened[-1]
        if self.labels[node] is None and words == len(self.words) and nodes == len(self.labels):
            self.labels[node] = atom
            return
        self.words.append(ESCAPE.sub(lambda escape: ESCAPES[escape[0]], atom))
        self.tags.append("")
        self.word_parents.append(node)

    def close(self) -> None:
        node, words, nodes = self.opened.pop()
        if nodes < len(self.labels) or not self.labels[node]:
            return
        if len(self.words) == words and self.opened:
            raise _refuse(self.place, f"has a bracket ({self.labels[node]}) without words")
        if len(self.words) == words + 1:
            # A tag: the word is of the node above, or of none; the node has no words then, and is left out.
            label = self.labels[node]
            if label == TRACE:
                for column in (self.words, self.tags, self.word_parents):
                    column.pop()
                return
            self.tags[-1], self.word_parents[-1] = label or "", self.parents[node]

    def whole(self) -> Tree:
        labels = [label or "" for label in self.labels]
        parents = self.parents
        if labels and not labels[0]:
            # A pair of brackets about the tree that says nothing.
            top = [node for node in range(1, len(labels)) if parents[node] == 0]
            if len(top) == 1 and 0 not in self.word_parents:
                parents = [-1 if parent == 0 else parent for parent in parents]
        return build_tree(self.words, self.tags, self.word_parents, labels, parents, self.place)


def read_brackets(path: Path) -> Iterator[Tree]:
    """Trees ``(S (NP (NNP Vinken)) (VP ...))``, with a pair of empty brackets about them or not; gzip is read too.

    ``()``, ``(())`` and a label alone are sentences that have no tree, and no words then. Traces (-NONE-) are left out with what is
    above nothing else; -LRB- and its like become the brackets that they stand for. A bracket with one word is that word's tag.
    InputError names file and line: brackets without their other half, text outside of them, a tree of more than `MOST_WORDS` words
    or `MOST_NODES` nodes.
    """
    tree: _Growing | None = None
    with ExitStack() as stack:
        for number, line in enumerate(read_lines(path, stack), 1):
            for match in TOKEN.finditer(decode_text(line, str(path), number)):
                piece = match[0]
                if piece == "(":
                    tree = tree or _Growing((str(path), number))
                    tree.open()
                elif tree is None:
                    raise _refuse((str(path), number), "has text outside of brackets")
                elif piece == ")":
                    tree.close()
                    if not tree.opened:
                        yield tree.whole()
                        tree = None
                else:
                    tree.take(piece)
                if tree is not None and (len(tree.words) > MOST_WORDS or len(tree.labels) > MOST_NODES + MOST_WORDS):
                    detail = f"line {number} of {path}: a tree has at most {MOST_WORDS} words and {MOST_NODES} nodes"
                    raise InputError("segment-too-long", detail, (str(path), number))
    if tree is not None:
        raise _refuse(tree.place, "begins a tree that is never closed")


def write_brackets(tree: Tree) -> str:
    """The tree on one line, as `read_brackets` reads it.

    InputError where what is below a node is not in one piece: brackets cannot say that.
    """
    count = len(tree.words)
    if not count:
        return "()"
    for node in range(len(tree.labels)):
        places = tree.yields[count + node].nonzero()[0]
        if places[-1] - places[0] >= len(places):
            raise InputError("invalid-table", f"what is below node n{node} is not in one piece, which brackets cannot say")
    texts = [_leaf(word, tag) for word, tag in zip(tree.words, tree.tags, strict=True)]
    written = [""] * len(tree.labels)
    for node in range(len(tree.labels) - 1, -1, -1):
        inside = " ".join(texts[child] if child < count else written[child - count] for child in tree.children[node])
        written[node] = f"({_escaped(tree.labels[node])} {inside})" if tree.labels[node] else f"( {inside})"
    return written[0] if written else texts[0] if tree.tags[0] else f"(X {texts[0]})"


def _leaf(word: str, tag: str) -> str:
    return f"({_escaped(tag)} {_escaped(word)})" if tag else _escaped(word)


def _escaped(text: str) -> str:
    return "".join(ESCAPED.get(letter, letter) for letter in text)


def _refuse(place: Place, what: str) -> InputError:
    file, line = place
    return InputError("invalid-table", f"line {line} of {file} {what}", place)
