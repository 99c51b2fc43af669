"""Lines of a text in memory, one at a time with their positions; a list of all lines could be far larger than the text."""

import re
from collections.abc import Iterator
from typing import Final

from app.text.reading.headers import MOST_CELLS, MOST_COLUMNS, too_wide

__all__ = ["QUOTED_CELL", "CsvLines", "TextLines", "is_wide"]

EMPTY_LINES: Final = re.compile(r"(?:\r*+\n)*+")
QUOTED_CELL: Final = re.compile(r'"(?:[^"]++|"")*+"')


class TextLines(Iterator[str]):
    r"""Lines between ``\n``; the last may be empty. `text[begin:end]` is the latest line."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._next = 0
        self.begin = self.end = 0

    def __next__(self) -> str:
        if self._next > len(self._text):
            raise StopIteration
        end = self._text.find("\n", self._next)
        self.begin, self.end = self._next, len(self._text) if end < 0 else end
        self._next = self.end + 1
        return self._text[self.begin : self.end]


class CsvLines(TextLines):
    """Lines of a CSV text, without empty ones between records; `record_begin` and `record_line` are the place of the record.

    InputError (`invalid-table`) for a record of too many columns, before its cells take memory.
    """

    def __init__(self, text: str, delimiter: str, name: str) -> None:
        super().__init__(text)
        self._delimiter = delimiter
        self._name = name
        self.record_begin, self.record_line = 0, 1
        self.begin_record()

    def begin_record(self) -> None:
        """Begin a record in the next line that is not empty."""
        lines = EMPTY_LINES.match(self._text, self._next)
        begin = max(self._next, lines.end() if lines else 0)
        self.record_line += self._text.count("\n", self.record_begin, begin)
        self.record_begin = self._next = begin
        self._delimiter_count, self._check_count = 0, MOST_CELLS

    def __next__(self) -> str:
        line = super().__next__()
        self._delimiter_count += line.count(self._delimiter)
        if self._delimiter_count >= self._check_count:
            # Delimiters may stand in quotes. A check reads the whole record, so the next one waits for twice as many.
            self._check_count = 2 * self._delimiter_count
            if is_wide(self._text, self.record_begin, self.end, self._delimiter):
                raise too_wide(f"more than {MOST_COLUMNS}", self._name, self.record_line)
        return line


def is_wide(text: str, begin: int, end: int, delimiter: str) -> bool:
    """Return True if a CSV record, which may end in an open quote, has more cells than a row of a table."""
    at = begin
    for _ in range(MOST_CELLS):
        cell = QUOTED_CELL.match(text, at, end)
        if cell is None and text.startswith('"', at):
            return False
        stop = text.find(delimiter, at if cell is None else cell.end(), end)
        if stop < 0:
            return False
        at = stop + 1
    return True
