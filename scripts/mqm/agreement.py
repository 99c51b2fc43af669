"""Agreement of metrics with annotators on judged outputs, by sums per document, so that documents can be drawn anew."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from app.arrays import Float64s
from app.metrics.meta_evaluation.correlation import pairs_inside
from scripts.mqm.judged_outputs import JudgedOutput, groups_of

__all__ = ["MEASURES", "Corpus", "corpora_of", "document_sums", "measures_of"]

# Kendall's τ without ties of either side (both theses), accuracy of pairs at the best tie threshold, and Pearson's r.
MEASURES: Final = ("tau-no-ties", "accuracy-calibrated", "pearson")


@dataclass(frozen=True)
class Corpus:
    """Judged outputs of one corpus and direction; `rows` are their places among all outputs."""

    name: str
    outputs: Sequence[JudgedOutput]
    rows: Sequence[int]


def corpora_of(outputs: Sequence[JudgedOutput]) -> list[Corpus]:
    """Corpora in the order of their names, such as ``abstracts de-en``."""
    rows_of: dict[str, list[int]] = {}
    for row, output in enumerate(outputs):
        rows_of.setdefault(f"{output.corpus} {output.direction}", []).append(row)
    return [Corpus(name, [outputs[row] for row in rows], rows) for name, rows in sorted(rows_of.items())]


def _tie_threshold(order: Float64s, gap: Float64s) -> float:
    """Threshold of ties that gives the highest accuracy over all pairs: 0, or one of the gaps."""
    thresholds, place = np.unique(np.append(np.abs(gap), 0.0), return_inverse=True)
    gains = np.bincount(place[:-1], (order == 0).astype(float) - (order == np.sign(gap)), len(thresholds))
    return float(thresholds[np.argmax(np.cumsum(gains))])


def document_sums(corpus: Corpus, scores: Float64s) -> Float64s:
    """Sums per document for `measures_of`; shape (documents, 10). `scores` (n,) are of the corpus's outputs, higher is better."""
    documents, document_of = np.unique([output.document for output in corpus.outputs], return_inverse=True)
    human, groups = -np.array([output.penalty for output in corpus.outputs]), groups_of(corpus.outputs)
    first, second = pairs_inside(groups)
    order, gap = np.sign(human[first] - human[second]), scores[first] - scores[second]
    # Scores whose difference equals the threshold are tied.
    metric_order = np.where(np.abs(gap) > _tie_threshold(order, gap), np.sign(gap), 0.0)
    agreement = order * np.sign(gap)
    pair_sums = (agreement > 0, agreement < 0, order == metric_order, np.ones(len(order)))
    x, y = human - human.mean(), (scores - scores.mean()) / (scores.std() or 1.0)
    row_sums = (np.ones(len(x)), x, y, x * x, y * y, x * y)
    count = len(documents)
    return np.column_stack([
        *(np.bincount(document_of[first], weights, count) for weights in pair_sums),
        *(np.bincount(document_of, weights, count) for weights in row_sums),
    ])  # fmt: skip


def measures_of(sums: Float64s) -> Float64s:
    """`MEASURES` of sums over documents; (..., 10) to (..., 3)."""
    concordant, discordant, correct, pairs, n, x, y, xx, yy, xy = np.moveaxis(sums, -1, 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        tau = (concordant - discordant) / (concordant + discordant)
        pearson = (xy - x * y / n) / np.sqrt((xx - x * x / n) * (yy - y * y / n))
    return np.asarray(np.nan_to_num(np.stack([tau, correct / np.maximum(pairs, 1), pearson], axis=-1)), np.float64)
