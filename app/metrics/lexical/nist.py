"""NIST (Doddington 2002): n-gram matches weighted by their information in the references."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np

from app.arrays import Bools, Float64s, Int64s
from app.metrics.counting import ngram_counts
from app.metrics.definition import Metric, PreparedMetric, Segments, reference_rows
from app.metrics.lexical.information_kernels import count_ngrams, match_information
from app.metrics.numbering import Numbering, interleave
from app.metrics.plausible import are_counts, are_means, are_ngrams_of, are_sizes
from app.metrics.tokenisers import METRIC_TOKENISERS

__all__ = ["Nist"]

ORDER: Final = 5
# Upper bound of an n-gram's information: a corpus has fewer than 2^64 n-grams.
LARGEST_INFORMATION: Final = 64
# The brevity penalty is one half where the hypothesis has two thirds of the reference's words.
STEEPNESS: Final = np.log(0.5) / np.log(1.5) ** 2


@dataclass(frozen=True)
class Nist(Metric):
    """Statistics: hypothesis length, mean reference length, then per order the information of matches and the n-grams.

    The information of an n-gram is log2(c' / c), with the counts c of the n-gram and c' of its first n - 1 words in all references.
    A segment's statistics therefore depend on all references of the corpus.
    """

    lowercase: bool = False
    tokenise: str = "13a"
    name: str = "nist"
    unit = "bits"
    range = (0.0, None)
    needs_all_references: ClassVar[bool] = True

    def prepare(self, references: Sequence[Segments]) -> "PreparedNist":
        """Count the references' n-grams once."""
        return PreparedNist(self, references)

    def options(self) -> str:
        """Case and tokeniser."""
        return f"case:{'lc' if self.lowercase else 'mixed'}|tok:{self.tokenise}|n:{ORDER}"

    def score(self, sums: Float64s) -> Float64s:
        """Information per n-gram, summed over orders, times the brevity penalty."""
        length, reference = sums[:, 0], sums[:, 1]
        information, totals = sums[:, 2 : 2 + ORDER], sums[:, 2 + ORDER :]
        with np.errstate(divide="ignore", invalid="ignore"):
            mean = np.where(totals > 0, information / totals, 0.0).sum(1)
            ratio = np.where(reference > 0, np.minimum(1.0, length / reference), 1.0)
            penalty = np.where(ratio > 0, np.exp(STEEPNESS * np.log(ratio) ** 2), 0.0)
        return np.asarray(mean * penalty)

    def plausible_rows(self, statistics: Float64s, references: int) -> Bools:
        """Mask of rows of lengths, fitting numbers of n-grams, and information within their bounds."""
        length, information, totals = statistics[:, 0], statistics[:, 2 : 2 + ORDER], statistics[:, 2 + ORDER :]
        has_counts = are_counts(length[:, None]) & are_means(statistics[:, 1], references) & are_ngrams_of(length, totals)
        return np.asarray(has_counts & are_sizes(information) & (information <= LARGEST_INFORMATION * totals).all(1))


class PreparedNist(PreparedMetric):
    """Numbered references of one NIST with the counts of all their n-grams."""

    def __init__(self, metric: Nist, references: Sequence[Segments]) -> None:
        self._numbering = Numbering(METRIC_TOKENISERS[metric.tokenise], metric.lowercase)
        self._references = len(references)
        self._symbols, self._offsets = interleave([self._numbering.number(segments) for segments in references])
        self._counts = count_ngrams(self._symbols, self._offsets, ORDER)

    def statistics(self, hypotheses: Segments, reference_of: Int64s | None = None) -> Float64s:
        """Rows of lengths, information and totals; shape (h, 12)."""
        symbols, offsets = self._numbering.number(hypotheses)
        reference = np.diff(self._offsets).reshape(-1, self._references).mean(1)
        rows = reference_rows(len(hypotheses), len(reference), reference_of)
        information = match_information(
            symbols, offsets, self._symbols, self._offsets, self._references, rows, *self._counts, len(self._symbols), ORDER
        )
        length = np.diff(offsets)
        totals = ngram_counts(offsets, ORDER)
        return np.column_stack([length, reference[rows], information, totals]).astype(np.float64)
