"""Governors of words out of constituents, by tables of heads (Magerman 1995; Collins 1999)."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Final

from app.errors import InputError
from app.smt.corpus.trees.tree import Dependencies, Tree

__all__ = ["HEAD_TABLES", "HeadTable", "Rule", "percolate"]

FOLDER: Final = Path(__file__).with_name("head_tables")
HEAD_TABLES: Final = tuple(sorted(path.stem for path in FOLDER.glob("*.toml")))
SIDES: Final = ("left", "right")
# A table is a page; each label of a tree is looked at for every sign that cuts it.
LARGEST_TABLE: Final = 1 << 16
MOST_SIGNS: Final = 16


@dataclass(frozen=True)
class Rule:
    """Where a head is looked for: from which side, by which labels; their order counts unless `whichever` comes first will do."""

    side: str
    whichever: bool
    labels: tuple[str, ...]

    @cached_property
    def _rank(self) -> Mapping[str, int]:
        return {label: rank for rank, label in reversed([*enumerate(self.labels)])}

    def child(self, labels: Sequence[str]) -> int | None:
        """The place of the head among children's labels; linear in their number, however long the rule is."""
        places = range(len(labels)) if self.side == "left" else range(len(labels) - 1, -1, -1)
        ranked = [place for place in places if labels[place] in self._rank]
        if self.whichever:
            return next(iter(ranked), None)
        # The first of equal ones stays the first.
        return min(ranked, key=lambda place: self._rank[labels[place]], default=None)


@dataclass(frozen=True)
class HeadTable:
    """Rules by the label of a node, and what holds of all: see `head_tables/english.toml` for the form of files."""

    rules: Mapping[str, tuple[Rule, ...]]
    default: str
    cut: str
    conjunctions: frozenset[str]
    punctuation: frozenset[str]

    @classmethod
    def of(cls, name: str) -> "HeadTable":
        """A table by its name in `HEAD_TABLES`, or of a file; InputError where there is none, or what is wrong in it."""
        return _read(FOLDER / f"{name}.toml" if name in HEAD_TABLES else Path(name))

    def base(self, label: str) -> str:
        """A label without what treebanks add to it; one that begins by a sign, as ``-LRB-``, is whole."""
        if label[:1] in self.cut:
            return label
        for sign in self.cut:
            label = label.partition(sign)[0]
        return label

    def head(self, label: str, children: Sequence[str]) -> int:
        """Which child is the head of a node, by its label and theirs."""
        bases = [self.base(child) for child in children]
        rules = self.rules.get(self.base(label), ())
        place = next((place for rule in rules if (place := rule.child(bases)) is not None), None)
        if place is None:
            side = rules[-1].side if rules else self.default
            spoken = [place for place, base in enumerate(bases) if base not in self.punctuation] or [*range(len(bases))]
            place = spoken[0] if side == "left" else spoken[-1]
        if place >= 2 and bases[place - 1] in self.conjunctions:
            before = [earlier for earlier in range(place - 1) if bases[earlier] not in self.punctuation]
            place = before[-1] if before else place
        return place


@cache
def _read(path: Path) -> HeadTable:
    try:
        if path.stat().st_size > LARGEST_TABLE:
            raise InputError("invalid-table", f"{path} is larger than a table of heads can be", (str(path),))
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
        detail = f"{path} has not the form of a table of heads: default, cut, conjunctions, punctuation and [labels]"
        raise InputError("invalid-table", detail, (str(path),))
    rules = {label: tuple(_rule(label, text, path) for text in texts) for label, texts in labels.items() if _is_texts(texts)}
    if len(rules) < len(labels):
        raise InputError("invalid-table", f"{path} has a label whose rules are no list of texts", (str(path),))
    return HeadTable(rules, default, cut, frozenset(signs[0]), frozenset(signs[1]))


def _rule(label: str, text: str, path: Path) -> Rule:
    side, *labels = text.split() or [""]
    if side not in SIDES:
        raise InputError("invalid-table", f"{path}, {label}: a rule begins by left or right, and labels follow", (str(path),))
    return Rule(side, labels[:1] == ["any"], tuple(labels[1:] if labels[:1] == ["any"] else labels))


def _is_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(text, str) for text in value)


def percolate(tree: Tree, table: HeadTable | None) -> Dependencies:
    """The governor of each word: the head of a node governs the heads of the node's other children.

    A head that the tree marks comes before what the table says. InputError where there is neither.
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
