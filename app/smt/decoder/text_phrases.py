"""Phrases of a text, which select the rows of tables that it can use."""

from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from itertools import islice

import numpy as np

from app.arrays import Bools, Int64s, UInt8s, UInt64s
from app.smt.corpus.phrases.row_kernels import find_phrase_words
from app.text.hashing import hash_slices, hash_tokens

__all__ = ["TextPhrases", "places_of"]

# Sentences in one batch of hashing.
LINES = 1000


class TextPhrases:
    """Words and source phrases of a text.

    At first it holds the sentences, and accepts any phrase of their words. Once it is `limited`, it holds the hashes of their
    phrases, 8 bytes each, if they are no more than `limit`.
    """

    def __init__(self, lines: Iterable[Sequence[str]], limit: int = 1 << 23) -> None:
        """`lines` are the words of sentences."""
        distinct_words: dict[str, str] = {}
        # Equal words share one string.
        self._lines = [tuple(distinct_words.setdefault(word, word) for word in line) for line in lines]
        self._limit = limit
        self._longest: int | None = None
        self._words = np.sort(hash_tokens(list(distinct_words)))
        self._phrases: UInt64s | None = None

    @classmethod
    def of_phrases(cls, phrases: Iterable[str]) -> "TextPhrases":
        """Accept exactly these source phrases."""
        result = cls(())
        result._phrases = np.unique(hash_tokens(list(phrases)))
        return result

    def limited(self, longest: int) -> "TextPhrases":
        """Restrict phrases to `longest` words; phrases that were given by name stay as they are."""
        if self._phrases is not None:
            return self
        result = copy(self)
        result._longest = longest
        phrases = np.zeros(0, np.uint64)
        for hashes in self._hashes(longest):
            phrases = np.union1d(phrases, hashes)
            if len(phrases) > self._limit:
                return result
        result._lines, result._phrases = [], phrases
        return result

    def _hashes(self, longest: int) -> Iterator[UInt64s]:
        lines = iter(self._lines)
        while batch := list(islice(lines, LINES)):
            phrases = {
                " ".join(line[begin:end])
                for line in batch
                for begin in range(len(line))
                for end in range(begin + 1, min(begin + longest, len(line)) + 1)
            }
            yield hash_tokens(list(phrases))

    def among(self, sources: UInt64s, longest: int) -> UInt64s:
        """Hashes among the sorted `sources`, of phrases of at most `longest` words, that the text has; sorted."""
        mask = np.zeros(len(sources), bool)
        longest = longest if self._longest is None else min(longest, self._longest)
        for hashes in self._hashes(longest) if self._phrases is None else (self._phrases,):
            mask[places_of(hashes, sources)[1]] = True
        return sources[mask]

    def allowed(self, text: UInt8s, spans: Int64s) -> Bools:
        """Mask of the phrases ``text[begin:end]`` that the text can use; empty ones are included, for the reader to refuse."""
        if self._phrases is not None:
            mask: Bools = spans[:, 0] == spans[:, 1]
            mask[places_of(hash_slices(text, spans[:, 0], spans[:, 1]), self._phrases)[0]] = True
            return mask
        begins, ends, offsets = find_phrase_words(text, np.ascontiguousarray(spans))
        foreign_words = np.ones(len(begins), bool)
        foreign_words[places_of(hash_slices(text, begins, ends), self._words)[0]] = False
        foreign_counts = np.concatenate([np.zeros(1, np.int64), np.cumsum(foreign_words)])
        known_mask: Bools = foreign_counts[offsets[1:]] == foreign_counts[offsets[:-1]]
        return known_mask


def places_of(keys: UInt64s, among: UInt64s) -> tuple[Int64s, Int64s]:
    """Indices of `keys` that the sorted `among` has, and the place of each in `among`."""
    places = np.minimum(np.searchsorted(among, keys), max(len(among) - 1, 0))
    matches = np.flatnonzero(among[places] == keys) if len(among) else np.zeros(0, np.int64)
    return matches, places[matches]
