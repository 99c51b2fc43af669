"""Glossaries in TBX: TBX-Core and TBX-Basic, versions 2 (`martif`) and 3 (`tbx`, in both styles).

Source: ISO 30042:2008 and 30042:2019, and the dialect TBX-Basic.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from app.documents.document import language_of
from app.documents.glossaries.glossary import Glossary, Term, checked_term, glossary_of
from app.documents.xml.markup import XmlMarkup, local_name, parse_markup, plain_text
from app.errors import InputError
from app.text.languages import same_language

__all__ = ["read_tbx"]

ROOTS: Final = frozenset({"martif", "tbx"})
CONCEPTS: Final = frozenset({"termEntry", "conceptEntry"})
LANGUAGES: Final = frozenset({"langSet", "langSec"})
TERMS: Final = frozenset({"tig", "ntig", "termSec"})
XML: Final = "{http://www.w3.org/XML/1998/namespace}lang"
# Names of the status of a term, as an element or as the type of a note.
STATUS: Final = frozenset({"administrativeStatus", "normativeAuthorization"})
# First letters of values such as preferredTerm-admn-sts.
PREFERENCE: Final = ("preferred", "standardized", "legal", "regulated")
FORBIDDEN: Final = ("deprecated", "superseded", "notrecommended", "obsolete")
# Languages that an error names.
SHOWN_LANGUAGES: Final = 10


@dataclass(frozen=True)
class _Entry:
    """A term of a concept, with its status in small letters."""

    text: str
    status: str


def read_tbx(raw: bytes, name: str, source_language: str) -> Glossary:
    """Terms of `source_language` with the terms of their concepts in all other languages.

    A preferred term comes first among translations; a deprecated or superseded one is forbidden. InputError as of other XML, and
    `invalid-glossary` for a file of another kind, or without terms of the language.
    """
    markup = parse_markup(raw, name)
    if local_name(markup.root) not in ROOTS:
        detail = "line 1: the root of a TBX file is <martif> (version 2) or <tbx> (version 3); export the glossary as TBX-Basic"
        raise InputError("invalid-glossary", detail, (name, 1))
    concepts = [element for element in markup.root.iter() if local_name(element) in CONCEPTS]
    languages = dict.fromkeys(language for concept in concepts for language, _ in _sections(concept))
    if concepts and not any(same_language(language, source_language) for language in languages):
        names = ", ".join(list(languages)[:SHOWN_LANGUAGES])
        raise InputError("invalid-glossary", f"there are no terms in {source_language}; languages of this file: {names}", (name,))
    return glossary_of((term for concept in concepts for term in _terms(markup, concept, source_language)), (name,))


def _terms(markup: XmlMarkup, concept: Any, source_language: str) -> Iterator[Term]:
    """Each source term of a concept with the translations into each language."""
    sections = [(language, _entries(section)) for language, section in _sections(concept)]
    sources = [entry.text for language, entries in sections if same_language(language, source_language) for entry in entries]
    line = markup.line(concept)
    for language, entries in sections:
        if same_language(language, source_language):
            continue
        forbidden = tuple(dict.fromkeys(entry.text for entry in entries if entry.status.startswith(FORBIDDEN)))
        translations = [entry for entry in entries if not entry.status.startswith(FORBIDDEN)]
        translations.sort(key=lambda entry: not entry.status.startswith(PREFERENCE))
        targets = tuple(dict.fromkeys(entry.text for entry in translations))
        for source in dict.fromkeys(sources) if entries else ():
            term = Term(source, targets, forbidden, language=language)
            yield checked_term(term, (markup.name, line), f"line {line}: ")


def _sections(concept: Any) -> Iterator[tuple[str, Any]]:
    """Sections of a concept with their languages; those of an unreadable language are left out."""
    for section in concept:
        if local_name(section) in LANGUAGES:
            language = language_of(section.get(XML) or section.get("lang"))
            if language is not None:
                yield language, section


def _entries(section: Any) -> list[_Entry]:
    return [entry for element in section if local_name(element) in TERMS if (entry := _entry(element)) is not None]


def _entry(element: Any) -> _Entry | None:
    """The term of an element, which version 2 may wrap in a group; None without one."""
    term = next((child for child in element.iter() if local_name(child) == "term"), None)
    text = "" if term is None else plain_text(term)
    notes = (child for child in element.iter() if STATUS.intersection((local_name(child), child.get("type") or "")))
    status = next((plain_text(note) for note in notes), "")
    return _Entry(text, status.casefold()) if text else None
