"""Contents of a sentence's markup: translations of spans, and bounds of reordering."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from app.arrays import Int64s

__all__ = ["NO_MARKS", "Hint", "Marks", "MarkupUse"]


class MarkupUse(StrEnum):
    """Precedence of translations from markup over tables: values of Moses' ``-xml-input``."""

    THROUGH = "pass-through"
    EXCLUSIVE = "exclusive"
    INCLUSIVE = "inclusive"
    CONSTRAINT = "constraint"
    IGNORE = "ignore"


@dataclass(frozen=True)
class Hint:
    """A suggested translation of source words [start, end); `score` is its natural log-probability."""

    start: int
    end: int
    words: tuple[str, ...]
    score: float


@dataclass(frozen=True)
class Marks:
    """Hints, zones (begin, end) and walls (begin, wall, end) of a sentence; ends are exclusive.

    A zone is translated without interruption by outside words. Words `begin` to before `wall` are translated before any of `wall`
    to before `end`.
    """

    hints: tuple[Hint, ...] = ()
    zones: tuple[tuple[int, int], ...] = ()
    walls: tuple[tuple[int, int, int], ...] = ()
    use: MarkupUse = MarkupUse.EXCLUSIVE

    @property
    def bounds(self) -> tuple[Int64s, Int64s]:
        """Arrays for the search: zones of shape (n, 2) and walls of shape (n, 3)."""
        return np.array(self.zones, np.int64).reshape(-1, 2), np.array(self.walls, np.int64).reshape(-1, 3)

    def allows(self, start: int, end: int, words: Sequence[str]) -> bool:
        """Return True if a table's phrase may translate words `start` to before `end` beside the hints.

        Phrases may not overlap exclusive hints. A phrase that overlaps constraints must contain them and one of their translations.
        """
        if self.use is MarkupUse.INCLUSIVE:
            return True
        overlaps = [hint for hint in self.hints if start < hint.end and hint.start < end]
        if not overlaps or self.use is MarkupUse.EXCLUSIVE:
            return not overlaps
        text = f" {' '.join(words)} "
        matched_spans = {(hint.start, hint.end) for hint in overlaps if f" {' '.join(hint.words)} " in text}
        return all((hint.start, hint.end) in matched_spans and start <= hint.start and hint.end <= end for hint in overlaps)


NO_MARKS = Marks()
