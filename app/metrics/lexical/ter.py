"""Translation edit rate (Snover et al. 2006), as Tercom and sacreBLEU compute it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from app.arrays import Bools, Float64s, Int64s
from app.metrics.definition import Metric, Prepared, Segments, referred
from app.metrics.lexical.error_rates import error_rate, possible_errors
from app.metrics.lexical.ter_kernels import count_edits
from app.metrics.numbering import Numbering
from app.metrics.tokenisers import tercom

__all__ = ["Ter"]


@dataclass(frozen=True)
class Ter(Metric):
    """Statistics: edits to the closest reference, mean reference length. Lower is better."""

    lowercase: bool = True
    normalise: bool = False
    punctuation: bool = True
    asian: bool = False
    name: str = "ter"
    unit = "edits per 100 reference words"
    higher_is_better = False
    range = (0.0, None)

    def prepare(self, references: Sequence[Segments]) -> "PreparedTer":
        """Split the references into words once."""
        return PreparedTer(self, references)

    def options(self) -> str:
        """As sacreBLEU's signature."""
        case = "lc" if self.lowercase else "mixed"
        norm, punct, asian = ("yes" if flag else "no" for flag in (self.normalise, self.punctuation, self.asian))
        return f"case:{case}|tok:tercom|norm:{norm}|punct:{punct}|asian:{asian}"

    def score(self, sums: Float64s) -> Float64s:
        """Edits per reference word × 100; 100 where there are edits but no reference words."""
        return error_rate(sums)

    def possible(self, statistics: Float64s, references: int) -> Bools:
        """A number of edits, and a mean length."""
        return possible_errors(statistics, references)

    def reference_columns(self, width: int) -> Sequence[int]:
        """The reference's length."""
        return (1,)


class PreparedTer(Prepared):
    """Numbered words of the references of one TER."""

    def __init__(self, metric: Ter, references: Sequence[Segments]) -> None:
        self._numbering = Numbering(tercom(metric.normalise, metric.punctuation, metric.asian), metric.lowercase)
        self._references = [self._numbering.number(segments) for segments in references]

    def statistics(self, hypotheses: Segments, reference_of: Int64s | None = None) -> Float64s:
        """Rows of 2 numbers."""
        words, offsets = self._numbering.number(hypotheses)
        length = np.mean([np.diff(reference_offsets) for _, reference_offsets in self._references], axis=0)
        rows = referred(len(hypotheses), len(length), reference_of)
        edits = [count_edits(words, offsets, *reference, rows) for reference in self._references]
        return np.column_stack([np.min(edits, axis=0), length[rows]]).astype(np.float64)
