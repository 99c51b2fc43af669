"""What a document holds: segment pairs, and the way to write quality beside each."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from app.documents.retexting import Retext, Revised
from app.errors import InputError
from app.running.deadline import awaited
from app.text.language_tags import read_tag
from app.text.reading.columns import Reading

__all__ = ["MOST_UNITS", "Document", "Languages", "Mark", "Unit", "counted", "joined", "language_of"]

# Readers that are told no limit of their own stop here.
MOST_UNITS: Final = 2_000_000
Item = TypeVar("Item")
# Source and target as canonical tags, None where a document does not say.
Languages = tuple[str | None, str | None]


@dataclass(frozen=True, slots=True)
class Unit:
    """One pair of source and translation as plain text, the tags left out; `line` is where it begins in the file, from 1."""

    source: str
    translation: str
    line: int


@dataclass(frozen=True)
class Mark:
    """What is written beside one unit.

    `confidence` runs from 0 (worst) to 1 (best) whatever the label; `score`, `low` and `high` are in the label's `unit`.
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
    # The translation that was judged, where somebody has put another in its place.
    original: str | None = None
    # What somebody says that the translation should be, where it is told beside it.
    comment: str = ""

    @property
    def number(self) -> str:
        """The confidence as files carry it: four decimals, as ITS 2.0 examples have them."""
        return f"{self.confidence:.4f}"

    @property
    def sentence(self) -> str:
        """The whole of it for people, in ASCII, so that every encoding can hold it."""
        estimate = (
            f"quality {self.confidence:.2f}; {self.label} {self.score:.4f} [{self.low:.4f} to {self.high:.4f}] {self.unit}, "
            f"{self.direction}; model {self.model}"
        )
        more = [f"band {self.band}"] if self.band else []
        more += [f"check {', '.join(self.warnings)}"] if self.warnings else []
        more += ["corrected since"] if self.original is not None else []
        return "; ".join([estimate, *more]).encode("ascii", "replace").decode()


def _untold(comment: str) -> bool:
    return False


def _unchangeable(texts: Mapping[int, Revised]) -> tuple[bytes, frozenset[int]]:
    raise InputError("invalid-request", "there is no document to write into")


def _unwritable(marks: Sequence[Mark]) -> bytes:
    raise InputError("invalid-request", "there is no document to write into")


@dataclass(frozen=True)
class Document:
    """What was read from a file, parsed once.

    `source_language` and `target_language` are what the file itself says, as canonical tags, None where it does not.
    `skipped` counts what has no translation or must not be translated; `members` names the files of an archive with their units;
    `reading` is what was taken for what in a table.
    `write` makes the file with a mark for each unit from what was parsed, `retext` that with other texts in place of translations;
    `holds_comment` says whether marks have room for a comment.
    """

    format: str
    units: tuple[Unit, ...]
    languages: Languages = (None, None)
    skipped: int = 0
    members: tuple[tuple[str, int], ...] = ()
    write: Callable[[Sequence[Mark]], bytes] = _unwritable
    reading: Reading | None = None
    retext: Retext = _unchangeable
    holds_comment: Callable[[str], bool] = _untold

    @classmethod
    def of_lines(cls, rows: Iterable[Sequence[str]]) -> "Document":
        """Two files of lines side by side, which are not written into."""
        return cls("lines", tuple(Unit(source, translation, line) for line, (source, translation) in enumerate(rows, 1)))

    @property
    def source_language(self) -> str | None:
        """The language of the sources, as the file says."""
        return self.languages[0]

    @property
    def target_language(self) -> str | None:
        """The language of the translations, as the file says."""
        return self.languages[1]

    def marked(self, marks: Sequence[Mark]) -> bytes:
        """The same file with a mark beside each of its units, all else byte for byte as it was."""
        if len(marks) != len(self.units):
            raise ValueError(f"{len(marks)} marks for {len(self.units)} units")
        return self.write(marks)


def counted(items: Iterable[Item], most: int, name: str) -> Iterator[Item]:
    """The same while they are being read; InputError (`too-many-segments`) at the first of more than `most`."""
    for number, item in enumerate(awaited(items)):
        if number >= most:
            raise InputError("too-many-segments", f"more than {most} segments, which is the most that is accepted here", (name,))
        yield item


def joined(text: str) -> str:
    """Text in one line, with a blank wherever there were blanks or line ends."""
    return " ".join(text.split())


def language_of(tag: str | None) -> str | None:
    """A field of a file as a canonical tag: ``pt_BR`` is ``pt-BR``; None where there is no language in it."""
    read = read_tag(tag)
    return None if read is None else str(read)
