"""PO catalogues of gettext: messages and their plurals; marks are extracted comments (``#. assay: ...``)."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, Final

from app.documents.document import Document, Languages, Mark, Unit, counted, joined, language_of
from app.documents.format import Format, ReadOptions, Sample
from app.documents.po_entries import Entry, entries
from app.documents.po_texts import form_edits, unfuzzy
from app.documents.retexting import Revised
from app.documents.xml.markup import Edit, apply_edits
from app.running.deadline import awaited
from app.text.reading.encodings import Decoded, decode

__all__ = ["Po"]

OURS: Final = "#. assay: "
MESSAGE: Final = re.compile(r"^msgid\s++\"", re.MULTILINE)


@dataclass(frozen=True)
class Place:
    """A message or one of its plurals; `begin` is where its entry does, `plural` says which form it is of several."""

    unit: Unit
    begin: int
    plural: int | None


class Po(Format):
    """Every message that is translated; obsolete ones are not read. Marks are one extracted comment per translation."""

    name: ClassVar = "po"
    title: ClassVar = "PO (gettext)"
    suffix: ClassVar = "po"
    media_type: ClassVar = "text/x-gettext-translation"

    def recognises(self, sample: Sample) -> bool:
        """There is a message."""
        # However many comments are before the first, as ours may be.
        return "msgstr" in sample.text and MESSAGE.search(sample.text) is not None and not sample.holds_objects

    def read(self, raw: bytes, name: str, options: ReadOptions) -> Document:
        """Messages and their plural forms."""
        decoded = decode(raw, name)
        languages: Languages | None = None
        skipped = 0

        def places() -> Iterator[Place]:
            nonlocal languages, skipped
            for entry in entries(decoded.text, name):
                if languages is None and not entry.text("msgid"):
                    languages = _languages(entry.text("msgstr"))
                    continue
                texts = _texts(entry)
                skipped += not texts
                for source, translation, plural in texts:
                    yield Place(Unit(source, translation, entry.line), entry.begin, plural)

        marked = list(counted(places(), options.most, name))
        units = tuple(place.unit for place in marked)
        return Document(
            self.name, units, languages or (None, None), skipped, write=partial(_written, decoded, marked),
            retext=partial(_with_texts, decoded, marked), holds_comment=decoded.can_hold,
        )  # fmt: skip


def _languages(header: str) -> Languages:
    """What the header says: the last line of each name counts."""
    values = dict(line.split(":", 1) for line in header.splitlines() if ":" in line)
    return language_of(values.get("X-Source-Language")), language_of(values.get("Language"))


def _written(decoded: Decoded, places: Sequence[Place], marks: Sequence[Mark]) -> bytes:
    """The catalogue with our comments, in place of those of before."""
    by_entry: dict[int, list[tuple[Place, Mark]]] = {}
    for place, mark in zip(awaited(places), marks, strict=True):
        by_entry.setdefault(place.begin, []).append((place, mark))
    edits = (edit for begin, marked in awaited(by_entry.items()) for edit in _entry_edits(decoded.text, begin, marked))
    return decoded.encode(apply_edits(decoded.text, edits))


def _entry_edits(text: str, begin: int, marked: Iterable[tuple[Place, Mark]]) -> Iterator[Edit]:
    """Comments of translators come first, then extracted ones, of which ours is the last."""
    at = begin
    while True:
        # An entry has a line with a text at least, behind all of these.
        end = text.find("\n", at)
        line = text[at:] if end < 0 else text[at:end]
        if line.strip() and not line.startswith(("#.", "# ")) and line.rstrip("\r") != "#":
            break
        if line.startswith(OURS):
            yield Edit(at, end + 1, "")
        at = end + 1
    line_end = "\r\n" if line.endswith("\r") else "\n"
    for place, mark in marked:
        form = "" if place.plural is None else f"msgstr[{place.plural}] "
        yield Edit(at, at, f"{OURS}{form}{mark.sentence}{line_end}")
        if mark.comment:
            yield Edit(at, at, f"{OURS}{form}correction: {mark.comment}{line_end}")


def _with_texts(decoded: Decoded, places: Sequence[Place], texts: Mapping[int, Revised]) -> tuple[bytes, frozenset[int]]:
    """The catalogue with other texts in place of translations, which are not fuzzy any more where all forms have one."""
    by_entry: dict[int, dict[int | None, int]] = {}
    for number, revised in texts.items():
        if decoded.can_hold(revised.text):
            by_entry.setdefault(places[number].begin, {})[places[number].plural] = number
    forms = Counter(place.begin for place in places)
    edits: list[Edit] = []
    put: set[int] = set()
    for begin, numbers in awaited(by_entry.items()):
        made = form_edits(decoded.text, begin, {form: texts[number].text for form, number in numbers.items()})
        for form, changed in made.items():
            edits += changed
            put.add(numbers[form])
        if len(made) == forms[begin]:
            edits += unfuzzy(decoded.text, begin)
    return decoded.encode(apply_edits(decoded.text, edits)), frozenset(texts.keys() - put)


def _texts(entry: Entry) -> list[tuple[str, str, int | None]]:
    source = entry.text("msgid")
    pairs: list[tuple[str, str, int | None]] = [(source, entry.text("msgstr"), None)]
    if entry.texts.get("msgid_plural"):
        plural = entry.text("msgid_plural")
        pairs = [(plural if k else source, "".join(pieces), k) for k, pieces in sorted(entry.forms.items())]
    cleaned = [(joined(source), joined(text), k) for source, text, k in pairs]
    return [(source, text, k) for source, text, k in cleaned if source and text]
