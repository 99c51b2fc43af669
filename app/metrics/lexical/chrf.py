"""chrF, chrF+ and chrF++ (Popović 2015, 2017), as sacreBLEU computes them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from app.arrays import Bools, Float64s, Int32s, Int64s
from app.metrics.counting import Symbols, ngram_counts
from app.metrics.definition import Metric, PreparedMetric, Segments, reference_rows
from app.metrics.lexical.matching import clipped_matches
from app.metrics.numbering import Numbering
from app.metrics.plausible import are_counts
from app.metrics.tokenisers import CHRF_WORDS
from app.metrics.tokens.texts import Texts, symbols_of

__all__ = ["Chrf"]

BETA = 2
EPSILON = 1e-16
Block: TypeAlias = tuple[Int64s | Int32s, Int64s]


@dataclass(frozen=True)
class Chrf(Metric):
    """Statistics per order (characters first, then words): hypothesis n-grams, reference n-grams, matches.

    With several references, each segment uses the reference of its highest score.
    """

    lowercase: bool = False
    char_order: int = 6
    word_order: int = 0
    whitespace: bool = False
    beta: int = BETA
    epsilon: bool = False
    name: str = "chrf"

    def prepare(self, references: Sequence[Segments]) -> "PreparedChrf":
        """Split the references into characters and words once."""
        return PreparedChrf(self, references)

    def counting(self) -> "ChrfCounting":
        """Conversion of counts of character n-grams, and of word n-grams if `word_order` is positive."""
        return ChrfCounting(self, Numbering(CHRF_WORDS, self.lowercase))

    def options(self) -> str:
        """Case, effective order, orders, β and blanks, as in sacreBLEU's signature."""
        case, space = ("lc" if self.lowercase else "mixed"), ("yes" if self.whitespace else "no")
        # sacreBLEU leaves the default β out.
        beta = "" if self.beta == BETA else f"|beta:{self.beta}"
        effective = "no" if self.epsilon else "yes"
        return f"case:{case}|eff:{effective}|nc:{self.char_order}|nw:{self.word_order}{beta}|space:{space}"

    def score(self, sums: Float64s) -> Float64s:
        """F of the mean precision and recall over the orders that both sides have; with `epsilon`, the mean F over all orders."""
        rows = sums.reshape(len(sums), sums.shape[1] // 3, 3)
        hypothesis, reference, matches = rows[:, :, 0], rows[:, :, 1], rows[:, :, 2]
        if self.epsilon:
            return self._smoothed(hypothesis, reference, matches)
        is_shared = (hypothesis > 0) & (reference > 0)
        orders = np.maximum(is_shared.sum(1), 1)
        with np.errstate(divide="ignore", invalid="ignore"):
            precision = np.where(is_shared, matches / hypothesis, 0.0).sum(1) / orders
            recall = np.where(is_shared, matches / reference, 0.0).sum(1) / orders
            factor = self.beta**2
            f = (1 + factor) * precision * recall / (factor * precision + recall)
        return np.asarray(np.where(precision + recall > 0, 100.0 * f, 0.0))

    def plausible_rows(self, statistics: Float64s, references: int) -> Bools:
        """Mask of rows of counts with no more matches than either side has n-grams."""
        hypothesis, reference, matches = np.moveaxis(statistics.reshape(len(statistics), -1, 3), 2, 0)
        return np.asarray(are_counts(statistics) & (matches <= np.minimum(hypothesis, reference)).all(1))

    def reference_columns(self, width: int) -> Sequence[int]:
        """The columns of the reference's n-grams of every order."""
        return range(1, width, 3)

    def _smoothed(self, hypothesis: Float64s, reference: Float64s, matches: Float64s) -> Float64s:
        """Scores like those of chrF++'s script, NLTK and Moses: division by zero gives ε, and all orders count."""
        with np.errstate(divide="ignore", invalid="ignore"):
            precision = np.where(hypothesis > 0, matches / hypothesis, EPSILON)
            recall = np.where(reference > 0, matches / reference, EPSILON)
            denominator = self.beta**2 * precision + recall
            f = np.where(denominator > 0, (1 + self.beta**2) * precision * recall / denominator, EPSILON)
        return np.asarray(100.0 * f.mean(1))


@dataclass(frozen=True)
class ChrfCounting:
    """chrF's statistics from counts of character and word n-grams."""

    metric: Chrf
    numbering: Numbering

    def symbols(self, segments: Segments) -> Sequence[Symbols]:
        """A block of code points, and a block of words if `word_order` is positive."""
        metric = self.metric
        codes, offsets = Texts.of(segments).characters(metric.lowercase, metric.whitespace)
        characters = Symbols(codes.astype(np.int64), offsets, metric.char_order)
        return [characters, Symbols(*self.numbering.number(segments), metric.word_order)] if metric.word_order else [characters]

    def statistics(self, hypothesis_counts: Float64s, reference_counts: Float64s, matches: Float64s) -> Float64s:
        """Rows of 3 × orders counts: hypothesis n-grams (0 if the reference has none), reference n-grams, matches."""
        counts = np.stack([np.where(reference_counts > 0, hypothesis_counts, 0.0), reference_counts, matches], axis=2)
        return counts.reshape(len(counts), 3 * counts.shape[1])


class PreparedChrf(PreparedMetric):
    """References of one chrF as code points and words."""

    joins_systems = True

    def __init__(self, metric: Chrf, references: Sequence[Segments]) -> None:
        self._metric = metric
        self._references = [self._blocks(segments) for segments in references]

    def statistics(self, hypotheses: Segments, reference_of: Int64s | None = None) -> Float64s:
        """Rows of 3 × orders counts; shape (h, 3 × orders)."""
        blocks = self._blocks(hypotheses)
        segments = reference_rows(len(hypotheses), len(self._references[0][0][1]) - 1, reference_of)
        rows = [self._against(blocks, reference, segments) for reference in self._references]
        if len(rows) == 1:
            return rows[0]
        best = np.argmax([self._metric.score(matrix) for matrix in rows], axis=0)
        return np.asarray(np.stack(rows)[best, np.arange(len(hypotheses))])

    def _blocks(self, segments: Segments) -> list[Block]:
        """Symbols and offsets (CSR) of the characters, and of the words if they count."""
        metric, texts = self._metric, Texts.of(segments)
        characters = texts.characters(metric.lowercase, metric.whitespace)
        return [characters, symbols_of(CHRF_WORDS, metric.lowercase, texts)] if metric.word_order else [characters]

    def _against(self, hypothesis: Sequence[Block], reference: Sequence[Block], reference_of: Int64s) -> Float64s:
        orders = (self._metric.char_order, self._metric.word_order)
        rows = np.empty((len(reference_of), sum(orders), 3))
        first = 0
        for block, reference_block, order in zip(hypothesis, reference, orders, strict=False):
            columns = slice(first, first + order)
            rows[:, columns, 0] = ngram_counts(block[1], order)
            rows[:, columns, 1] = ngram_counts(reference_block[1], order)[reference_of]
            rows[:, columns, 2] = clipped_matches(*block, *reference_block, reference_of, order)
            first += order
        rows[:, :, 0] *= rows[:, :, 1] > 0
        return rows.reshape(len(rows), 3 * sum(orders))
