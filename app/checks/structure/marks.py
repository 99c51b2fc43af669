"""Marks of structure in a text: stretches that programs read, such as placeholders, tags and links."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

__all__ = ["Mark", "unmatched_marks", "unmatched_names", "without_marks"]


class Mark(NamedTuple):
    """A stretch `[start, end)` of a text. Marks with equal keys correspond; a `label` names a long stretch in short."""

    key: str
    start: int
    end: int
    label: str = ""

    def word(self, text: str) -> str:
        """The stretch of `text`, or its label."""
        return self.label or text[self.start : self.end]


def unmatched_marks(marks: Sequence[Mark], counterparts: Iterable[Mark]) -> list[Mark]:
    """Marks without a counterpart of equal key on the other side, the last of equal ones first left over."""
    if not marks:
        return []
    counts = Counter([mark.key for mark in counterparts])
    remainder = []
    for mark in marks:
        if counts[mark.key]:
            counts[mark.key] -= 1
        else:
            remainder.append(mark)
    return remainder


def unmatched_names(marks: Sequence[Mark], counterparts: Sequence[Mark]) -> list[Mark]:
    """Marks whose key the other side lacks, however often it is there; empty braces are counted."""
    keys = {mark.key for mark in counterparts if mark.key != "{}"}
    return unmatched_marks([mark for mark in marks if mark.key not in keys], counterparts)


def without_marks(text: str, marks: Iterable[Mark]) -> str:
    """The text with blanks in the place of each mark, so that other checks see its words alone, each in its place."""
    parts, end = [], 0
    for mark in sorted(marks, key=lambda mark: mark.start):
        if mark.start >= end:
            parts.append(text[end : mark.start])
        parts.append(" " * (mark.end - max(end, mark.start)))
        end = max(end, mark.end)
    return "".join([*parts, text[end:]])
