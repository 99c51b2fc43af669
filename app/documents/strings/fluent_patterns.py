"""Patterns of Fluent: their placeables, and the indentation of their lines.

Source: Project Fluent, grammar 1.0. Braces within quotes are no placeables; variants of a select expression are patterns again.
"""

import re
from collections.abc import Iterator
from typing import Final

__all__ = ["BLANKS", "LINE", "Placeables", "column_of", "plain_pattern", "spelled_pattern"]

# Blanks of Fluent; others are letters of a text.
BLANKS: Final = " \r\n"
LINE: Final = re.compile(r"[^\n]*+\n?")
INDENT: Final = "    "
# Characters that begin no line of a text.
SPECIAL: Final = ("[", "*", ".")
# Signs within an expression, where quotes begin a text and = has no place; and within a pattern, where quotes are letters.
OF_EXPRESSION: Final = re.compile(r'"(?:[^"\\\r\n]++|\\.)*+"|->|[{}"=]')
OF_PATTERN: Final = re.compile("[{}]")


class Placeables:
    """Open placeables at a place of a pattern, line after line."""

    def __init__(self) -> None:
        # For each open placeable, True within the variants of a select expression.
        self._levels: list[bool] = []

    @property
    def depth(self) -> int:
        """The number of open placeables."""
        return len(self._levels)

    def read(self, text: str, start: int, end: int) -> int | None:
        """Go on over a line; the place of a sign that shows a brace or quotation mark without its pair, or None."""
        at = start
        while True:
            signs = OF_EXPRESSION if self._levels and not self._levels[-1] else OF_PATTERN
            match = signs.search(text, at, end)
            if match is None:
                return None
            sign, at = match[0], match.end()
            if sign == "{":
                self._levels.append(False)
            elif sign == "}" and self._levels:
                self._levels.pop()
            elif sign == "->":
                self._levels[-1] = True
            elif sign in {"}", '"', "="}:
                return match.start()


def _lines(text: str, start: int, end: int) -> Iterator[tuple[int, int, int]]:
    """Lines of a pattern: the number of placeables open at their begin, and their places."""
    placeables = Placeables()
    for match in LINE.finditer(text, start, end):
        if match[0]:
            yield placeables.depth, *match.span()
            placeables.read(text, *match.span())


def column_of(text: str, at: int) -> int | None:
    """The number of blanks before the first text of a line; None for a place behind other characters."""
    begin = text.rfind("\n", 0, at) + 1
    return None if text[begin:at].strip(" ") else at - begin


def plain_pattern(text: str, start: int, end: int) -> tuple[str, int]:
    """The pattern `text[start:end]` without the indentation that its lines have in common, outside of placeables; and its begin."""
    first, *lines = [(depth, text[begin:stop].replace("\r\n", "\n")) for depth, begin, stop in _lines(text, start, end)]
    indents = [len(line) - len(line.lstrip(" ")) for depth, line in lines if depth == 0 and line.strip(BLANKS)]
    column = column_of(text, start)
    indent = min([*indents, *([] if column is None else [column])], default=0)
    # A first line with more indentation than others begins with the rest of it.
    surplus = 0 if column is None else column - indent
    rest = (line if depth else line.removeprefix(" " * indent) if line.strip(BLANKS) else "\n" for depth, line in lines)
    return " " * surplus + first[1] + "".join(rest), start - surplus


def spelled_pattern(new: str, column: int | None) -> str:
    """A pattern at a column of its line, or behind other characters. Its lines are indented, but for those within placeables."""
    parts = [(depth, new[start:end]) for depth, start, end in _lines(new, 0, len(new))]
    indent = " " * column if column else INDENT
    if column == 0 and all(line.startswith((" ", "{")) for depth, line in parts if depth == 0 and line.strip(BLANKS)):
        indent = ""
    spelling = "" if column else indent * (column is not None)
    for number, (depth, line) in enumerate(parts):
        is_inside = depth > 0 and line.startswith((" ", "}", "[", "*["))
        is_special = depth == 0 and line.startswith(SPECIAL) and (number > 0 or column is not None)
        spelling += indent if number and line.strip(BLANKS) and not is_inside else ""
        spelling += f'{{""}}{line}' if is_special else line
    return spelling
