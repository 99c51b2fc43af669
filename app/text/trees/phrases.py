"""Numbers of phrases in a tree of constituents, and its depth."""

from typing import Final

from app.text.trees.tree import Tree

__all__ = ["COLUMNS", "PHRASES", "TOPS", "phrase_counts", "plain_label"]

PHRASES: Final = ("PP", "NP", "VP", "ADJP", "ADVP", "CONJP")
# Labels of nodes above a sentence, as parsers and treebanks add them; they are no phrases.
TOPS: Final = frozenset({"", "ROOT", "TOP", "VROOT"})
# Columns of `phrase_counts`: each of `PHRASES`, all phrases, and the depth.
COLUMNS: Final = len(PHRASES) + 2


def plain_label(label: str) -> str:
    """Label without its functions and indices: NP of ``NP-SBJ-1`` and ``NP=2``; labels such as ``-LRB-`` stay."""
    ends = [end for end in (label.find("-", 1), label.find("=", 1)) if end > 0]
    return label if label.startswith("-") or not ends else label[: min(ends)]


def phrase_counts(tree: Tree) -> tuple[int, ...]:
    """Numbers of the phrases of `PHRASES` and of all phrases, and the depth: edges from the top phrase to the farthest word.

    A phrase is a node above parts of speech; nodes of `TOPS` do not count.
    """
    count = len(tree.words)
    labels = [plain_label(label) for label in tree.labels]
    below = [0] * (count + len(labels))
    below[:count] = [int(bool(tag)) for tag in tree.tags]
    for node in range(len(labels) - 1, -1, -1):
        below[count + node] = max(below[child] for child in tree.children[node]) + (labels[node] not in TOPS)
    phrases = [label for label in labels if label not in TOPS]
    depth = below[count] if labels else max(below, default=0)
    return (*(phrases.count(label) for label in PHRASES), len(phrases), depth)
