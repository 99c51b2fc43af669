"""What formats with one pair on a line share: pairs are read from lines, and marks written into them."""

from abc import abstractmethod
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final

from app.documents.document import Document, Mark, Unit, counted
from app.documents.format import Format, ReadOptions
from app.documents.retexting import Revised, plain_changes
from app.documents.text_lines import TextLines
from app.documents.xml.markup import Edit, apply_edits
from app.errors import InputError
from app.running.deadline import awaited
from app.text.reading.encodings import Decoded, decode

__all__ = ["BARS", "LineFormat", "plain_edits", "refused_line"]

# Between the parts of a line in several formats.
BARS: Final = " ||| "


def refused_line(number: int, name: str, expected: str, code: str = "invalid-document") -> InputError:
    """The error about a line, which is numbered from 1."""
    return InputError(code, f"line {number}, column 1: {expected}", (name, number, 1))


def plain_edits(text: str, start: int, end: int, new: str) -> list[Edit] | None:
    """What makes a part of a file, in which every character stands for itself, another text; None where that cannot be."""
    made = plain_changes(text, start, end, new)
    return None if made is None else [Edit(change.start, change.end, change.text) for change in made]


class LineFormat(Format):
    """A format whose units are lines of their own; blank lines are none, and units that lack a text are left out."""

    def read(self, raw: bytes, name: str, options: ReadOptions) -> Document:
        """Every line that has both texts."""
        decoded = decode(raw, name)
        lines, places, skipped = TextLines(decoded.text), array("q"), 0

        def units() -> Iterator[Unit]:
            nonlocal skipped
            for unit in self._pairs(lines, name, options):
                if unit.source and unit.translation:
                    places.extend((lines.begin, lines.end))
                    yield unit
                else:
                    skipped += 1

        pairs = tuple(counted(units(), options.most, name))
        if not pairs and not skipped:
            raise InputError("empty-input", "the file is empty; give a source and a translation per line", (name,))
        return Document(
            self.name, pairs, skipped=skipped, write=partial(self._written, decoded, places),
            retext=partial(self._with_texts, decoded, places), holds_comment=self._comments(decoded),
        )  # fmt: skip

    def _written(self, decoded: Decoded, places: Sequence[int], marks: Sequence[Mark]) -> bytes:
        """The file with the marked lines rewritten, their line ends kept."""
        text = decoded.text

        def pieces() -> Iterator[str]:
            at = 0
            for begin, end, mark in zip(places[::2], places[1::2], awaited(marks), strict=True):
                line = text[begin:end]
                body = line.removesuffix("\r")
                yield text[at:begin] + self._marked_line(body, mark) + line[len(body) :]
                at = end
            yield text[at:]

        return decoded.encode("".join(pieces()))

    def _with_texts(self, decoded: Decoded, places: Sequence[int], texts: Mapping[int, Revised]) -> tuple[bytes, frozenset[int]]:
        """The file with other texts in some of its lines."""
        text, edits, left = decoded.text, [], set()
        for place, revised in awaited(texts.items()):
            begin, end = places[2 * place], places[2 * place + 1]
            made = self._text_edits(text, begin, end, revised.text) if decoded.can_hold(revised.text) else None
            if made is None:
                left.add(place)
            else:
                edits += made
        return decoded.encode(apply_edits(text, edits)), frozenset(left)

    def _comments(self, decoded: Decoded) -> Callable[[str], bool]:
        """Whether a line has room for a comment."""
        return lambda comment: False

    @abstractmethod
    def _text_edits(self, text: str, begin: int, end: int, new: str) -> list[Edit] | None:
        """What puts another text in place of the translation of a line, which is `text[begin:end]`; None where that cannot be."""

    @abstractmethod
    def _pairs(self, lines: Iterable[str], name: str, options: ReadOptions) -> Iterator[Unit]:
        """The texts of each line that is not blank."""

    @abstractmethod
    def _marked_line(self, line: str, mark: Mark) -> str:
        """A line with its mark in place of one of before."""
