"""Documents: segment pairs of a file, and functions that write quality or corrections into it."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NoReturn, TypeVar

from app.documents.retexting import Retext
from app.errors import InputError
from app.running.deadline import awaited
from app.text.language_tags import read_tag
from app.text.reading.columns import TableReading

__all__ = ["MOST_UNITS", "Document", "Languages", "QualityMark", "Unit", "counted", "joined", "language_of"]

# Limit of units for readers without a limit of their own.
MOST_UNITS: Final = 2_000_000
Item = TypeVar("Item")
# Source and target as canonical tags, None if the document names none.
Languages = tuple[str | None, str | None]


@dataclass(frozen=True, slots=True)
class Unit:
    """One pair of source and translation as plain text without tags; `line` is its first line in the file, from 1.

    `codes` are the inline codes of both sides, for formats that name them. `longest` is the largest length of the translation in
    characters that the file states.
    """

    source: str
    translation: str
    line: int
    codes: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())
    longest: int | None = None


@dataclass(frozen=True)
class QualityMark:
    """Quality of one unit, to be written beside it.

    `confidence` is from 0 (worst) to 1 (best) for every label. `score`, `low` and `high` are in the label's `unit`.
    """

    confidence: float
    score: float
    low: float
    high: float
    label: str
    unit: str
    direction: str
    model: str
    band: str = ""
    warnings: tuple[str, ...] = ()
    # The machine's translation and its confidence, if a correction has replaced it.
    original: tuple[str, float] | None = None
    # The last words of the sentence.
    remark: str = ""
    # A correction that is written beside the translation instead of replacing it.
    comment: str = ""

    @property
    def number(self) -> str:
        """Confidence in files: four decimals, as in the examples of ITS 2.0."""
        return f"{self.confidence:.4f}"

    @property
    def sentence(self) -> str:
        """Quality in a sentence for people, in ASCII, which every encoding can hold."""
        estimate = (
            f"quality {self.confidence:.2f}; {self.label} {self.score:.4f} [{self.low:.4f} to {self.high:.4f}] {self.unit}, "
            f"{self.direction}; model {self.model}"
        )
        remarks = [f"band {self.band}"] if self.band else []
        remarks += [f"check {', '.join(self.warnings)}"] if self.warnings else []
        remarks += [self.remark] if self.remark else []
        return "; ".join([estimate, *remarks]).encode("ascii", "replace").decode()


def _unwritable(content: object) -> NoReturn:
    raise InputError("invalid-request", "this document cannot be written; send its file")


@dataclass(frozen=True)
class Document:
    """Content of a file, parsed once.

    - `languages` are the languages that the file names, as canonical tags.
    - `skipped` is the number of units without a translation, or that must not be translated.
    - `members` has the format and the number of units of each file in an archive.
    - `reading` is the interpretation of a table.
    - `write` returns the file with a mark for each unit, `retext` returns it with new translations.
    - `holds_comment` returns True if marks have room for a comment.
    - `pending_sources` are sources of units without a translation, in PO, XLIFF and TMX.
    """

    format: str
    units: tuple[Unit, ...]
    languages: Languages = (None, None)
    skipped: int = 0
    members: tuple[tuple[str, int], ...] = ()
    write: Callable[[Sequence[QualityMark]], bytes] = _unwritable
    reading: TableReading | None = None
    retext: Retext = _unwritable
    holds_comment: Callable[[str], bool] = lambda comment: False
    pending_sources: frozenset[str] = frozenset()

    @classmethod
    def of_lines(cls, rows: Iterable[Sequence[str]]) -> "Document":
        """Build a document from two files of lines side by side; it cannot be written."""
        return cls("lines", tuple(Unit(source, translation, line) for line, (source, translation) in enumerate(rows, 1)))

    @property
    def source_language(self) -> str | None:
        """Language of the sources, if the file names it."""
        return self.languages[0]

    @property
    def target_language(self) -> str | None:
        """Language of the translations, if the file names it."""
        return self.languages[1]

    def marked(self, marks: Sequence[QualityMark]) -> bytes:
        """File with a mark beside each of its units; every other byte is unchanged."""
        if len(marks) != len(self.units):
            raise ValueError(f"{len(marks)} marks for {len(self.units)} units")
        return self.write(marks)


def counted(items: Iterable[Item], limit: int, name: str) -> Iterator[Item]:
    """Yield items while they are read; InputError (`too-many-segments`) after `limit` items."""
    for number, item in enumerate(awaited(items)):
        if number >= limit:
            raise InputError(
                "too-many-segments", f"this file has more than {limit} segments, which is the limit; split it", (name,)
            )
        yield item


def joined(text: str) -> str:
    """Text in one line, with one blank for each run of blanks or line ends."""
    return " ".join(text.split())


def language_of(tag: str | None) -> str | None:
    """Canonical tag of a field of a file: ``pt_BR`` becomes ``pt-BR``; None if it names no language."""
    read = read_tag(tag)
    return None if read is None else str(read)
