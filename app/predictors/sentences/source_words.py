"""Tags of source words without a right translation: a logistic regression over links, vectors and a network's readings.

Lexical tables give the links; linked words have the probabilities of a word tagger after a network's revision.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy.special import expit

from app.arrays import Bools, Float64s, Int64s
from app.features.lexical_links import LexicalLinks
from app.predictors.sentences.network import TokenReading
from app.predictors.sentences.revision import log_odds, words_of_pieces

__all__ = ["FEATURES", "SourceRevision", "WordReading", "linked_words", "read_source_words", "source_features"]

# Features of a source word, in the order of columns; NaN for a missing value.
FEATURES: Final = (
    "log odds that its worst piece is translated wrongly, as the network says",
    "these log odds of the word before",
    "these log odds of the word after",
    "log odds of the worst word of the translation that the lexical tables link it to in either direction",
    "log odds of the worst word of the translation that one of its pieces is nearest to",
    "cosine of its piece that is farthest from the translation",
    "1 where no table links it to a word",
    "base-10 logarithm of its probability under the lexical table, summed over the words of the translation",
)
# The probability of a word without an explaining word is 0.
FLOOR: Final = 1e-6


@dataclass(frozen=True)
class SourceRevision:
    """Weights (8,) of features less their centres (8,), bias, and threshold of BAD.

    A missing value counts as the centre.
    """

    added: float
    threshold: float
    middle: Float64s
    weights: Float64s

    @classmethod
    def from_array(cls, array: np.ndarray) -> "SourceRevision":
        """Build from an array of shape (18,); ValueError for another shape, NaN or infinity."""
        if array.shape != (2 + 2 * len(FEATURES),) or not np.isfinite(array).all():
            raise ValueError("a revision of source words has not the numbers of one")
        middle, weights = np.asarray(array[2:], np.float64).reshape(2, -1)
        return cls(float(array[0]), float(array[1]), middle, weights)

    def as_array(self) -> Float64s:
        """All numbers one after the other (18,)."""
        return np.concatenate([[self.added, self.threshold], self.middle, self.weights])

    def probabilities(self, features: Float64s) -> Float64s:
        """Probabilities of BAD (n,) of words by their features (n, 8)."""
        return np.asarray(expit(self.added + np.nan_to_num(features - self.middle) @ self.weights))


@dataclass(frozen=True)
class WordReading:
    """The network's reading of a segment's source words.

    `wrong` and `likeness` (words,) are those of the worst piece, NaN without one. `near` (k, 2) are places of source words, and of
    words of the translation that are nearest to one of their pieces.
    """

    wrong: Float64s
    likeness: Float64s
    near: Int64s


def read_source_words(
    reading: TokenReading, pieces: Sequence[str], target_pieces: Sequence[str], words: Sequence[str], target_words: Sequence[str]
) -> WordReading:
    """Read source words from pieces and words of both texts."""
    wrong, likeness = np.full((2, len(words)), np.nan)
    owners, near = words_of_pieces(target_pieces, target_words), []
    rows = zip(
        words_of_pieces(pieces, words), reading.source.tolist(), reading.likeness.tolist(), reading.nearest.tolist(), strict=True
    )
    for of_piece, probability, cosine, place in rows:
        for word in of_piece:
            wrong[word] = np.fmax(wrong[word], probability)
            if place >= 0:
                likeness[word] = np.fmin(likeness[word], cosine)
                near += [(word, target_word) for target_word in owners[place]]
    return WordReading(wrong, likeness, np.array(near, np.int64).reshape(-1, 2))


def source_features(
    offsets: Int64s,
    target_offsets: Int64s,
    bad: Float64s,
    links: tuple[LexicalLinks, LexicalLinks],
    readings: Sequence[WordReading],
) -> Float64s:
    """FEATURES of the source words of n segments (words, 8); both offsets (n + 1,) delimit the words of segments.
    `bad` are probabilities of the translations' words; `links` explain source words by them, and them by source words.
    """
    wrong = log_odds(_joined([reading.wrong for reading in readings]))
    near = [reading.near + (a, b) for reading, a, b in zip(readings, offsets[:-1], target_offsets[:-1], strict=True)]
    by_table = _worst(len(wrong), linked_words(offsets, target_offsets, links), bad)
    return np.stack(
        [
            wrong,
            *_neighbours(wrong, offsets),
            log_odds(by_table),
            log_odds(_worst(len(wrong), np.concatenate([np.empty((0, 2), np.int64), *near]), bad)),
            _joined([reading.likeness for reading in readings]),
            np.isnan(by_table),
            np.log10(links[0].total + FLOOR),
        ],
        axis=1,
    )


def linked_words(offsets: Int64s, target_offsets: Int64s, links: tuple[LexicalLinks, LexicalLinks]) -> Int64s:
    """Numbers of source words and of their linked words in translations, by tables of either direction; (k, 2)."""
    of_source, of_target = (np.flatnonzero(link.place >= 0) for link in links)
    source_row, target_row = (np.repeat(np.arange(len(ends) - 1), np.diff(ends)) for ends in (offsets, target_offsets))
    to_target = target_offsets[source_row[of_source]] + links[0].place[of_source]
    to_source = offsets[target_row[of_target]] + links[1].place[of_target]
    return np.concatenate([np.stack([of_source, to_target], 1), np.stack([to_source, of_target], 1)]).astype(np.int64)


def _joined(parts: Sequence[Float64s]) -> Float64s:
    return np.concatenate([np.empty(0), *parts])


def _worst(count: int, pairs: Int64s, bad: Float64s) -> Float64s:
    out = np.full(count, np.nan)
    np.fmax.at(out, pairs[:, 0], bad[pairs[:, 1]])
    return out


def _neighbours(values: Float64s, offsets: Int64s) -> tuple[Float64s, Float64s]:
    """Values of the previous and of the next word in the segment, NaN at the ends."""
    before, after = np.full((2, len(values)), np.nan)
    before[1:], after[:-1] = values[:-1], values[1:]
    starts: Bools = np.diff(offsets) > 0
    before[offsets[:-1][starts]], after[offsets[1:][starts] - 1] = np.nan, np.nan
    return before, after
