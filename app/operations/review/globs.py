"""Patterns of paths, keys and codes: ``*`` is any letters, ``?`` one letter, ``[a-z]`` one of these.

The meaning is that of `fnmatch.fnmatchcase`. Its regular expression goes back for each ``?`` behind a star, and heeds no deadline.
"""

import fnmatch
import re
from typing import Final, NamedTuple

from app.running.deadline import check_deadline

__all__ = ["Glob"]

LETTER: Final = re.compile(r"\*|\?|\[!?\]?[^\]]*\]|.", re.DOTALL)
# Places of a text between two looks at the clock.
WINDOW: Final = 4096


class _Part(NamedTuple):
    """Letters between two stars: an expression of a fixed width."""

    expression: re.Pattern[str]
    width: int

    def end(self, text: str, begin: int, end: int) -> int:
        """End of the first match within two places, or -1."""
        for start in range(begin, end - self.width + 1, WINDOW):
            check_deadline()
            match = self.expression.search(text, start, min(start + WINDOW - 1 + self.width, end))
            if match is not None:
                return match.end()
        return -1


class Glob:
    """A pattern, compiled once."""

    def __init__(self, pattern: str) -> None:
        parts: list[list[str]] = [[]]
        for letter in LETTER.findall(pattern):
            if letter == "*":
                parts.append([])
            else:
                parts[-1].append(_expression(letter))
        # Stars beside each other are one star.
        parts = [part for place, part in enumerate(parts) if part or place in (0, len(parts) - 1)]
        self._parts = [_Part(re.compile("".join(part), re.DOTALL), len(part)) for part in parts]
        self._width = sum(part.width for part in self._parts)

    def matches(self, text: str) -> bool:
        """Return True if the pattern is the whole text. InputError (`too-slow`) after the deadline.

        The first match of each part leaves most room for the next, so no part is tried again.
        """
        check_deadline()
        first, last = self._parts[0], self._parts[-1]
        if len(self._parts) == 1:
            return len(text) == first.width and first.expression.match(text) is not None
        at, end = first.width, len(text) - last.width
        if len(text) < self._width or first.expression.match(text) is None or last.expression.match(text, end) is None:
            return False
        for part in self._parts[1:-1]:
            at = part.end(text, at, end)
            if at < 0:
                return False
        return True


def _expression(letter: str) -> str:
    """The regular expression of ``?``, of a set of letters, or of the letter itself."""
    if letter == "?":
        return "."
    return fnmatch.translate(letter).removeprefix("(?s:").removesuffix(r")\Z") if len(letter) > 1 else re.escape(letter)
