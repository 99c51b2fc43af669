"""Agreement of error spans: WMT's F1 of characters, and matched spans with partial overlap and partial credit (mpp)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, Self

import numpy as np

from app.arrays import Float64s

__all__ = ["NO_SPANS", "SEVERITIES", "ErrorSpan", "Severity", "SpanAccuracy", "SpanCounts", "count_spans"]

Severity = Literal["minor", "major", "critical"]
SEVERITIES: Final[tuple[Severity, ...]] = ("minor", "major", "critical")
# Credit of a character whose span has the other severity.
PARTIAL_CREDIT: Final = 0.5


@dataclass(frozen=True)
class ErrorSpan:
    """An error in a translation, from `start` to before `end` in characters."""

    start: int
    end: int
    severity: Severity


@dataclass(frozen=True)
class SpanAccuracy:
    """Micro-averages over all segments, in [0, 1]: characters as in the WMT QE tasks, and mpp (Perrella et al. 2026).

    Characters of the other severity get half the credit; critical counts as major. Matched spans disregard severities. The
    precision without predicted spans is 1, and the recall without gold spans.
    """

    spans: int
    predicted_spans: int
    f1: float
    precision: float
    recall: float
    mpp_f1: float
    mpp_precision: float
    mpp_recall: float


@dataclass(frozen=True)
class SpanCounts:
    """Sums over segments: spans, shares of predicted and of gold spans that a match covers, characters, and their credit."""

    gold: int
    predicted: int
    covered_predicted: float
    covered_gold: float
    gold_characters: float
    predicted_characters: float
    credit: float

    def __add__(self, addend: "SpanCounts") -> Self:
        """Sums of both."""
        return type(self)(*(a + b for a, b in zip(vars(self).values(), vars(addend).values(), strict=True)))

    def accuracy(self) -> SpanAccuracy:
        """The measures of these sums."""
        characters = _measures(self.credit, self.credit, self.predicted_characters, self.gold_characters)
        matches = _measures(self.covered_predicted, self.covered_gold, self.predicted, self.gold)
        return SpanAccuracy(self.gold, self.predicted, *characters, *matches)


NO_SPANS: Final = SpanCounts(0, 0, 0.0, 0.0, 0.0, 0.0, 0.0)


def _measures(credit: float, gold_credit: float, predicted: float, gold: float) -> tuple[float, float, float]:
    """F1, precision and recall from the credit of predicted and of gold spans or characters, and their numbers."""
    precision = credit / predicted if predicted else 1.0
    recall = gold_credit / gold if gold else 1.0
    return (2 * precision * recall / (precision + recall) if precision + recall else 0.0, precision, recall)


def count_spans(gold: Sequence[ErrorSpan], predicted: Sequence[ErrorSpan]) -> SpanCounts:
    """Sums of one segment. Each span matches at most one of the other side, so that the sum of F1 is highest."""
    shares = _covered(gold, predicted) if gold and predicted else (0.0, 0.0)
    return SpanCounts(len(gold), len(predicted), *shares, *_characters(gold, predicted))


def _bounds(spans: Sequence[ErrorSpan]) -> tuple[Float64s, Float64s]:
    return np.array([span.start for span in spans], np.float64), np.array([span.end for span in spans], np.float64)


def _covered(gold: Sequence[ErrorSpan], predicted: Sequence[ErrorSpan]) -> tuple[float, float]:
    # Imported here, because SciPy takes longer to load than most commands run.
    from scipy.optimize import linear_sum_assignment

    (starts, ends), (gold_starts, gold_ends) = _bounds(predicted), _bounds(gold)
    overlap = np.minimum(ends[:, None], gold_ends) - np.maximum(starts[:, None], gold_starts)
    overlap = np.maximum(overlap, 0.0)
    lengths, gold_lengths = ends - starts, gold_ends - gold_starts
    rows, columns = linear_sum_assignment(2 * overlap / (lengths[:, None] + gold_lengths), maximize=True)
    overlaps = overlap[rows, columns]
    return float((overlaps / lengths[rows]).sum()), float((overlaps / gold_lengths[columns]).sum())


def _characters(gold: Sequence[ErrorSpan], predicted: Sequence[ErrorSpan]) -> tuple[float, float, float]:
    """Characters of gold and of predicted spans, as often as spans cover them, and the credit."""
    edges = sorted({edge for span in (*gold, *predicted) for edge in (span.start, span.end)})
    places = {edge: place for place, edge in enumerate(edges)}
    # By side, severity (minor, major) and stretch between two edges.
    counts = np.zeros((2, 2, len(edges)))
    for side, spans in enumerate((gold, predicted)):
        for span in spans:
            counts[side, int(span.severity != "minor"), places[span.start]] += 1
            counts[side, int(span.severity != "minor"), places[span.end]] -= 1
    counts = counts.cumsum(axis=2)
    widths = np.diff(np.array(edges, np.float64), append=edges[-1:])
    right = np.minimum(*counts)
    remainders = (counts - right).sum(1)
    credit = right.sum(0) + PARTIAL_CREDIT * np.minimum(*remainders)
    totals = counts.sum(1) @ widths
    return float(totals[0]), float(totals[1]), float(credit @ widths)
