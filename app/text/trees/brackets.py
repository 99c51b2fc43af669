"""Bracketed trees, as in the Penn Treebank: a reader of trees over several lines, and a writer of one tree a line."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

from app.errors import InputError
from app.text.trees.tree import MOST_NODES, MOST_WORDS, FileLine, Tree, build_tree, nested_text, size_error

__all__ = ["bracketed_trees", "write_brackets"]

TOKEN: Final = re.compile(r"[()]|[^\s()]+")
# Tag of empty elements.
TRACE: Final = "-NONE-"
ESCAPES: Final = {"-LRB-": "(", "-RRB-": ")", "-LCB-": "{", "-RCB-": "}", "-LSB-": "[", "-RSB-": "]"}
ESCAPE: Final = re.compile("|".join(ESCAPES))
BRACKET_NAMES: Final = {"(": "-LRB-", ")": "-RRB-"}


@dataclass
class _Growing:
    """A partial tree; `open_nodes` are pending nodes, with the numbers of words and nodes at their bracket."""

    place: FileLine
    words: list[str] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    word_parents: list[int] = field(default_factory=list)
    labels: list[str | None] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)
    open_nodes: list[tuple[int, int, int]] = field(default_factory=list)

    def open(self) -> None:
        self.labels.append(None)
        self.parents.append(self.open_nodes[-1][0] if self.open_nodes else -1)
        self.open_nodes.append((len(self.labels) - 1, len(self.words), len(self.labels)))

    def take(self, atom: str) -> None:
        node, words, nodes = self.open_nodes[-1]
        if self.labels[node] is None and words == len(self.words) and nodes == len(self.labels):
            self.labels[node] = atom
            return
        self.words.append(ESCAPE.sub(lambda escape: ESCAPES[escape[0]], atom))
        self.tags.append("")
        self.word_parents.append(node)

    def close(self) -> None:
        node, words, nodes = self.open_nodes.pop()
        if nodes < len(self.labels) or not self.labels[node]:
            return
        if len(self.words) == words and self.open_nodes:
            raise _error(self.place, f"has a bracket ({self.labels[node]}) without words")
        if len(self.words) == words + 1:
            # A tag: the word belongs to the node above, so this node is empty and left out.
            label = self.labels[node]
            if label == TRACE:
                for column in (self.words, self.tags, self.word_parents):
                    column.pop()
                return
            self.tags[-1], self.word_parents[-1] = label or "", self.parents[node]

    def finish(self) -> Tree:
        labels = [label or "" for label in self.labels]
        parents = self.parents
        if labels and not labels[0]:
            # Outer brackets without a label.
            top = [node for node in range(1, len(labels)) if parents[node] == 0]
            if len(top) == 1 and 0 not in self.word_parents:
                parents = [-1 if parent == 0 else parent for parent in parents]
        return build_tree(self.words, self.tags, self.word_parents, labels, parents, self.place)


def bracketed_trees(lines: Iterable[tuple[int, str]], name: str) -> Iterator[Tree]:
    """Yield trees ``(S (NP (NNP Vinken)) (VP ...))`` of numbered lines, with or without empty outer brackets.

    ``()``, ``(())`` and a single label are sentences without words. Traces (-NONE-) are dropped, with nodes above nothing else.
    Escapes such as -LRB- become brackets. A bracket around one word is its tag. InputError names `name` and line: unbalanced
    brackets, text outside brackets, a tree of more than `MOST_WORDS` words or `MOST_NODES` nodes.
    """
    tree: _Growing | None = None
    for number, line in lines:
        for match in TOKEN.finditer(line):
            piece = match[0]
            if piece == "(":
                tree = tree or _Growing((name, number))
                tree.open()
            elif tree is None:
                raise _error((name, number), "has text outside of brackets")
            elif piece == ")":
                tree.close()
                if not tree.open_nodes:
                    yield tree.finish()
                    tree = None
            else:
                tree.take(piece)
            if tree is not None and (len(tree.words) > MOST_WORDS or len(tree.labels) > MOST_NODES + MOST_WORDS):
                raise size_error((name, number))
    if tree is not None:
        raise _error(tree.place, "begins a tree that is never closed")


def _error(place: FileLine, reason: str) -> InputError:
    name, line = place
    return InputError("invalid-table", f"line {line} of {name} {reason}", place)


def write_brackets(tree: Tree) -> str:
    """Text of a tree on one line, for `bracketed_trees`. InputError for a discontinuous node."""
    if not tree.words:
        return "()"
    texts = [_leaf(word, tag) for word, tag in zip(tree.words, tree.tags, strict=True)]
    text = nested_text(tree, texts, lambda label, inside: f"({_escaped(label)} {inside})" if label else f"( {inside})")
    return text or (texts[0] if tree.tags[0] else f"(X {texts[0]})")


def _leaf(word: str, tag: str) -> str:
    return f"({_escaped(tag)} {_escaped(word)})" if tag else _escaped(word)


def _escaped(text: str) -> str:
    return "".join(BRACKET_NAMES.get(letter, letter) for letter in text)
