"""What a language model says of a batch."""

from dataclasses import dataclass
from typing import Protocol

from app.arrays import Float64s, Int64s
from app.text.batch import TokenColumn

__all__ = ["LanguageModel", "SentenceScores", "WordScores"]


@dataclass(frozen=True)
class SentenceScores:
    """Per segment: log10 probability of its known words and end of sentence, and how many words are unknown.

    All of shape (n,). Begin of sentence is the context of the first word; the end counts as a word.
    `end_log_prob` is the end's part of `log_prob`. `matched` is the sum of the orders of the n-grams that the model
    knows at each word and at the end (0 for an unknown word): how far it had to back off.
    """

    log_prob: Float64s
    end_log_prob: Float64s
    unknown: Int64s
    matched: Int64s


@dataclass(frozen=True)
class WordScores:
    """Per word, and per end of segment after the segment's words; both of shape (tokens + n,).

    `log_prob` is log10 p(word | words before it), `matched` the order of the longest n-gram known there: 0 for an unknown word.
    """

    log_prob: Float64s
    matched: Int64s


class LanguageModel(Protocol):
    """A back-off n-gram model, whatever file it is in."""

    @property
    def order(self) -> int:
        """Words in its longest n-grams."""
        ...

    def score(self, column: TokenColumn) -> SentenceScores:
        """Score every segment."""
        ...

    def score_both(self, column: TokenColumn) -> tuple[SentenceScores, WordScores]:
        """Score every segment and every word of it, in one pass."""
        ...
