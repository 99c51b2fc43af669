"""Bracketings of dependencies (a node for each governor), and the tree of each method of extraction."""

from typing import Final

from app.errors import InputError
from app.smt.corpus.trees.percolation import HeadTable, percolate
from app.text.trees.tree import Dependencies, Tree, build_tree

__all__ = ["METHODS", "bracket", "chunk_tree", "dependencies_of"]

# Constituents, dependencies, and dependencies percolated from constituents.
METHODS: Final = ("con", "dep", "perc")


def bracket(sentence: Dependencies) -> Tree:
    """Tree with a node for each governor, over the governor and all its dependents; label is its tag, head the word itself.

    Nodes of non-projective sentences may be discontinuous.
    """
    count = len(sentence.words)
    governing = sorted(set(sentence.heads) - {-1})
    node = {word: number for number, word in enumerate(governing)}
    above = [node.get(head, -1) for head in sentence.heads]
    word_parents = [node.get(word, above[word]) for word in range(count)]
    node_parents = [above[word] for word in governing]
    labels = [sentence.tags[word] or "X" for word in governing]
    return build_tree(sentence.words, sentence.tags, word_parents, labels, node_parents, ("", 0), governing)


def dependencies_of(sentence: Tree | Dependencies, table: HeadTable | None) -> Dependencies:
    """Dependencies of a sentence, percolated from a tree of constituents."""
    return sentence if isinstance(sentence, Dependencies) else percolate(sentence, table)


def chunk_tree(sentence: Tree | Dependencies, method: str, table: HeadTable | None = None) -> Tree:
    """Tree for chunks of a method in `METHODS`; InputError for a sentence of the wrong kind."""
    if method == "con":
        if isinstance(sentence, Dependencies):
            raise InputError("invalid-request", "con takes trees of constituents, and these are dependencies", ("--method",))
        return sentence
    if method == "dep" and isinstance(sentence, Tree):
        raise InputError(
            "invalid-request", "dep takes dependencies, and these are constituents; perc percolates them", ("--method",)
        )
    if method == "perc" and isinstance(sentence, Dependencies):
        raise InputError(
            "invalid-request", "perc takes trees of constituents, and these are dependencies; dep takes them", ("--method",)
        )
    return bracket(dependencies_of(sentence, table))
