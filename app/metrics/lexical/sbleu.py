"""BLEU of single segments: a weighted sum of the orders 1 to 4, and BLEU with one added to each order.

Sources: Liang et al. 2006 and Srivastava's thesis, equation 3.3; Stanojević's thesis, equation 2.41.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from app.arrays import Bools, Float64s
from app.metrics.definition import Metric, Segments
from app.metrics.lexical.bleu import ORDER, Bleu, BleuCounting, PreparedBleu

__all__ = ["AddOneBleu", "SentenceBleu"]


@dataclass(frozen=True)
class SentenceBleu(Metric):
    """Statistics of BLEU; the score is ``Σ BLEU_i / 2^(5 - i)`` with unsmoothed BLEU of the orders up to i.

    The score is not rescaled: its maximum is 0.9375, and less for segments of fewer than four words.
    """

    lowercase: bool = False
    tokenise: str = "13a"
    name: str = "sbleu"
    unit = "share (0-0.9375)"
    range = (0.0, 0.9375)

    def prepare(self, references: Sequence[Segments]) -> PreparedBleu:
        """Tokenise the references once."""
        return PreparedBleu(self._bleu, references)

    def counting(self) -> BleuCounting:
        """Conversion of counts of word n-grams, as for BLEU."""
        return self._bleu.counting()

    @property
    def _bleu(self) -> Bleu:
        return Bleu(self.lowercase, self.tokenise, "none")

    def options(self) -> str:
        """Case and tokeniser."""
        return f"case:{'lc' if self.lowercase else 'mixed'}|tok:{self.tokenise}"

    def score(self, sums: Float64s) -> Float64s:
        """sBLEU of each row of counts; 0 if no word matches."""
        length, closest = sums[:, 0], sums[:, 1]
        matches, totals = sums[:, 2 : 2 + ORDER], sums[:, 2 + ORDER :]
        with np.errstate(divide="ignore", invalid="ignore"):
            logs = np.log(np.where(totals > 0, matches / totals, 0.0))
            penalty = np.where(length > 0, np.exp(np.minimum(0.0, 1.0 - closest / length)), 0.0)
        orders = np.arange(1, ORDER + 1)
        order_scores = np.exp(np.cumsum(logs, axis=1) / orders)
        return np.asarray(penalty * (order_scores * 0.5 ** (ORDER + 1 - orders)).sum(1))

    def plausible_rows(self, statistics: Float64s, references: int) -> Bools:
        """Mask of rows that BLEU's statistics can be."""
        return self._bleu.plausible_rows(statistics, references)

    def reference_columns(self, width: int) -> Sequence[int]:
        """The column of the reference's length."""
        return self._bleu.reference_columns(width)


@dataclass(frozen=True)
class AddOneBleu(SentenceBleu):
    """Statistics of BLEU; the score is ``BP · Π ((m_i + 1) / (t_i + 1))^(1/4)`` with BLEU's own brevity penalty.

    An order without n-grams is 1. A segment without words is 0.
    """

    name: str = "sbleu:add-one"
    unit = "share (0-1)"
    range = (0.0, 1.0)

    def score(self, sums: Float64s) -> Float64s:
        """BLEU with one added of each row of counts; one row may hold the counts of a corpus."""
        length, closest = sums[:, 0], sums[:, 1]
        matches, totals = sums[:, 2 : 2 + ORDER], sums[:, 2 + ORDER :]
        with np.errstate(divide="ignore"):
            penalty = np.where(length > 0, np.exp(np.minimum(0.0, 1.0 - closest / np.maximum(length, 1))), 0.0)
        return np.asarray(penalty * np.exp(np.log((matches + 1) / (totals + 1)).mean(1)))
