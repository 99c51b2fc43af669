"""Base of formats with one pair per line."""

from abc import abstractmethod
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final

from app.documents.document import Document, QualityMark, Unit, counted
from app.documents.format import FileFormat, ReadOptions
from app.documents.retexting import Edit, Revision, apply_edits, edits_of_units
from app.documents.text_lines import TextLines
from app.errors import InputError
from app.running.deadline import awaited
from app.text.reading.encodings import DecodedText, decode

__all__ = ["BARS", "LineFormat", "refused_line"]

# Divider of the parts of a line, in several formats.
BARS: Final = " ||| "


def refused_line(number: int, name: str, detail: str, code: str = "invalid-document") -> InputError:
    """InputError about a line; lines count from 1."""
    return InputError(code, f"line {number}, column 1: {detail}", (name, number, 1))


class LineFormat(FileFormat):
    """A format with one unit per line; blank lines and units with an empty text are skipped."""

    def read(self, raw: bytes, name: str, options: ReadOptions) -> Document:
        """Read every line that has both texts."""
        file = decode(raw, name)
        lines = TextLines(file.text)
        bounds = array("q")
        skip_count = 0

        def units() -> Iterator[Unit]:
            nonlocal skip_count
            for unit in self._pairs(lines, name, options):
                if unit.source and unit.translation:
                    bounds.extend((lines.begin, lines.end))
                    yield unit
                else:
                    skip_count += 1

        pairs = tuple(counted(units(), options.limit, name))
        if not pairs and not skip_count:
            raise InputError("empty-input", "this file is empty; write a source and a translation per line", (name,))
        return Document(
            self.name, pairs, skipped=skip_count, write=partial(self._write_marks, file, bounds),
            retext=partial(self._with_texts, file, bounds), holds_comment=self._comments(file),
        )  # fmt: skip

    def _write_marks(self, file: DecodedText, bounds: Sequence[int], marks: Sequence[QualityMark]) -> bytes:
        """File with marks in its lines; line ends are unchanged."""
        text = file.text

        def pieces() -> Iterator[str]:
            at = 0
            for begin, end, mark in zip(bounds[::2], bounds[1::2], awaited(marks), strict=True):
                line = text[begin:end]
                body = line.removesuffix("\r")
                yield text[at:begin] + self._marked_line(body, mark) + line[len(body) :]
                at = end
            yield text[at:]

        return file.encode("".join(pieces()))

    def _with_texts(self, file: DecodedText, bounds: Sequence[int], texts: Mapping[int, Revision]) -> tuple[bytes, frozenset[int]]:
        """File with new texts in some of its lines; and the lines that cannot hold theirs."""

        def line_edits(row: int, revision: Revision) -> list[Edit] | None:
            begin, end = bounds[2 * row], bounds[2 * row + 1]
            return self._text_edits(file.text, begin, end, revision.text) if file.can_hold(revision.text) else None

        edits, failures = edits_of_units(texts, line_edits)
        return file.encode(apply_edits(file.text, edits)), failures

    def _comments(self, file: DecodedText) -> Callable[[str], bool]:
        """Function that returns True if a line has room for a comment."""
        return lambda comment: False

    @abstractmethod
    def _text_edits(self, text: str, begin: int, end: int, new: str) -> list[Edit] | None:
        """Edits that replace the translation of the line `text[begin:end]`; None if that is impossible."""

    @abstractmethod
    def _pairs(self, lines: Iterable[str], name: str, options: ReadOptions) -> Iterator[Unit]:
        """Yield the unit of each line that is not blank."""

    @abstractmethod
    def _marked_line(self, line: str, mark: QualityMark) -> str:
        """Line with its mark; an earlier mark is replaced."""
