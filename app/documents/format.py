"""What a format is: how its documents are recognised by what is in them, and read."""

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

__all__ = ["Format", "ReadOptions", "Sample", "recognise", "recognised", "titles"]

LONGEST_HEAD: Final = 1_000_000
MOST_LINES: Final = 200
TAG: Final = re.compile(r"<(?:[\w.-]+:)?([\w.-]+)")
TAG_BEHIND_ANOTHER: Final = re.compile(r">\s*<(?:[\w.-]+:)?([\w.-]+)")
OBJECT: Final = re.compile(r"\{\s*\"")
PLAIN: Final = "; a plain text needs a second file, with the translation: as source and translation, one segment a line in both"
MARKUP: Final = re.compile(r"<\?xml|<!|<(?:[\w.-]+:)?(?:xliff|tmx)\b")


@dataclass(frozen=True)
class ReadOptions:
    """What a reader may be told.

    Which languages of several to take, the sources that an n-best list lacks, the most units, whether a table has a header, and
    what tells columns apart that it does not name.
    """

    pair: LanguagePair | None = None
    sources: Sequence[str] | None = None
    most: int = MOST_UNITS
    header: bool | None = None
    order: Order | None = None


@dataclass(frozen=True)
class Sample:
    """A document's text as formats look at it to recognise it."""

    text: str

    @cached_property
    def head(self) -> str:
        """The first million characters."""
        return self.text[:LONGEST_HEAD]

    @cached_property
    def lines(self) -> list[str]:
        """Lines of the head that are not blank, 200 at most; the head itself where there is none."""
        lines = [line.removesuffix("\r") for line in self.head.split("\n", MOST_LINES + 1)[: MOST_LINES + 1]]
        # The last line may be cut.
        return [line for line in (lines[:-1] if len(lines) > 1 else lines) if line.strip()] or [self.head]

    @cached_property
    def root(self) -> str:
        """The name of the root element in small letters, without its prefix; empty where this is no markup."""
        at = prolog_of(self.text).end
        # A document type that cannot be passed over is for the format to refuse.
        search = TAG_BEHIND_ANOTHER.search if self.text.startswith("<!DOCTYPE", at) else TAG.match
        tag = search(self.text, at)
        return tag[1].lower() if tag else ""

    @cached_property
    def holds_cells(self) -> bool:
        """Whether the first line has cells with tabs between them; they may begin with < or {, but not as XML or JSON does."""
        start = self.lines[0].lstrip()
        return "\t" in self.lines[0] and not MARKUP.match(start) and not OBJECT.match(start)

    @cached_property
    def holds_objects(self) -> bool:
        """Whether the first line begins as a JSON object does."""
        return self.lines[0].lstrip().startswith("{") and not self.holds_cells


class Format(ABC):
    """One format of documents: its name, what people call it, its usual suffix and media type, how it is told and read."""

    name: ClassVar[str]
    title: ClassVar[str]
    suffix: ClassVar[str]
    media_type: ClassVar[str]
    # Whether it is also read out of an archive.
    packable: ClassVar[bool] = True

    def recognises_bytes(self, raw: bytes) -> bool:
        """Whether these are the bytes of a format that is no text."""
        return False

    def recognises(self, sample: Sample) -> bool:
        """Whether a text is of this format; of several that say so, the first in their list is taken."""
        return False

    @abstractmethod
    def read(self, raw: bytes, name: str, options: ReadOptions) -> Document:
        """Parse a document; InputError names the place where it is not what it should be."""


def recognise(sample: Sample, formats: Iterable[Format]) -> Format | None:
    """The first format that says a text is its own."""
    return next((form for form in formats if form.recognises(sample)), None)


def recognised(raw: bytes, name: str, formats: Sequence[Format]) -> Format:
    """The format of a file by its content; InputError (`unknown-format`, `empty-input`) names those that are read."""
    packed = next((form for form in formats if form.recognises_bytes(raw)), None)
    if packed is not None:
        return packed
    kind = foreign_kind(raw)
    if kind is not None:
        raise InputError("unknown-format", f"this is {kind}, not a translation file; what is read: {titles(formats)}", (name,))
    text = decode(raw, name).text
    # A row of empty cells is a row.
    if not text.strip() and "\t" not in text:
        raise InputError("empty-input", "the file is empty", (name,))
    sample = Sample(text)
    form = recognise(sample, formats)
    if form is None:
        detail = f"line 1, column 1: this is of no format that is read: {titles(formats)}{'' if sample.root else PLAIN}"
        raise InputError("unknown-format", detail, (name, 1, 1))
    return form


def titles(formats: Iterable[Format]) -> str:
    """What people call these formats."""
    return ", ".join(form.title for form in formats)
