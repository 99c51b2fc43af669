"""Several references in ROSE: precision against all references, recall and ratios against the best."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from app.arrays import Float64s, Int64s
from app.metrics.learnt.segment_pairs import SegmentPairs
from app.metrics.lexical.ngram_kernels import CLIPPED_MATCHES, HYPOTHESIS_TOTAL, match_ngrams

__all__ = ["SeveralReferences"]


@dataclass(frozen=True)
class SeveralReferences(SegmentPairs):
    """Pairs of hypotheses with each of several references (Song's thesis, section 3.1.2).

    N-grams of words or tags may match any reference; matches are clipped at the largest count in one reference. For further units,
    precision is that of the best reference, as is recall. Ratios are the closest to 1. Further features use the first reference.
    """

    pairs: tuple[SegmentPairs, ...] = ()

    @classmethod
    def of(cls, pairs: Sequence[SegmentPairs]) -> "SeveralReferences":
        """Combine `pairs` of equal hypotheses with one reference each."""
        first = pairs[0]
        return cls(
            first.hypothesis,
            first.reference,
            first.reference_of,
            first.aligner,
            first.function_words,
            first.metric_scores,
            pairs=tuple(pairs),
        )

    def shares(self, unit: str, order: int) -> tuple[Float64s, Float64s]:
        """Precision and recall of a unit; shape (h,) each."""
        shares = [pair.shares(unit, order) for pair in self.pairs]
        precision = self._pooled(unit, order) if unit in ("word", "pos") else np.max([p for p, _ in shares], axis=0)
        return np.asarray(precision), np.asarray(np.max([r for _, r in shares], axis=0))

    def _pooled(self, unit: str, order: int) -> Float64s:
        sides = [pair.reference for pair in self.pairs]
        symbols = [side.words if unit == "word" else side.tags for side in (self.hypothesis, *sides)]
        arrays = [array for array in symbols if array is not None]
        reference_symbols, offsets = _interleaved(arrays[1:], [side.offsets for side in sides])
        counts = match_ngrams(arrays[0], self.hypothesis.offsets, reference_symbols, offsets, len(sides), self.reference_of, order)
        counts = counts[:, order - 1]
        return np.asarray(counts[:, CLIPPED_MATCHES] / np.maximum(counts[:, HYPOTHESIS_TOTAL], 1))

    def class_ratio(self, kind: str, difference: bool) -> Float64s:
        """The ratio closest to 1, or the difference closest to 0; shape (h,)."""
        values = np.stack([pair.class_ratio(kind, difference) for pair in self.pairs])
        best = np.argmin(np.abs(values - (0.0 if difference else 1.0)), axis=0)
        return np.asarray(values[best, np.arange(values.shape[1])])


def _interleaved(symbols: Sequence[Int64s], offsets: Sequence[Int64s]) -> tuple[Int64s, Int64s]:
    """Interleave CSR arrays: row 0 of each, row 1 of each, and so on."""
    rows = [np.split(array, ends[1:-1]) for array, ends in zip(symbols, offsets, strict=True)]
    interleaved_rows = [row for group in zip(*rows, strict=True) for row in group]
    lengths = np.array([len(row) for row in interleaved_rows], np.int64)
    return np.concatenate(interleaved_rows), np.concatenate([[0], np.cumsum(lengths)])
