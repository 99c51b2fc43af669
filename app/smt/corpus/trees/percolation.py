"""Dependencies from constituents, by tables of heads (Magerman 1995; Collins 1999)."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Final

from app.errors import InputError
from app.text.trees.tree import Dependencies, Tree

__all__ = ["HEAD_TABLES", "HeadRule", "HeadTable", "percolate"]

FOLDER: Final = Path(__file__).with_name("head_tables")
HEAD_TABLES: Final = tuple(sorted(path.stem for path in FOLDER.glob("*.toml")))
SIDES: Final = ("left", "right")
# Limits of a table: bytes of its file, and number of cut signs.
LARGEST_TABLE: Final = 1 << 16
MOST_SIGNS: Final = 16


@dataclass(frozen=True)
class HeadRule:
    """Search of a head: the side where it starts, and labels. With `any_label` the first child with a label wins, else the first
    label with a child.
    """

    side: str
    any_label: bool
    labels: tuple[str, ...]

    @cached_property
    def _rank(self) -> Mapping[str, int]:
        return {label: rank for rank, label in reversed([*enumerate(self.labels)])}

    def child(self, labels: Sequence[str]) -> int | None:
        """Position of the head among labels of children, or None; linear in their number."""
        places = range(len(labels)) if self.side == "left" else range(len(labels) - 1, -1, -1)
        matches = [place for place in places if labels[place] in self._rank]
        if self.any_label:
            return next(iter(matches), None)
        # Ties go to the first child.
        return min(matches, key=lambda place: self._rank[labels[place]], default=None)


@dataclass(frozen=True)
class HeadTable:
    """Rules by label of a node, and defaults; `head_tables/english.toml` shows the format."""

    rules: Mapping[str, tuple[HeadRule, ...]]
    default: str
    cut: str
    conjunctions: frozenset[str]
    punctuation: frozenset[str]

    @classmethod
    def of(cls, name: str) -> "HeadTable":
        """Table with a name of `HEAD_TABLES`, or from a file; InputError for a missing or malformed file."""
        return _read(FOLDER / f"{name}.toml" if name in HEAD_TABLES else Path(name))

    def base(self, label: str) -> str:
        """Label without its suffixes; a label that begins with a cut sign, as ``-LRB-``, stays."""
        if label[:1] in self.cut:
            return label
        for sign in self.cut:
            label = label.partition(sign)[0]
        return label

    def head(self, label: str, children: Sequence[str]) -> int:
        """Index of the head child of a node, from its label and the labels of its children."""
        bases = [self.base(child) for child in children]
        rules = self.rules.get(self.base(label), ())
        place = next((place for rule in rules if (place := rule.child(bases)) is not None), None)
        if place is None:
            side = rules[-1].side if rules else self.default
            candidates = [place for place, base in enumerate(bases) if base not in self.punctuation] or [*range(len(bases))]
            place = candidates[0] if side == "left" else candidates[-1]
        if place >= 2 and bases[place - 1] in self.conjunctions:
            conjuncts = [earlier for earlier in range(place - 1) if bases[earlier] not in self.punctuation]
            place = conjuncts[-1] if conjuncts else place
        return place


@cache
def _read(path: Path) -> HeadTable:
    try:
        if path.stat().st_size > LARGEST_TABLE:
            raise InputError("invalid-table", f"{path} exceeds {LARGEST_TABLE} bytes, the limit of a table of heads", (str(path),))
        content: dict[str, Any] = tomllib.loads(path.read_text("utf-8"))
    except OSError:
        detail = f"{path} is no file; tables of heads are {', '.join(HEAD_TABLES)}, or a file of that form"
        raise InputError("invalid-request", detail, ("--head-table",)) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError("invalid-table", f"{path} is not TOML: {error}", (str(path),)) from None
    except RecursionError:
        raise InputError("invalid-table", f"{path} is no table of heads: lists in lists", (str(path),)) from None
    labels: Any = content.get("labels")
    default, cut = content.get("default", "left"), content.get("cut", "-=|")
    signs = [content.get(name, []) for name in ("conjunctions", "punctuation")]
    fitting = (
        isinstance(labels, dict)
        and default in SIDES
        and isinstance(cut, str)
        and len(cut) <= MOST_SIGNS
        and all(map(_is_texts, signs))
    )
    if not fitting or set(content) - {"description", "labels", "default", "cut", "conjunctions", "punctuation"}:
        detail = f"{path} is no table of heads; its keys are default, cut, conjunctions, punctuation and [labels]"
        raise InputError("invalid-table", detail, (str(path),))
    rules = {label: tuple(_rule(label, text, path) for text in texts) for label, texts in labels.items() if _is_texts(texts)}
    if len(rules) < len(labels):
        raise InputError("invalid-table", f"{path} has a label whose rules are no list of texts", (str(path),))
    return HeadTable(rules, default, cut, frozenset(signs[0]), frozenset(signs[1]))


def _rule(label: str, text: str, path: Path) -> HeadRule:
    side, *labels = text.split() or [""]
    if side not in SIDES:
        raise InputError("invalid-table", f"{path}, {label}: a rule is left or right, and labels after it", (str(path),))
    return HeadRule(side, labels[:1] == ["any"], tuple(labels[1:] if labels[:1] == ["any"] else labels))


def _is_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(text, str) for text in value)


def percolate(tree: Tree, table: HeadTable | None) -> Dependencies:
    """Dependencies of a tree: the head of a node governs the heads of its further children.

    Marked heads of the tree override the table. InputError for an unmarked head without a table.
    """
    count = len(tree.words)
    labels = [*tree.tags, *tree.labels]
    lexical = [*range(count), *([0] * len(tree.labels))]
    governors = [-1] * count
    for node in range(len(tree.labels) - 1, -1, -1):
        children = tree.children[node]
        place = tree.heads[node]
        if place < 0:
            if table is None:
                raise InputError(
                    "invalid-request", "the trees do not mark their heads, so a table of heads is needed", ("--head-table",)
                )
            place = table.head(tree.labels[node], [labels[child] for child in children])
        head = lexical[children[place]]
        for child in children:
            if lexical[child] != head:
                governors[lexical[child]] = head
        lexical[count + node] = head
    return Dependencies(tree.words, tree.tags, tuple(governors))
