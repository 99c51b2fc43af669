"""Readers of pairs: networks that read a source and its translation together."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from app.arrays import Float32s, Float64s
from app.running.threads.spreading import Spreading
from app.text.languages import LanguagePair

__all__ = ["PairReader", "PairReading", "TextRelation"]


class PairReading(Protocol):
    """Reading of a pair of texts by a network that sees both at once."""

    @property
    def labels(self) -> Float64s:
        """DA, HTER and MQM in standard deviations of a pair, and the log odds of a critical error; shape (4,)."""

    @property
    def target(self) -> Float32s:
        """Probabilities of pieces of the translation: wrong, words missing before, in an error, in a major error; (t, 4)."""

    @property
    def source(self) -> Float32s:
        """Probability that each source piece is translated wrongly; (s,)."""

    @property
    def target_pieces(self) -> Sequence[str]:
        """The pieces of the translation ("▁" is a space)."""

    @property
    def source_pieces(self) -> Sequence[str]:
        """The pieces of the source."""

    @property
    def is_cut(self) -> bool:
        """True if the network saw the texts only in part."""


class TextRelation(Protocol):
    """A weighted sum of readings that tells translations from unrelated texts."""

    @property
    def weights(self) -> Mapping[str, float]:
        """Weights of features of readings by id."""

    def limit(self, pair: LanguagePair) -> float | None:
        """The sum that unrelated texts of a pair stay below; None if unknown."""


class PairReader(Protocol):
    """A network that reads a source and its translation together, in any languages."""

    @property
    def languages(self) -> frozenset[str]:
        """Codes of languages, any two of which form a pair that it reads."""

    @property
    def relation(self) -> TextRelation:
        """Weights and limits of the warning about unrelated texts."""

    @property
    def spreading(self) -> Spreading:
        """Reads pairs on several threads."""

    def reading(self, pair: LanguagePair, source: str, translation: str) -> PairReading:
        """Reading of a pair of texts."""
