"""PO catalogues of gettext: messages and their plurals; marks are extracted comments (``#. assay: ...``)."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, Final

from app.documents.document import Document, Languages, QualityMark, Unit, counted, joined
from app.documents.format import FileFormat, ReadOptions, Sample
from app.documents.po_entries import entries, entry_texts, header_languages
from app.documents.po_texts import form_edits, fuzzy_edits
from app.documents.retexting import Edit, Revision, apply_edits
from app.running.deadline import awaited
from app.text.reading.encodings import DecodedText, decode

__all__ = ["Po"]

COMMENT_START: Final = "#. assay: "
MESSAGES: Final = ("msgid", "msgid_plural")
MESSAGE: Final = re.compile(r"^msgid\s++\"", re.MULTILINE)


@dataclass(frozen=True)
class MessageForm:
    """A message or one of its plural forms; `begin` is the position of its entry, `plural` the number of the form."""

    unit: Unit
    begin: int
    plural: int | None


class Po(FileFormat):
    """Every translated message that is not obsolete. A mark is an extracted comment for each translation."""

    name: ClassVar = "po"
    title: ClassVar = "PO (gettext)"
    suffix: ClassVar = "po"
    media_type: ClassVar = "text/x-gettext-translation"

    def recognises(self, sample: Sample) -> bool:
        """Return True if the text has a message."""
        # Any number of comments may precede the first message.
        return "msgstr" in sample.text and MESSAGE.search(sample.text) is not None and not sample.holds_objects

    def read(self, raw: bytes, name: str, options: ReadOptions) -> Document:
        """Read messages and their plural forms."""
        file = decode(raw, name)
        languages: Languages | None = None
        skip_count = 0
        pending_sources: set[str] = set()

        def message_forms() -> Iterator[MessageForm]:
            nonlocal languages, skip_count
            for entry in entries(file.text, name):
                if languages is None and not entry.text("msgid"):
                    languages = header_languages(entry.text("msgstr"))
                    continue
                texts = entry_texts(entry)
                skip_count += not texts
                complete_sources = {source for source, _, _ in texts}
                pending_sources.update(
                    text for key in MESSAGES if (text := joined(entry.text(key))) and text not in complete_sources
                )
                for source, translation, plural in texts:
                    yield MessageForm(Unit(source, translation, entry.line), entry.begin, plural)

        forms = list(counted(message_forms(), options.limit, name))
        units = tuple(form.unit for form in forms)
        return Document(
            self.name, units, languages or (None, None), skip_count, write=partial(_write_marks, file, forms),
            retext=partial(_with_texts, file, forms), holds_comment=file.can_hold, pending_sources=frozenset(pending_sources),
        )  # fmt: skip


def _write_marks(file: DecodedText, forms: Sequence[MessageForm], marks: Sequence[QualityMark]) -> bytes:
    """Catalogue with a comment for each mark, in place of earlier ones."""
    by_entry: dict[int, list[tuple[MessageForm, QualityMark]]] = {}
    for form, mark in zip(awaited(forms), marks, strict=True):
        by_entry.setdefault(form.begin, []).append((form, mark))
    edits = (edit for begin, form_marks in awaited(by_entry.items()) for edit in _entry_edits(file.text, begin, form_marks))
    return file.encode(apply_edits(file.text, edits))


def _entry_edits(text: str, begin: int, form_marks: Iterable[tuple[MessageForm, QualityMark]]) -> Iterator[Edit]:
    """Put the comments of marks after comments of translators and other extracted comments, as gettext orders them."""
    at = begin
    while True:
        # At least one line with a text follows the comments of an entry.
        end = text.find("\n", at)
        line = text[at:] if end < 0 else text[at:end]
        if line.strip() and not line.startswith(("#.", "# ")) and line.rstrip("\r") != "#":
            break
        if line.startswith(COMMENT_START):
            yield Edit(at, end + 1, "")
        at = end + 1
    line_end = "\r\n" if line.endswith("\r") else "\n"
    for form, mark in form_marks:
        label = "" if form.plural is None else f"msgstr[{form.plural}] "
        yield Edit(at, at, f"{COMMENT_START}{label}{mark.sentence}{line_end}")
        if mark.comment:
            yield Edit(at, at, f"{COMMENT_START}{label}correction: {mark.comment}{line_end}")


def _with_texts(file: DecodedText, forms: Sequence[MessageForm], texts: Mapping[int, Revision]) -> tuple[bytes, frozenset[int]]:
    """Catalogue with new translations, and the units that cannot hold theirs.

    An entry with only new forms loses its fuzzy flag.
    """
    by_entry: dict[int, dict[int | None, int]] = {}
    for number, revision in texts.items():
        if file.can_hold(revision.text):
            by_entry.setdefault(forms[number].begin, {})[forms[number].plural] = number
    form_counts = Counter(form.begin for form in forms)
    edits: list[Edit] = []
    successes: set[int] = set()
    for begin, numbers in awaited(by_entry.items()):
        edits_by_form = form_edits(file.text, begin, {form: texts[number].text for form, number in numbers.items()})
        for form, changes in edits_by_form.items():
            edits += changes
            successes.add(numbers[form])
        if len(edits_by_form) == form_counts[begin]:
            edits += fuzzy_edits(file.text, begin)
    return file.encode(apply_edits(file.text, edits)), frozenset(texts.keys() - successes)
