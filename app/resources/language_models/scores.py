"""Scores of a batch by a language model."""

from dataclasses import dataclass
from typing import Protocol

from app.arrays import Float64s, Int64s
from app.text.batch import TokenColumn

__all__ = ["LanguageModel", "SentenceScores", "WordScores"]


@dataclass(frozen=True)
class SentenceScores:
    """Scores of segments; shape (n,) each.

    `log_prob` is the log10 probability of known words and of the sentence's end, `end_log_prob` the end's part of it, and `unknown`
    the number of unknown words. The sentence's begin is the context of the first word. `matched_orders` sums the orders of the
    longest known n-grams at each word and at the end; an unknown word has order 0.
    """

    log_prob: Float64s
    end_log_prob: Float64s
    unknown: Int64s
    matched_orders: Int64s


@dataclass(frozen=True)
class WordScores:
    """Scores of words, with each segment's end after its words; shape (tokens + n,) each.

    `log_prob` is log10 p(word | preceding words), `matched_orders` the order of the longest known n-gram, 0 for an unknown word.
    """

    log_prob: Float64s
    matched_orders: Int64s


class LanguageModel(Protocol):
    """A back-off n-gram model."""

    @property
    def order(self) -> int:
        """Number of words in the longest n-grams."""
        ...

    def score(self, column: TokenColumn) -> SentenceScores:
        """Scores of every segment."""
        ...

    def score_both(self, column: TokenColumn) -> tuple[SentenceScores, WordScores]:
        """Scores of every segment and every word, in one pass."""
        ...
