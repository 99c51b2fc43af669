"""Terms in a translation: exact ones by lemma, and looser ones by stem or as a part of a compound."""

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Final

from app.resources.terminology.case import keeps_case
from app.resources.terminology.lemmas import keys_of, stems_of
from app.resources.terminology.words import PlacedWord, words_of
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

    def spans(self, term: str, exact_case: bool) -> list[Span]:
        """Places of a term whose words have its lemmas, in order. O(places of its first word × its words)."""
        term_words = [word.text for word in words_of(term)]
        keys = keys_of(term_words[0], self._language)
        begins = sorted({at for key in keys for at in self._places.get(key, ())})
        return self._matches(term_words, begins, exact_case, self._has_lemma)

    def loose_spans(self, term: str, exact_case: bool) -> list[Span]:
        """Places of a term whose words have its stems, or are compounds with them. O(words × words of the term)."""
        term_words = [word.text for word in words_of(term)]
        return self._matches(term_words, range(len(self._words)), exact_case, self._is_kin)

    def _matches(
        self, term_words: Sequence[str], begins: Iterable[int], exact_case: bool, agrees: Callable[[str, str], bool]
    ) -> list[Span]:
        spans: list[Span] = []
        for at in begins:
            words = self._words[at : at + len(term_words)]
            if len(words) == len(term_words) and all(
                agrees(term_word, word.text) and (not exact_case or keeps_case(term_word, word))
                for term_word, word in zip(term_words, words, strict=True)
            ):
                spans.append(_span(words))
                if len(spans) == PLACE_LIMIT:
                    break
        return spans

    def _has_lemma(self, term_word: str, word: str) -> bool:
        return not keys_of(term_word, self._language).isdisjoint(keys_of(word, self._language))

    def _is_kin(self, term_word: str, word: str) -> bool:
        if not stems_of(term_word, self._language).isdisjoint(stems_of(word, self._language)):
            return True
        return base_language(self._language) in COMPOUNDING and self._is_part(term_word, word)

    def _is_part(self, term_word: str, word: str) -> bool:
        """Return True if a word begins or ends with a word of a term."""
        parts = tuple(key for key in keys_of(term_word, self._language) if len(key) >= SHORTEST_PART)
        return bool(parts) and any(key.startswith(parts) or key.endswith(parts) for key in keys_of(word, self._language))


def _span(words: Sequence[PlacedWord]) -> Span:
    return words[0].start, words[-1].end
