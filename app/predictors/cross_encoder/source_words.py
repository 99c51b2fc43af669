"""Tags of source words without a right translation: a logistic regression over links and a network's readings.

Lexical tables give the links; linked words have the probabilities of a word tagger after a network's revision.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np

from app.arrays import Bools, Float64s, Int64s
from app.features.lexical_links import LexicalLinks
from app.predictors.cross_encoder.revision import LARGEST_WEIGHT, log_odds

__all__ = ["FEATURES", "SourceRevision", "linked_words", "source_features"]

# Features of a source word, in the order of columns; NaN for a missing value.
FEATURES: Final = (
    "log odds that its worst piece is translated wrongly, as the network says",
    "these log odds of the word before",
    "these log odds of the word after",
    "log odds of the worst word of the translation that the lexical tables link it to in either direction",
    "1 where no table links it to a word",
    "base-10 logarithm of its probability under the lexical table, summed over the words of the translation",
)
# The probability of a word without an explaining word is 0.
FLOOR: Final = 1e-6


@dataclass(frozen=True)
class SourceRevision:
    """Weights (6,) of features less their centres (6,), bias, and threshold of BAD.

    A missing value counts as the centre.
    """

    added: float
    threshold: float
    middle: Float64s
    weights: Float64s

    @classmethod
    def from_array(cls, array: np.ndarray) -> "SourceRevision":
        """Build from an array of shape (14,); ValueError for another shape, NaN and numbers that would overflow."""
        if array.shape != (2 + 2 * len(FEATURES),) or not (np.abs(array) <= LARGEST_WEIGHT).all():
            raise ValueError("a revision of source words has not the numbers of one")
        middle, weights = np.asarray(array[2:], np.float64).reshape(2, -1)
        return cls(float(array[0]), float(array[1]), middle, weights)

    def as_array(self) -> Float64s:
        """All numbers one after the other (14,)."""
        return np.concatenate([[self.added, self.threshold], self.middle, self.weights])

    def probabilities(self, features: Float64s) -> Float64s:
        """Probabilities of BAD (n,) of words by their features (n, 6)."""
        from scipy.special import expit

        return np.asarray(expit(self.added + np.nan_to_num(features - self.middle) @ self.weights))


def source_features(
    offsets: Int64s, target_offsets: Int64s, bad: Float64s, links: tuple[LexicalLinks, LexicalLinks], wrong: Float64s
) -> Float64s:
    """FEATURES of the source words of n segments (words, 6); both offsets (n + 1,) delimit the words of segments.

    `bad` are probabilities of the translations' words, `wrong` (words,) those of the network, NaN for a word without a piece.
    `links` explain source words by words of translations, and these by source words.
    """
    odds = log_odds(wrong)
    by_table = _worst(len(wrong), linked_words(offsets, target_offsets, links), bad)
    return np.stack(
        [odds, *_neighbours(odds, offsets), log_odds(by_table), np.isnan(by_table), np.log10(links[0].total + FLOOR)], axis=1
    )


def linked_words(offsets: Int64s, target_offsets: Int64s, links: tuple[LexicalLinks, LexicalLinks]) -> Int64s:
    """Numbers of source words and of their linked words in translations, by tables of either direction; (k, 2)."""
    of_source, of_target = (np.flatnonzero(link.place >= 0) for link in links)
    source_row, target_row = (np.repeat(np.arange(len(ends) - 1), np.diff(ends)) for ends in (offsets, target_offsets))
    to_target = target_offsets[source_row[of_source]] + links[0].place[of_source]
    to_source = offsets[target_row[of_target]] + links[1].place[of_target]
    return np.concatenate([np.stack([of_source, to_target], 1), np.stack([to_source, of_target], 1)]).astype(np.int64)


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
