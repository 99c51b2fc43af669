"""A glossary and its terms, within their bounds."""

from collections.abc import Iterable
from dataclasses import dataclass

from app.errors import InputError
from app.text.languages import same_language
from app.text.reading.checking import TERM_LENGTH, TERM_LIMIT, VARIANT_LIMIT

__all__ = ["TERM_LENGTH", "TERM_LIMIT", "VARIANT_LIMIT", "Glossary", "Term", "checked_term", "glossary_of"]


@dataclass(frozen=True)
class Term:
    """A source term with its translations, the preferred one first, and with translations that are forbidden.

    With `exact_case`, capital and small letters are those of the glossary. `language` is that of the translations; None fits any.
    """

    source: str
    targets: tuple[str, ...]
    forbidden: tuple[str, ...] = ()
    exact_case: bool = False
    note: str = ""
    language: str | None = None


@dataclass(frozen=True)
class Glossary:
    """Terms of a source language, with translations into one or several languages."""

    terms: tuple[Term, ...]

    def into(self, language: str) -> "Glossary":
        """The terms for one target language."""
        terms = tuple(term for term in self.terms if term.language is None or same_language(term.language, language))
        return self if len(terms) == len(self.terms) else Glossary(terms)


def checked_term(term: Term, place: tuple[str | int, ...], prefix: str = "") -> Term:
    """A term within its bounds; InputError (`invalid-glossary`) at `place` for another; `prefix` has it in words."""
    fault = _fault(term)
    if fault is not None:
        raise InputError("invalid-glossary", f"{prefix}{fault}", place)
    return term


def glossary_of(terms: Iterable[Term], place: tuple[str | int, ...]) -> Glossary:
    """A glossary; InputError (`invalid-glossary`) for one without terms, or with more than the limit."""
    collected_terms: list[Term] = []
    for term in terms:
        if len(collected_terms) == TERM_LIMIT:
            raise InputError("invalid-glossary", f"a glossary has at most {TERM_LIMIT:,} terms; split it", place)
        collected_terms.append(term)
    if not collected_terms:
        raise InputError("invalid-glossary", "this glossary has no terms; add at least one", place)
    return Glossary(tuple(collected_terms))


def _fault(term: Term) -> str | None:
    """The reason why a term cannot be used."""
    if not term.targets and not term.forbidden:
        return "this term has no translation; write one, or a forbidden one"
    if len(term.targets) > VARIANT_LIMIT or len(term.forbidden) > VARIANT_LIMIT:
        return f"this term has more than {VARIANT_LIMIT} translations; leave some out"
    for text in (term.source, *term.targets, *term.forbidden):
        if len(text) > TERM_LENGTH:
            return f"this term has {len(text)} characters; at most {TERM_LENGTH} are accepted"
        if not any(c.isalnum() for c in text):
            return "this term has no letter or digit; write a word"
    return None
