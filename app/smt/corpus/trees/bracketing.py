"""Trees whose nodes are words with all that they govern, and which tree a method of extraction looks at."""

from typing import Final

from app.errors import InputError
from app.smt.corpus.trees.percolation import HeadTable, percolate
from app.smt.corpus.trees.tree import Dependencies, Tree, build_tree

__all__ = ["METHODS", "bracket", "chunk_tree", "dependencies_of"]

# Constituents, dependencies, dependencies that were percolated from constituents.
METHODS: Final = ("con", "dep", "perc")


def bracket(sentence: Dependencies) -> Tree:
    """A node for each word that governs others, over it and all below it, with its tag for a label and the word for its head.

    A node of a sentence that is not projective may have words that are not in one piece.
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
    """Governors as they are, or percolated."""
    return sentence if isinstance(sentence, Dependencies) else percolate(sentence, table)


def chunk_tree(sentence: Tree | Dependencies, method: str, table: HeadTable | None = None) -> Tree:
    """The tree that a method in `METHODS` takes chunks from; InputError where the sentence is not what it takes."""
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
