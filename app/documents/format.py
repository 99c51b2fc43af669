"""Formats of documents: recognised by content, and read."""

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Final

from app.documents.document import MOST_UNITS, Document
from app.documents.xml.prolog import prolog_of
from app.errors import InputError
from app.text.languages import LanguagePair
from app.text.reading.columns import Order
from app.text.reading.encodings import decode
from app.text.reading.foreign import foreign_kind

__all__ = ["FileFormat", "ReadOptions", "Sample", "recognise", "recognised", "titles"]

LONGEST_HEAD: Final = 1_000_000
MOST_LINES: Final = 200
TAG: Final = re.compile(r"<(?:[\w.-]+:)?([\w.-]+)")
TAG_BEHIND_ANOTHER: Final = re.compile(r">\s*<(?:[\w.-]+:)?([\w.-]+)")
OBJECT: Final = re.compile(r"\{\s*\"")
PLAIN: Final = "; send a plain text as two files, source and translation, with one segment per line in both"
MARKUP: Final = re.compile(r"<\?xml|<!|<(?:[\w.-]+:)?(?:xliff|tmx)\b")


@dataclass(frozen=True)
class ReadOptions:
    """Options of a reader.

    - `pair`: the language pair to read from a file with several languages.
    - `sources`: the sources of an n-best list.
    - `limit`: the largest number of units.
    - `header`: True or False if the first row of a table is or is not a heading; None to detect it.
    - `order`: a function that distinguishes columns without known names.
    """

    pair: LanguagePair | None = None
    sources: Sequence[str] | None = None
    limit: int = MOST_UNITS
    header: bool | None = None
    order: Order | None = None


@dataclass(frozen=True)
class Sample:
    """Text of a document, for the recognition of its format."""

    text: str

    @cached_property
    def head(self) -> str:
        """The first million characters."""
        return self.text[:LONGEST_HEAD]

    @cached_property
    def lines(self) -> list[str]:
        """Lines of the head that are not blank, at most 200; the head itself if all are blank."""
        lines = [line.removesuffix("\r") for line in self.head.split("\n", MOST_LINES + 1)[: MOST_LINES + 1]]
        # The last line may be incomplete.
        return [line for line in (lines[:-1] if len(lines) > 1 else lines) if line.strip()] or [self.head]

    @cached_property
    def root(self) -> str:
        """Lower-case name of the root element without its prefix; empty for text without markup."""
        at = prolog_of(self.text).end
        # The format itself refuses an unsupported document type.
        search = TAG_BEHIND_ANOTHER.search if self.text.startswith("<!DOCTYPE", at) else TAG.match
        tag = search(self.text, at)
        return tag[1].lower() if tag else ""

    @cached_property
    def holds_cells(self) -> bool:
        """Return True if the first line has tabs and begins neither like XML nor like a JSON object."""
        start = self.lines[0].lstrip()
        return "\t" in self.lines[0] and not MARKUP.match(start) and not OBJECT.match(start)

    @cached_property
    def holds_objects(self) -> bool:
        """Return True if the first line begins like a JSON object."""
        return self.lines[0].lstrip().startswith("{") and not self.holds_cells


class FileFormat(ABC):
    """One format of documents: its name, its title for people, its usual suffix and media type, its recognition and its reader."""

    name: ClassVar[str]
    title: ClassVar[str]
    suffix: ClassVar[str]
    media_type: ClassVar[str]
    # Documents of packable formats are also read from archives.
    packable: ClassVar[bool] = True

    def recognises_bytes(self, raw: bytes) -> bool:
        """Return True if these are the bytes of a binary format."""
        return False

    def recognises(self, sample: Sample) -> bool:
        """Return True if a text is of this format; the first such format in a list counts."""
        return False

    @abstractmethod
    def read(self, raw: bytes, name: str, options: ReadOptions) -> Document:
        """Parse a document; InputError names the position of an error."""


def recognise(sample: Sample, formats: Iterable[FileFormat]) -> FileFormat | None:
    """First format that recognises a text, or None."""
    return next((form for form in formats if form.recognises(sample)), None)


def recognised(raw: bytes, name: str, formats: Sequence[FileFormat]) -> FileFormat:
    """Format of a file by its content; InputError (`unknown-format`, `empty-input`) lists the supported formats."""
    binary_format = next((form for form in formats if form.recognises_bytes(raw)), None)
    if binary_format is not None:
        return binary_format
    kind = foreign_kind(raw)
    if kind is not None:
        file_kind, _, remedy = kind.partition("; ")
        detail = f"this is {file_kind}, not a translation file; {remedy or f'Assay reads {titles(formats)}'}"
        raise InputError("unknown-format", detail, (name,))
    text = decode(raw, name).text
    # A row of empty cells is a row.
    if not text.strip() and "\t" not in text:
        raise InputError("empty-input", "this file is empty; send segments", (name,))
    sample = Sample(text)
    form = recognise(sample, formats)
    if form is None:
        detail = f"line 1, column 1: Assay cannot read this file; it reads {titles(formats)}{'' if sample.root else PLAIN}"
        raise InputError("unknown-format", detail, (name, 1, 1))
    return form


def titles(formats: Iterable[FileFormat]) -> str:
    """Titles of formats, with commas."""
    return ", ".join(form.title for form in formats)
