"""What formats with one pair on a line share: pairs are read from lines, and marks written into them."""

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Final

from app.documents.decoding import Decoded, decode
from app.documents.document import Document, Mark, Unit
from app.documents.format import Format, ReadOptions
from app.errors import InputError

__all__ = ["BARS", "LineFormat", "refused_line"]

# Between the parts of a line in several formats.
BARS: Final = " ||| "


def refused_line(number: int, name: str, expected: str, code: str = "invalid-document") -> InputError:
    """The error about a line, which is numbered from 1."""
    return InputError(code, f"line {number}, column 1: {expected}", (name, number, 1))


class LineFormat(Format):
    """A format whose units are lines of their own; blank lines are none, and units that lack a text are left out."""

    def read(self, raw: bytes, name: str, options: ReadOptions) -> Document:
        """Every line that has both texts."""
        decoded = decode(raw, name)
        lines = decoded.text.split("\n")
        pairs = list(self._pairs(lines, name, options))
        if not pairs:
            raise InputError("empty-input", "the file is empty; give a source and a translation per line", (name,))
        units = tuple(unit for unit in pairs if unit.source and unit.translation)
        return Document(self.name, units, skipped=len(pairs) - len(units), write=partial(self._written, decoded, lines, units))

    def _written(self, decoded: Decoded, lines: Sequence[str], units: Sequence[Unit], marks: Sequence[Mark]) -> bytes:
        """The file with the marked lines rewritten, their line ends kept."""
        written = list(lines)
        for unit, mark in zip(units, marks, strict=True):
            line = lines[unit.line - 1]
            body = line.removesuffix("\r")
            written[unit.line - 1] = self._marked_line(body, mark) + line[len(body) :]
        return decoded.encode("\n".join(written))

    @abstractmethod
    def _pairs(self, lines: Sequence[str], name: str, options: ReadOptions) -> Iterator[Unit]:
        """The texts of each line that is not blank."""

    @abstractmethod
    def _marked_line(self, line: str, mark: Mark) -> str:
        """A line with its mark in place of one of before."""
