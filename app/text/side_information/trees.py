"""Trees of constituents as side information: brackets on one line, one tree for each segment."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from app.errors import InputError
from app.text.side_information.kind import Location
from app.text.trees.brackets import bracketed_trees
from app.text.trees.tree import Tree

__all__ = ["check_trees", "parts_of_trees", "read_tree"]

# A tree has 500 words and 2,000 nodes at most; longer texts are no such trees.
LONGEST_TREE: Final = 100_000


@lru_cache(maxsize=4096)
def read_tree(text: str, place: Location = ("tree",)) -> Tree:
    """The tree of a text; InputError (`missing-evidence`) unless it is exactly one tree in brackets."""
    try:
        trees = list(bracketed_trees(enumerate(text.splitlines(), 1), "the tree")) if len(text) <= LONGEST_TREE else []
    except InputError as error:
        raise InputError("missing-evidence", error.detail, place) from None
    if len(trees) != 1:
        detail = f"{len(trees)} trees" if len(text) <= LONGEST_TREE else f"more than {LONGEST_TREE} characters"
        raise InputError("missing-evidence", f"{detail}; write one tree, such as (S (NP (PRP we)) (VP (VBP go)))", place)
    return trees[0]


def check_trees(field: str, rows: Sequence[str], first: int) -> None:
    """Check that each row is one tree; InputError names the row, counted from `first`."""
    for row, text in enumerate(rows, first):
        read_tree(text, ("segments", row, field))


def parts_of_trees(rows: Sequence[str]) -> list[str]:
    """``1`` if every segment has a tree with words; a parser writes ``()`` for a sentence that it cannot parse."""
    return ["1"] if all(read_tree(text).words for text in rows) else []
