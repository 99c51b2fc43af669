"""Drawings of permutation trees: indented text, and SVG without scripts or files from elsewhere."""

import re
from collections.abc import Sequence
from html import escape
from typing import Final
from unicodedata import category, east_asian_width

from app.smt.reordering.trees import Tree, label_of

__all__ = ["indented", "svg_of_trees"]

INDENT: Final = "  "
# Sizes in pixels: a letter, the room between words, a level of the tree.
LETTER, GAP, LEVEL = 8, 16, 36
WIDE: Final = frozenset("mwMW@%жшщюфЖШЩЮФ")
# Each word has the direction of its script. A halo around labels hides lines that pass behind them.
STYLE: Final = (
    "svg{background:#fff}text{font:13px sans-serif;text-anchor:middle;unicode-bidi:plaintext}line{stroke:#999}"
    ".label{fill:#06c;paint-order:stroke;stroke:#fff;stroke-width:4px}"
)
# Signs that XML 1.0 forbids, in escaped form too.
FORBIDDEN: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def indented(tree: Tree, leaves: Sequence[str]) -> str:
    """The tree with a line for each node and leaf, children below and right of their node, in the order of the source."""
    lines: list[str] = []
    labels = [label_of(operator) for operator in tree.operators]
    stack = [(tree.nodes - 1 if tree.nodes else -1, 0)] if leaves else []
    while stack:
        code, depth = stack.pop()
        lines.append(INDENT * depth + (labels[code] if code >= 0 else leaves[-1 - code]))
        if code >= 0:
            children = tree.children[tree.offsets[code] : tree.offsets[code + 1]].tolist()
            stack.extend((child, depth + 1) for child in reversed(children))
    return "\n".join(lines)


def svg_of_trees(trees: Sequence[tuple[Tree, Sequence[str]]]) -> str:
    """SVG of trees with the texts of their leaves, one tree below the other."""
    bodies, top, width = [], GAP, 0
    for tree, leaves in trees:
        body, tree_width, height = _drawing(tree, leaves)
        bodies.append(f'<g transform="translate({GAP},{top})">\n{body}\n</g>')
        top += height + LEVEL
        width = max(width, tree_width)
    width += 2 * GAP
    size = f'width="{width}" height="{top}" viewBox="0 0 {width} {top}" role="img" aria-label="Permutation trees of sentences"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size}>\n<style>{STYLE}</style>\n' + "\n".join(bodies) + "\n</svg>\n"


def _drawing(tree: Tree, leaves: Sequence[str]) -> tuple[str, int, int]:
    """Lines and texts of a tree, its width and its height."""
    heights = _heights(tree)
    depth = heights[-1] if heights else 0
    floor = depth * LEVEL + LETTER
    centres: list[float] = []
    right = 0
    for leaf in leaves:
        room = max(LETTER, sum(map(_width, leaf)))
        centres.append(right + room / 2)
        right += room + GAP
    places: list[tuple[float, int]] = []
    lines: list[str] = []
    texts: list[str] = []
    for i, operator in enumerate(tree.operators):
        children = tree.children[tree.offsets[i] : tree.offsets[i + 1]].tolist()
        ends = [places[child] if child >= 0 else (centres[-1 - child], floor) for child in children]
        x, y = (ends[0][0] + ends[-1][0]) / 2, (depth - heights[i]) * LEVEL + LETTER
        places.append((x, y))
        lines.extend(f'<line x1="{x:g}" y1="{y + 4}" x2="{end:g}" y2="{below - 13}"/>' for end, below in ends)
        texts.append(f'<text class="label" x="{x:g}" y="{y}">{label_of(operator)}</text>')
    texts.extend(
        f'<text x="{centre:g}" y="{floor}">{escape(FORBIDDEN.sub("�", leaf))}</text>'
        for centre, leaf in zip(centres, leaves, strict=True)
    )
    return "\n".join(lines + texts), max(0, right - GAP), floor


def _width(letter: str) -> int:
    """Pixels of a letter in a wide font of this size; signs above or below another one have none."""
    if category(letter) in ("Mn", "Me", "Cf"):
        return 0
    if east_asian_width(letter) in "FW" or letter >= "\u0900":
        return 2 * LETTER
    if letter in WIDE:
        return 14
    return 11 if letter.isupper() or letter >= "\u0370" else LETTER


def _heights(tree: Tree) -> list[int]:
    """Levels below each node."""
    heights: list[int] = []
    for i in range(tree.nodes):
        children = tree.children[tree.offsets[i] : tree.offsets[i + 1]].tolist()
        heights.append(1 + max(heights[child] if child >= 0 else 0 for child in children))
    return heights
