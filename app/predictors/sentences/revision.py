"""What a network that reads tokens adds to the tags of words: its probability and a random field's, by logistic regression."""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from scipy.special import expit, logit

from app.arrays import Float32s, Float64s
from app.predictors.word_tags import WordTags

__all__ = ["Revision", "log_odds", "words_of_pieces", "wrong_words"]

# How many characters may be passed over to find a piece again: tokenisers spell some signs differently.
PASSED_OVER: Final = 12
# Probabilities nearer to 0 and 1 are taken for these.
NEAREST: Final = 1e-4


@dataclass(frozen=True)
class Revision:
    """Of one word tagger: the weights of its log odds and the network's, what is added, and from where on words are called BAD."""

    added: float
    of_tagger: float
    of_network: float
    threshold: float

    def revised(self, tags: WordTags, wrong: Float64s) -> WordTags:
        """The tags of words anew; `wrong` (words,) are the network's probabilities, NaN for words that it does not see."""
        words = self.probabilities(tags.words, wrong)
        return replace(tags, words=words, word_threshold=self.threshold)

    def probabilities(self, of_tagger: Float64s, wrong: Float64s) -> Float64s:
        """Probabilities of BAD (words,)."""
        odds = log_odds(of_tagger)
        # A word that the network does not see is one that both think the same of.
        read = np.where(np.isnan(wrong), odds, log_odds(wrong))
        return np.asarray(expit(self.added + self.of_tagger * odds + self.of_network * read))


def log_odds(probabilities: Float64s) -> Float64s:
    """Log odds of probabilities, none beyond those of `NEAREST`; NaN stays."""
    return np.asarray(logit(np.clip(probabilities, NEAREST, 1 - NEAREST)))


def words_of_pieces(pieces: Sequence[str], words: Sequence[str]) -> list[range]:
    """The words that each of an encoder's pieces is a part of, by number; none where no word has the piece."""
    spelt = [unicodedata.normalize("NFKC", word).replace(" ", "") for word in words]
    characters = "".join(spelt)
    owner = [place for place, word in enumerate(spelt) for _ in word]
    out, at = [], 0
    for piece in (piece.replace("▁", "") for piece in pieces):
        begin = characters.find(piece, at, at + len(piece) + PASSED_OVER) if piece else -1
        if begin >= 0:
            at = begin + len(piece)
        out.append(range(owner[begin], owner[at - 1] + 1) if begin >= 0 else range(0))
    return out


def wrong_words(pieces: Sequence[str], wrong: Float32s, words: Sequence[str]) -> Float64s:
    """The probability that each word is wrong (words,): that of its worst piece, NaN where it has none."""
    out = np.full(len(words), np.nan)
    for of_piece, probability in zip(words_of_pieces(pieces, words), wrong.tolist(), strict=True):
        for word in of_piece:
            out[word] = np.fmax(out[word], probability)
    return out
