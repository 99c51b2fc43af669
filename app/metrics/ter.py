"""Translation edit rate (Snover et al. 2006), as Tercom and sacreBLEU compute it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from app.metrics.definition import Metric, Prepared, Segments, number_symbols
from app.metrics.ter_kernels import count_edits
from app.text.arrays import Float64s

__all__ = ["Ter"]


@dataclass(frozen=True)
class Ter(Metric):
    """Statistics: edits to the closest reference, mean reference length. Lower is better."""

    lowercase: bool = True
    name: str = "ter"
    unit = "edits per 100 reference words"
    higher_is_better = False

    def prepare(self, references: Sequence[Segments]) -> "PreparedTer":
        """Split the references into words once."""
        return PreparedTer(self, references)

    def options(self) -> str:
        """As sacreBLEU's signature."""
        return f"case:{'lc' if self.lowercase else 'mixed'}|tok:tercom|norm:no|punct:yes|asian:no"

    def score(self, sums: Float64s) -> Float64s:
        """Edits per reference word × 100; 100 where there are edits but no reference words."""
        edits, length = sums[:, 0], sums[:, 1]
        with np.errstate(divide="ignore", invalid="ignore"):
            rate = np.where(length > 0, edits / length, np.where(edits > 0, 1.0, 0.0))
        return np.asarray(100.0 * rate)


class PreparedTer(Prepared):
    """Numbered words of the references of one TER."""

    def __init__(self, metric: Ter, references: Sequence[Segments]) -> None:
        self._split = (lambda text: text.lower().split()) if metric.lowercase else str.split
        self._index: dict[str, int] = {}
        self._references = [number_symbols(self._split, segments, self._index) for segments in references]

    def statistics(self, hypotheses: Segments) -> Float64s:
        """Rows of 2 numbers."""
        words, offsets = number_symbols(self._split, hypotheses, dict(self._index))
        edits = [count_edits(words, offsets, *reference) for reference in self._references]
        length = np.mean([np.diff(each) for _, each in self._references], axis=0)
        return np.column_stack([np.min(edits, axis=0), length]).astype(np.float64)
