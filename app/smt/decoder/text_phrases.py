"""Which phrases of tables a text can use, so that nothing else of them has to be held."""

from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from itertools import islice

import numpy as np

from app.arrays import Bools, Int64s, UInt8s, UInt64s
from app.smt.corpus.phrases.row_kernels import find_phrase_words
from app.text.hashing import hash_slices, hash_tokens

__all__ = ["TextPhrases", "places_of"]

# Sentences that are looked at together.
LINES = 1000


class TextPhrases:
    """The words of a text, and which source phrases of a table stand in it.

    Its sentences are remembered, and all phrases are held that are made of its words. Once it is `limited`, the hashes of its
    phrases are remembered instead, 8 bytes each, while there are no more than `most`.
    """

    def __init__(self, lines: Iterable[Sequence[str]], most: int = 1 << 23) -> None:
        """`lines` are the words of sentences."""
        spelled: dict[str, str] = {}
        # A word that comes again is held once.
        self._lines = [tuple(spelled.setdefault(word, word) for word in line) for line in lines]
        self._most = most
        self._longest: int | None = None
        self._words = np.sort(hash_tokens(list(spelled)))
        self._phrases: UInt64s | None = None

    @classmethod
    def of_phrases(cls, phrases: Iterable[str]) -> "TextPhrases":
        """These source phrases and no others."""
        made = cls(())
        made._phrases = np.unique(hash_tokens(list(phrases)))
        return made

    def limited(self, longest: int) -> "TextPhrases":
        """The same for a search whose phrases have at most `longest` words; phrases that were given by name stay as they are."""
        if self._phrases is not None:
            return self
        made = copy(self)
        made._longest = longest
        phrases = np.zeros(0, np.uint64)
        for hashes in self._hashes(longest):
            phrases = np.union1d(phrases, hashes)
            if len(phrases) > self._most:
                return made
        made._lines, made._phrases = [], phrases
        return made

    def _hashes(self, longest: int) -> Iterator[UInt64s]:
        lines = iter(self._lines)
        while part := list(islice(lines, LINES)):
            phrases = {
                " ".join(line[begin:end])
                for line in part
                for begin in range(len(line))
                for end in range(begin + 1, min(begin + longest, len(line)) + 1)
            }
            yield hash_tokens(list(phrases))

    def among(self, sources: UInt64s, longest: int) -> UInt64s:
        """Those of `sources`, hashes in order of phrases of at most `longest` words, that stand in the text; in order."""
        there = np.zeros(len(sources), bool)
        longest = longest if self._longest is None else min(longest, self._longest)
        for hashes in self._hashes(longest) if self._phrases is None else (self._phrases,):
            there[places_of(hashes, sources)[1]] = True
        return sources[there]

    def held(self, text: UInt8s, spans: Int64s) -> Bools:
        """Which of the phrases ``text[begin:end]`` may stand here; an empty one is among them, to be refused."""
        if self._phrases is not None:
            held: Bools = spans[:, 0] == spans[:, 1]
            held[places_of(hash_slices(text, spans[:, 0], spans[:, 1]), self._phrases)[0]] = True
            return held
        begins, ends, offsets = find_phrase_words(text, spans)
        others = np.ones(len(begins), bool)
        others[places_of(hash_slices(text, begins, ends), self._words)[0]] = False
        before = np.concatenate([np.zeros(1, np.int64), np.cumsum(others)])
        made: Bools = before[offsets[1:]] == before[offsets[:-1]]
        return made


def places_of(keys: UInt64s, among: UInt64s) -> tuple[Int64s, Int64s]:
    """Which of `keys` are there among others, which are in order, and where each of them is."""
    at = np.minimum(np.searchsorted(among, keys), max(len(among) - 1, 0))
    there = np.flatnonzero(among[at] == keys) if len(among) else np.zeros(0, np.int64)
    return there, at[there]
