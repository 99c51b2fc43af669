"""PO catalogues of gettext: messages and their plurals, read by polib; marks are extracted comments (``#. assay: ...``)."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Final

import polib

from app.documents.decoding import Decoded, decode
from app.documents.document import Document, Mark, Unit, joined, language_of
from app.documents.format import Format, ReadOptions, Sample
from app.documents.xml.markup import Edit, apply_edits
from app.errors import InputError

__all__ = ["Po"]

OURS: Final = "#. assay: "
# polib cuts lines at these characters too, and gettext does not: they are hidden from it. The first six never occur in text.
SEPARATORS: Final = "\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"
HIDDEN: Final = "".join(chr(0xF7F0 + k) for k in range(len(SEPARATORS)))
HIDE: Final = str.maketrans(SEPARATORS, HIDDEN)
SHOW: Final = str.maketrans(HIDDEN, SEPARATORS)
# What a line may be that is neither blank nor a comment; polib takes more.
MESSAGE_LINE: Final = re.compile(r'\s*(?:msg\w+(?:\[\d+\])?\s+)?"(?:[^"\\]|\\.)*"\s*')
MESSAGE: Final = re.compile(r"^msgid\s+\"", re.MULTILINE)
LINE: Final = re.compile(r"\(line (\d+)\)")


@dataclass(frozen=True)
class Place:
    """A message or one of its plurals; `line` is the first of its entry (from 0), `plural` says which form it is of several."""

    unit: Unit
    line: int
    plural: int | None


class Po(Format):
    """Every message that is translated; obsolete ones are not read. Marks are one extracted comment per translation."""

    name: ClassVar = "po"
    title: ClassVar = "PO (gettext)"
    suffix: ClassVar = "po"
    media_type: ClassVar = "text/x-gettext-translation"

    def recognises(self, sample: Sample) -> bool:
        """There is a message."""
        return MESSAGE.search(sample.head) is not None and "msgstr" in sample.text and not sample.holds_objects

    def read(self, raw: bytes, name: str, options: ReadOptions) -> Document:
        """Messages and their plural forms."""
        decoded = decode(raw, name)
        catalogue = _parse(decoded, name)
        places = list(_places(catalogue))
        source, target = (language_of(catalogue.metadata.get(key)) for key in ("X-Source-Language", "Language"))
        units = tuple(place.unit for place in places)
        skipped = sum(1 for entry in catalogue if not entry.obsolete and not _texts(entry))
        return Document(self.name, units, (source, target), skipped, write=partial(_written, decoded, places))


def _written(decoded: Decoded, places: Sequence[Place], marks: Sequence[Mark]) -> bytes:
    """The catalogue with our comments, in place of those of before."""
    by_entry: dict[int, list[tuple[Place, Mark]]] = {}
    for place, mark in zip(places, marks, strict=True):
        by_entry.setdefault(place.line, []).append((place, mark))
    lines = decoded.text.split("\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    edits: list[Edit] = []
    for first, marked in by_entry.items():
        edits += _entry_edits(lines, starts, first, marked)
    return decoded.encode(apply_edits(decoded.text, edits))


def _entry_edits(lines: Sequence[str], starts: Sequence[int], first: int, marked: Sequence[tuple[Place, Mark]]) -> Iterator[Edit]:
    """Comments of translators come first, then extracted ones, of which ours is the last."""
    at = first
    while lines[at].startswith(("#.", "# ")) or lines[at].rstrip("\r") == "#" or not lines[at].strip():
        if lines[at].startswith(OURS):
            yield Edit(starts[at], starts[at + 1], "")
        at += 1
    end = "\r\n" if lines[at].endswith("\r") else "\n"
    for place, mark in marked:
        form = "" if place.plural is None else f"msgstr[{place.plural}] "
        yield Edit(starts[at], starts[at], f"{OURS}{form}{mark.sentence}{end}")


def _parse(decoded: Decoded, name: str) -> Any:
    for number, text in enumerate(decoded.text.split("\n"), 1):
        if text.strip() and not text.lstrip().startswith("#") and MESSAGE_LINE.fullmatch(text) is None:
            detail = f"line {number}, column 1: this is not of a PO catalogue, or its quotes do not match"
            raise InputError("invalid-document", detail, (name, number, 1))
    try:
        # polib would open a file of this name; no name begins with a line end.
        return polib.pofile("\n" + decoded.text.translate(HIDE))
    except (OSError, ValueError, IndexError, KeyError, AttributeError) as error:
        match = LINE.search(str(error))
        line = max(1, int(match[1]) - 1) if match else 1
        raise InputError("invalid-document", f"line {line}, column 1: this is not of a PO catalogue", (name, line, 1)) from None


def _places(catalogue: Any) -> Iterator[Place]:
    for entry in catalogue:
        for source, translation, plural in _texts(entry):
            yield Place(Unit(source, translation, entry.linenum - 1), entry.linenum - 2, plural)


def _texts(entry: Any) -> list[tuple[str, str, int | None]]:
    if entry.obsolete:
        return []
    if not entry.msgid_plural:
        pairs = [(entry.msgid, entry.msgstr, None)]
    else:
        forms = sorted(entry.msgstr_plural.items())
        pairs = [(entry.msgid if k == 0 else entry.msgid_plural, text, k) for k, text in forms]
    cleaned = [(_clean(source), _clean(text), k) for source, text, k in pairs]
    return [(source, text, k) for source, text, k in cleaned if source and text]


def _clean(text: str) -> str:
    return joined(text.translate(SHOW))
