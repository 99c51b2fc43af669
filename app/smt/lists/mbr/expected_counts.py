"""Scores against the expected n-gram counts of a list, as one reference (DeNero et al. 2009; Vamvas and Sennrich 2024)."""

import numpy as np

from app.arrays import Float64s
from app.errors import InputError
from app.metrics import Metric
from app.smt.lists.mbr.count_kernels import match_expected
from app.smt.lists.mbr.distinct import DistinctTexts

__all__ = ["expected_count_scores"]


def expected_count_scores(metric: Metric, candidates: DistinctTexts, references: DistinctTexts, weights: Float64s) -> Float64s:
    """Return segment scores of distinct candidates against the expected counts of their references; (d,).

    `weights` of distinct references sum to 1 in each list. Time is linear in the texts. InputError (`unknown-metric`) for a
    metric that needs more than counts.
    """
    counting = metric.counting()
    if counting is None:
        detail = "expected counts need a metric on n-gram counts only: bleu, sbleu, chrf, chrf++, per"
        raise InputError("unknown-metric", detail, ("metric",))
    reference_symbols = counting.symbols(references.texts)
    candidate_symbols = reference_symbols if candidates is references else counting.symbols(candidates.texts)
    matches, totals, expected = [], [], []
    for candidate_order, reference_order in zip(candidate_symbols, reference_symbols, strict=True):
        matches.append(
            match_expected(
                candidate_order.numbers,
                candidate_order.offsets,
                candidates.offsets,
                reference_order.numbers,
                reference_order.offsets,
                references.offsets,
                weights,
                candidate_order.order,
            )
        )
        totals.append(candidate_order.totals())
        sums = np.zeros((len(references), reference_order.order))
        np.add.at(sums, references.list_of, weights[:, None] * reference_order.totals())
        expected.append(sums[candidates.list_of])
    rows = [np.concatenate(blocks, axis=1) for blocks in (totals, expected, matches)]
    return metric.segment_scores(counting.statistics(rows[0], rows[1], rows[2]))
