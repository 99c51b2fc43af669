"""sBLEU (Liang et al. 2006; Srivastava's thesis, equation 3.3): BLEU of orders 1 to 4, where each counts twice the one before."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from app.arrays import Bools, Float64s
from app.metrics.definition import Metric, Segments
from app.metrics.lexical.bleu import ORDER, Bleu, BleuCounting, PreparedBleu

__all__ = ["SentenceBleu"]


@dataclass(frozen=True)
class SentenceBleu(Metric):
    """BLEU's statistics; ``Σ BLEU_i / 2^(5 - i)`` with unsmoothed BLEU of the orders up to i.

    It is not rescaled: 0.9375 is the most, and a perfect segment of fewer than four words has less. Corpus scores are of the sums.
    """

    lowercase: bool = False
    tokenise: str = "13a"
    name: str = "sbleu"
    unit = "share (0-0.9375)"
    range = (0.0, 0.9375)

    def prepare(self, references: Sequence[Segments]) -> PreparedBleu:
        """Tokenise the references once."""
        return PreparedBleu(self._counts, references)

    def counting(self) -> BleuCounting:
        """As BLEU's."""
        return self._counts.counting()

    @property
    def _counts(self) -> Bleu:
        return Bleu(self.lowercase, self.tokenise, "none")

    def options(self) -> str:
        """Case and tokeniser."""
        return f"case:{'lc' if self.lowercase else 'mixed'}|tok:{self.tokenise}"

    def score(self, sums: Float64s) -> Float64s:
        """Of each row of counts; 0 where no word matches."""
        length, closest = sums[:, 0], sums[:, 1]
        matches, totals = sums[:, 2 : 2 + ORDER], sums[:, 2 + ORDER :]
        with np.errstate(divide="ignore", invalid="ignore"):
            logs = np.log(np.where(totals > 0, matches / totals, 0.0))
            penalty = np.where(length > 0, np.exp(np.minimum(0.0, 1.0 - closest / length)), 0.0)
        orders = np.arange(1, ORDER + 1)
        of_orders = np.exp(np.cumsum(logs, axis=1) / orders)
        return np.asarray(penalty * (of_orders * 0.5 ** (ORDER + 1 - orders)).sum(1))

    def possible(self, statistics: Float64s, references: int) -> Bools:
        """What BLEU's statistics can be."""
        return self._counts.possible(statistics, references)

    def reference_columns(self, width: int) -> Sequence[int]:
        """The reference's length."""
        return self._counts.reference_columns(width)
