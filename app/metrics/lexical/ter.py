"""Translation edit rate (Snover et al. 2006), as Tercom and sacreBLEU compute it."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from app.arrays import Float64s, Int64s
from app.metrics.definition import PreparedMetric, Segments, reference_rows
from app.metrics.lexical.error_rates import ErrorRate, rows_of_pairs
from app.metrics.lexical.ter_kernels import count_edits
from app.metrics.tokenisers import tercom
from app.metrics.tokens.texts import symbols_of

__all__ = ["Ter"]


@dataclass(frozen=True)
class Ter(ErrorRate):
    """Statistics: edits to the closest reference, mean reference length. Lower is better."""

    lowercase: bool = True
    normalise: bool = False
    punctuation: bool = True
    asian: bool = False
    name: str = "ter"

    def prepare(self, references: Sequence[Segments]) -> "PreparedTer":
        """Split the references into words once."""
        return PreparedTer(self, references)

    def options(self) -> str:
        """Options in the order of sacreBLEU's signature."""
        case = "lc" if self.lowercase else "mixed"
        norm, punct, asian = ("yes" if flag else "no" for flag in (self.normalise, self.punctuation, self.asian))
        return f"case:{case}|tok:tercom|norm:{norm}|punct:{punct}|asian:{asian}"


class PreparedTer(PreparedMetric):
    """Words of the references of one TER."""

    joins_systems = True

    def __init__(self, metric: Ter, references: Sequence[Segments]) -> None:
        self._words = partial(symbols_of, tercom(metric.normalise, metric.punctuation, metric.asian), metric.lowercase)
        self._references = [self._words(segments) for segments in references]

    def statistics(self, hypotheses: Segments, reference_of: Int64s | None = None) -> Float64s:
        """Rows of edits and reference length; shape (h, 2)."""
        words, offsets = self._words(hypotheses)
        length = np.mean([np.diff(reference_offsets) for _, reference_offsets in self._references], axis=0)
        rows = reference_rows(len(hypotheses), len(length), reference_of)
        edits = [rows_of_pairs(count_edits, (words, offsets), reference, rows) for reference in self._references]
        return np.column_stack([np.min(edits, axis=0), length[rows]]).astype(np.float64)
