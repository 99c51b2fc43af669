"""What markup says of a sentence: given translations of some of its words, and bounds of reordering."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from app.arrays import Int64s

__all__ = ["NO_MARKS", "Hint", "Marks", "Use"]


class Use(StrEnum):
    """What given translations are to those of tables: Moses' values of ``-xml-input``."""

    THROUGH = "pass-through"
    EXCLUSIVE = "exclusive"
    INCLUSIVE = "inclusive"
    CONSTRAINT = "constraint"
    IGNORE = "ignore"


@dataclass(frozen=True)
class Hint:
    """Words `start` to before `end` may be translated so; `score` is the natural logarithm of how probable that is."""

    start: int
    end: int
    words: tuple[str, ...]
    score: float


@dataclass(frozen=True)
class Marks:
    """Hints, zones (begin, end) and walls (begin, wall, end) of a sentence.

    A zone is translated without a word from outside in between. Words `begin` to before `wall` are translated before any of `wall`
    to before `end`. Ends are exclusive.
    """

    hints: tuple[Hint, ...] = ()
    zones: tuple[tuple[int, int], ...] = ()
    walls: tuple[tuple[int, int, int], ...] = ()
    use: Use = Use.EXCLUSIVE

    @property
    def bounds(self) -> tuple[Int64s, Int64s]:
        """Zones (n, 2) and walls (n, 3) as the search takes them."""
        return np.array(self.zones, np.int64).reshape(-1, 2), np.array(self.walls, np.int64).reshape(-1, 3)

    def allows(self, start: int, end: int, words: Sequence[str]) -> bool:
        """Whether a phrase of a table may translate words `start` to before `end` beside the hints.

        None may that meets an exclusive hint; beside a constraint one it has to hold one of its translations.
        """
        if self.use is Use.INCLUSIVE:
            return True
        met = [hint for hint in self.hints if start < hint.end and hint.start < end]
        if not met or self.use is Use.EXCLUSIVE:
            return not met
        text = f" {' '.join(words)} "
        held = {(hint.start, hint.end) for hint in met if f" {' '.join(hint.words)} " in text}
        return all((hint.start, hint.end) in held and start <= hint.start and hint.end <= end for hint in met)


NO_MARKS = Marks()
