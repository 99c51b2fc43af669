"""Index of the source terms of a glossary: a trie of words, along which a text is read once."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from app.documents.glossaries import Term
from app.resources.terminology.case import keeps_case
from app.resources.terminology.lemmas import keys_of, lemmas_of
from app.resources.terminology.words import PlacedWord, words_of

__all__ = ["FoundTerms", "SourceIndex"]

# Terms that mix forms and lemmas of many words could multiply the places in the trie.
MOST_NODES: Final = 64


@dataclass(slots=True)
class _Node:
    """Words that may follow, by key; and the terms that end here."""

    following: dict[str, "_Node"] = field(default_factory=dict)
    terms: list[Term] = field(default_factory=list)


class FoundTerms(NamedTuple):
    """Terms of a glossary with one source, at `[first, last)` in words of a text."""

    terms: tuple[Term, ...]
    first: int
    last: int


class SourceIndex:
    """Source terms by the keys of their words. Building is linear in the glossary, and a search in the text."""

    def __init__(self, terms: Iterable[Term], language: str) -> None:
        self._language, self._root = language, _Node()
        for term in terms:
            # A path of forms, one of lemmas, and one of lemmas of words in small letters.
            for path in dict.fromkeys(zip(*(lemmas_of(word.text, language) for word in words_of(term.source)), strict=True)):
                self._add(path, term)

    def _add(self, path: Sequence[str], term: Term) -> None:
        node = self._root
        for key in path:
            node = node.following.setdefault(key, _Node())
        node.terms.append(term)

    def find(self, words: Sequence[PlacedWord]) -> list[FoundTerms]:
        """The longest terms of a text, in order, without those inside of longer ones. O(words × words of a term)."""
        keys = [keys_of(word.text, self._language) for word in words]
        matches: list[FoundTerms] = []
        end = 0
        for first in range(len(words)):
            longest = next(self._ending(words, keys, first), None)
            if longest is not None and longest.last > end:
                matches.append(longest)
                end = longest.last
        return matches

    def _ending(self, words: Sequence[PlacedWord], keys: Sequence[frozenset[str]], first: int) -> Iterator[FoundTerms]:
        """Terms that begin at a word, the longest first."""
        nodes, ends = [self._root], list[tuple[int, list[Term]]]()
        for at in range(first, len(words)):
            nodes = [node.following[key] for node in nodes for key in keys[at] if key in node.following][:MOST_NODES]
            if not nodes:
                break
            ends.append((at + 1, [term for node in nodes for term in node.terms]))
        for last, terms in reversed(ends):
            exact = tuple(dict.fromkeys(term for term in terms if not term.exact_case or _has_case(term, words[first:last])))
            if exact:
                yield FoundTerms(exact, first, last)


def _has_case(term: Term, words: Sequence[PlacedWord]) -> bool:
    return all(keeps_case(pattern.text, word) for pattern, word in zip(words_of(term.source), words, strict=True))
