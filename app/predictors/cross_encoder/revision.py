"""Revision of tags of words: a logistic regression of the probabilities of the cross-encoder and of a random field."""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from app.arrays import Float32s, Float64s
from app.predictors.word_tags import WordTags
from app.predictors.word_tags.marks import Marks

__all__ = ["LARGEST_WEIGHT", "TagRevision", "log_odds", "words_of_pieces", "wrong_words"]

# Characters that may be skipped to find a piece, since tokenisers spell some signs differently.
SKIP_LIMIT: Final = 12
# Those for longer pieces after characters that the network does not know.
LONGEST_SKIP: Final = 500
# Larger numbers would overflow, and no training finds such.
LARGEST_WEIGHT: Final = 1e6
# Probabilities are cut at this distance from 0 and 1.
NEAREST: Final = 1e-4


@dataclass(frozen=True)
class TagRevision:
    """Revision of one word tagger: weights of its log odds and of the network's, bias, and threshold.

    The threshold has the highest correlation; marks have thresholds of their own.
    """

    added: float
    of_tagger: float
    of_network: float
    threshold: float

    def __post_init__(self) -> None:
        numbers = (self.added, self.of_tagger, self.of_network, self.threshold)
        if not all(abs(number) <= LARGEST_WEIGHT for number in numbers):
            raise ValueError(f"weights of a revision lie within {LARGEST_WEIGHT:g}")

    def revised(self, tags: WordTags, wrong: Float64s, marks: Marks) -> WordTags:
        """Revised tags of words with their marks.

        `wrong` (words,) are the network's probabilities, NaN for words without a piece.
        """
        words = self.probabilities(tags.words, wrong)
        return replace(tags, words=words, word_threshold=self.threshold, word_marks=marks)

    def probabilities(self, of_tagger: Float64s, wrong: Float64s) -> Float64s:
        """Probabilities of BAD (words,)."""
        # Scores alone need no revision, and this import takes a tenth of a second.
        from scipy.special import expit

        odds = log_odds(of_tagger)
        # A word without a piece keeps the random field's log odds for both.
        read = np.where(np.isnan(wrong), odds, log_odds(wrong))
        return np.asarray(expit(self.added + self.of_tagger * odds + self.of_network * read))


def log_odds(probabilities: Float64s) -> Float64s:
    """Log odds of probabilities, cut at those of `NEAREST`; NaN stays."""
    from scipy.special import logit

    return np.asarray(logit(np.clip(probabilities, NEAREST, 1 - NEAREST)))


def words_of_pieces(pieces: Sequence[str], words: Sequence[str]) -> list[range]:
    """Numbers of the words that each piece of an encoder belongs to; none for a piece outside all words."""
    spellings = [unicodedata.normalize("NFKC", word).replace(" ", "") for word in words]
    characters = "".join(spellings)
    owner = [place for place, word in enumerate(spellings) for _ in word]
    out, at, skip = [], 0, SKIP_LIMIT
    for piece in (piece.replace("▁", "") for piece in pieces):
        limit = SKIP_LIMIT if len(piece) == 1 else skip
        begin = characters.find(piece, at, at + len(piece) + limit) if piece else -1
        if begin >= 0:
            at, skip = begin + len(piece), SKIP_LIMIT
        elif piece:
            # Characters that the network does not know may be many.
            skip = min(2 * skip, LONGEST_SKIP)
        out.append(range(owner[begin], owner[at - 1] + 1) if begin >= 0 else range(0))
    return out


def wrong_words(pieces: Sequence[str], wrong: Float32s, words: Sequence[str]) -> Float64s:
    """The probability that each word is wrong (words,): that of its worst piece, NaN without a piece."""
    out = np.full(len(words), np.nan)
    for of_piece, probability in zip(words_of_pieces(pieces, words), wrong.tolist(), strict=True):
        for word in of_piece:
            out[word] = np.fmax(out[word], probability)
    return out
