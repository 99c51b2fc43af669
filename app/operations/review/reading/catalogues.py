"""Catalogues of gettext: their strings, and the faults for which msgfmt refuses them.

Source: GNU gettext manual, "Invoking the msgfmt Program", `--check`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from app.checks import Severity
from app.checks.gettext import FORMATS, PluralRule, format_fault, plural_rule
from app.checks.structure.plural_categories import categories_for
from app.documents.document import MOST_UNITS, Languages, counted, joined
from app.documents.po_entries import PoEntry, entries, entry_texts, header_languages
from app.operations.review.reviewed import Fault, FileStrings, ReviewString
from app.text.languages import base_language

__all__ = ["Catalogue", "catalogue_part", "read_catalogue"]

FUZZY: Final = "fuzzy"
# Languages with a category for few have three plural forms or more.
CATEGORY_OF_FEW: Final = "few"
FEWEST_FORMS: Final = 3


@dataclass(frozen=True)
class Catalogue:
    """Messages of a catalogue, and its header: the entry without a source."""

    messages: Sequence[PoEntry]
    header: PoEntry | None

    @property
    def languages(self) -> Languages:
        """Languages of the header."""
        return (None, None) if self.header is None else header_languages(self.header.text("msgstr"))


def read_catalogue(path: str, text: str) -> Catalogue:
    """Messages of a text that are not obsolete. InputError (`invalid-document`) names a bad line."""
    messages = list(counted(entries(text, path), MOST_UNITS, path))
    header = next((entry for entry in messages if not entry.text("msgid")), None)
    return Catalogue([entry for entry in messages if entry is not header], header)


def catalogue_part(path: str, language: str, catalogue: Catalogue) -> FileStrings:
    """Strings with the places of their translations, and faults. Fuzzy messages are drafts, which programs never show."""
    strings: list[ReviewString] = []
    sources: dict[str, tuple[str, ...]] = {}
    skip_count = 0
    rule = _rule(catalogue)
    for entry in catalogue.messages:
        texts = entry_texts(entry)
        skip_count += not texts
        sources.update(dict.fromkeys(filter(None, (joined(entry.text(key)) for key in ("msgid", "msgid_plural"))), ()))
        strings += [
            ReviewString(
                *(path, language, "", _plural(form), source, text, _place(entry, form)),
                is_draft=FUZZY in entry.flags,
                is_single=not _is_strict(entry, form, rule),
            )
            for source, text, form in texts
        ]
    faults = tuple(_faults(path, language, catalogue))
    return FileStrings(path, path, language, tuple(strings), skip_count, faults=faults, sources=sources)


def _plural(form: int | None) -> str:
    """The number of a plural form, empty for a message without forms."""
    return "" if form is None else str(form)


def _place(entry: PoEntry, form: int | None) -> tuple[int, int, int, int]:
    line = entry.lines.get(form, entry.line)
    return line, 1, line, 1


def _faults(path: str, language: str, catalogue: Catalogue) -> Iterator[Fault]:
    """Faults of the header, then of each message that programs show."""

    def fault(entry: PoEntry, form: int | None, code: str, message: str, severity: Severity = "error") -> Fault:
        texts = joined(entry.text("msgid")), joined(_translation(entry, form))
        return Fault(ReviewString(path, language, "", _plural(form), *texts, _place(entry, form)), code, message, severity)

    translated_messages = (entry for entry in catalogue.messages if _translation(entry, 0 if entry.forms else None))
    messages = [entry for entry in translated_messages if FUZZY not in entry.flags]
    rule = _rule(catalogue)
    plural = next((entry for entry in messages if entry.forms), None)
    if plural is not None and rule is None:
        yield fault(catalogue.header or plural, None, "plurals", "the header lacks a valid Plural-Forms")
    if plural is not None and rule is not None and catalogue.header is not None:
        if rule.highest >= rule.count:
            message = f"nplurals is {rule.count}, but the plural expression gives {rule.highest}"
            yield fault(catalogue.header, None, "plurals", message)
        elif CATEGORY_OF_FEW in categories_for(base_language(language)).integers and rule.count < FEWEST_FORMS:
            message = f"nplurals is {rule.count}, and {language} has at least {FEWEST_FORMS} plural forms"
            yield fault(catalogue.header, None, "plurals", message, "warning")
    names: set[tuple[str, str]] = set()
    for entry in catalogue.messages:
        name = entry.text("msgctxt"), entry.text("msgid")
        if name in names:
            yield fault(entry, 0 if entry.forms else None, "unreadable", "msgfmt refuses this message: it occurs twice")
        names.add(name)
    for entry in messages:
        for form, code, message in _of_message(entry, rule):
            yield fault(entry, form, code, message)


def _of_message(entry: PoEntry, rule: PluralRule | None) -> Iterator[tuple[int | None, str, str]]:
    """Faults of one message: its form, a code, and words."""
    forms: list[int | None] = [*sorted(entry.forms)] or [None]
    if entry.forms and rule is not None and len(forms) != rule.count:
        yield 0, "plurals", f"{len(forms)} plural forms, and nplurals is {rule.count}"
    plural_source = entry.text("msgid_plural")
    for form in forms:
        source, translation = entry.text("msgid"), _translation(entry, form)
        if not translation:
            yield form, "empty-translation", f"msgstr[{form}] is empty"
            continue
        if source.startswith("\n") != translation.startswith("\n"):
            yield form, "spaces", "the source and the translation do not both begin with a line break"
        if source.endswith("\n") != translation.endswith("\n"):
            yield form, "spaces", "the source and the translation do not both end with a line break"
        is_strict = _is_strict(entry, form, rule)
        for name in sorted({flag.removeprefix("possible-") for flag in entry.flags}.intersection(FORMATS)):
            message = format_fault(name, plural_source or source, translation, is_strict)
            if message is not None:
                yield form, "placeholders", f"msgfmt refuses this {name}: {message}"


def _rule(catalogue: Catalogue) -> PluralRule | None:
    return None if catalogue.header is None else plural_rule(catalogue.header.text("msgstr"))


def _is_strict(entry: PoEntry, form: int | None, rule: PluralRule | None) -> bool:
    """Return False for a form of few numbers, which may name them in place of placeholders."""
    return len(entry.forms) < 2 or (rule is not None and form in rule.frequent_forms)


def _translation(entry: PoEntry, form: int | None) -> str:
    return entry.text("msgstr") if form is None else "".join(entry.forms.get(form, ()))
