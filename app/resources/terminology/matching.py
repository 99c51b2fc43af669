"""Uses of a glossary's terms in a source and its translation."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from hashlib import sha256
from typing import Final

from app.documents.glossaries import Glossary, Term
from app.resources.terminology.index import SourceIndex
from app.resources.terminology.lemmas import has_lemmas
from app.resources.terminology.translation import Span, TranslationTerms
from app.resources.terminology.words import words_of
from app.text.language_tags import tag_name
from app.text.languages import LanguagePair

__all__ = ["TermUse", "Terminology", "terminology_of"]

# Further terms of a segment are not looked at.
USE_LIMIT: Final = 100
CAUTION: Final = "the terms of the glossary are compared in {} without lemmas, so inflected forms of them are not found"


@dataclass(frozen=True)
class TermUse:
    """Terms with one source in a source text; the place of a translation of theirs, and places of forbidden translations.

    `target` is None if the translation has none of their `expected` translations, the preferred ones.
    """

    source: tuple[Span, ...]
    expected: tuple[str, ...]
    target: Span | None
    forbidden: tuple[Span, ...]

    @property
    def is_missing(self) -> bool:
        """True if a translation of the terms was expected, and stands nowhere."""
        return bool(self.expected) and self.target is None


class Terminology:
    """A glossary for one language pair."""

    def __init__(self, glossary: Glossary, pair: LanguagePair) -> None:
        self._pair = pair
        self._terms = glossary.into(pair.target).terms
        self._index = SourceIndex(self._terms, pair.source)

    @cached_property
    def digest(self) -> str:
        """The first eight digits of the digest of all terms, for signatures."""
        texts = [(term.source, term.targets, term.forbidden, term.exact_case) for term in self._terms]
        return sha256(repr((str(self._pair), texts)).encode("utf-8", "surrogatepass")).hexdigest()[:8]

    @property
    def cautions(self) -> list[str]:
        """Sentences about the languages that have no lemmas."""
        return [CAUTION.format(tag_name(tag)) for tag in (self._pair.source, self._pair.target) if not has_lemmas(tag)]

    def uses(self, source: str, translation: str) -> list[TermUse]:
        """Terms of a source in the order of their first places, each with its translation. O(length), within limits."""
        words = words_of(source)
        spans: dict[tuple[Term, ...], list[Span]] = {}
        for match in self._index.find(words):
            spans.setdefault(match.terms, []).append((words[match.first].start, words[match.last - 1].end))
        if not spans:
            return []
        texts = TranslationTerms(translation, self._pair.target)
        entries = list(spans.items())[:USE_LIMIT]
        targets = [_target_spans(terms, texts) for terms, _ in entries]
        confirmations = [span for places in targets for span in places]
        return [
            TermUse(
                tuple(places),
                tuple(dict.fromkeys(term.targets[0] for term in terms if term.targets)),
                target[0] if target else None,
                tuple(span for span in _forbidden_spans(terms, texts) if not _is_inside(span, confirmations)),
            )
            for (terms, places), target in zip(entries, targets, strict=True)
        ]


@lru_cache(maxsize=8)
def terminology_of(glossary: Glossary, pair: LanguagePair) -> Terminology:
    """A glossary for one language pair, prepared once."""
    return Terminology(glossary, pair)


def _target_spans(terms: Iterable[Term], texts: TranslationTerms) -> list[Span]:
    """Places of any translation of the terms; looser ones only if there is no exact one."""
    variants = list(dict.fromkeys((target, term.exact_case) for term in terms for target in term.targets))
    return [span for variant in variants for span in texts.spans(*variant)] or next(
        (spans for variant in variants if (spans := texts.loose_spans(*variant))), []
    )


def _forbidden_spans(terms: Iterable[Term], texts: TranslationTerms) -> list[Span]:
    variants = dict.fromkeys((text, term.exact_case) for term in terms for text in term.forbidden)
    return sorted({span for variant in variants for span in texts.spans(*variant)})


def _is_inside(span: Span, places: Iterable[Span]) -> bool:
    return any(start <= span[0] and span[1] <= end for start, end in places)
