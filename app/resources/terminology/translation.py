"""Terms in a translation: exact ones by lemma, and looser ones by stem or as a part of a compound."""

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import Final

from app.resources.terminology.case import keeps_case
from app.resources.terminology.lemmas import keys_of, stems_of
from app.resources.terminology.words import words_of
from app.text.languages import base_language

__all__ = ["Span", "TranslationTerms"]

# Characters `[start, end)` of a text.
Span = tuple[int, int]
# Languages that write compounds as one word.
COMPOUNDING: Final = frozenset({"af", "da", "de", "et", "fi", "fo", "fy", "hu", "is", "lb", "nb", "nl", "nn", "no", "sv"})
# Shorter words are parts of many others by chance.
SHORTEST_PART: Final = 4
PLACE_LIMIT: Final = 20


class TranslationTerms:
    """The words of a translation, for searches of terms."""

    def __init__(self, text: str, language: str) -> None:
        self._words, self._language = words_of(text), language

    @cached_property
    def _places(self) -> dict[str, list[int]]:
        """Places of words by key."""
        places: dict[str, list[int]] = {}
        for at, word in enumerate(self._words):
            for key in keys_of(word.text, self._language):
                places.setdefault(key, []).append(at)
        return places

    @cached_property
    def _stem_places(self) -> dict[str, list[int]]:
        """Places of words by stem."""
        places: dict[str, list[int]] = {}
        for at, word in enumerate(self._words):
            for stem in stems_of(word.text, self._language):
                places.setdefault(stem, []).append(at)
        return places

    def spans(self, term: str, exact_case: bool) -> list[Span]:
        """Places of a term whose words have its lemmas, in order. O(words of the term × places of each)."""
        return self._matches(term, exact_case, self._with_lemma)

    def loose_spans(self, term: str, exact_case: bool) -> list[Span]:
        """Places of a term whose words have its stems, or are compounds with them. O(words × words of the term)."""
        return self._matches(term, exact_case, self._of_kin)

    def _matches(self, term: str, exact_case: bool, places_of: Callable[[str], Iterable[int]]) -> list[Span]:
        """Places where each word of a term has its place behind the word before it."""
        term_words = [word.text for word in words_of(term)]
        begins = set(places_of(term_words[0]))
        for distance, term_word in enumerate(term_words[1:], 1):
            if not begins:
                return []
            begins &= {at - distance for at in places_of(term_word)}
        spans: list[Span] = []
        for begin in sorted(begins):
            words = self._words[begin : begin + len(term_words)]
            if not exact_case or all(map(keeps_case, term_words, words)):
                spans.append((words[0].start, words[-1].end))
        return spans[:PLACE_LIMIT]

    def _with_lemma(self, term_word: str) -> Iterator[int]:
        """Places of words that share a form or a lemma with a word."""
        return (at for key in keys_of(term_word, self._language) for at in self._places.get(key, ()))

    def _of_kin(self, term_word: str) -> Iterator[int]:
        """Places of words that share a stem with a word, and of compounds that begin or end with it."""
        for stem in stems_of(term_word, self._language):
            yield from self._stem_places.get(stem, ())
        parts = tuple(key for key in keys_of(term_word, self._language) if len(key) >= SHORTEST_PART)
        if parts and base_language(self._language) in COMPOUNDING:
            for key, places in self._places.items():
                if key.startswith(parts) or key.endswith(parts):
                    yield from places
