"""Scores against one reference made of a whole list: its expected n-gram counts (DeNero et al. 2009; Vamvas and Sennrich 2024)."""

import numpy as np

from app.arrays import Float64s
from app.errors import InputError
from app.metrics import Metric
from app.smt.lists.mbr.count_kernels import match_expected
from app.smt.lists.mbr.distinct import DistinctTexts

__all__ = ["expected_count_scores"]


def expected_count_scores(metric: Metric, candidates: DistinctTexts, references: DistinctTexts, weights: Float64s) -> Float64s:
    """Segment scores of distinct candidates, each against the expected counts of its list's references; (d,).

    `weights` are those of the distinct references and sum to 1 in each list. Time is linear in the texts. InputError
    (``unknown-metric``) where the metric is made of more than counts.
    """
    counting = metric.counting()
    if counting is None:
        detail = "expected counts are for metrics that are made of n-gram counts alone: bleu, sbleu, chrf and its kin, per"
        raise InputError("unknown-metric", detail, ("metric",))
    theirs = counting.symbols(references.texts)
    ours = theirs if candidates is references else counting.symbols(candidates.texts)
    matches, totals, expected = [], [], []
    for one, other in zip(ours, theirs, strict=True):
        matches.append(
            match_expected(
                one.numbers, one.offsets, candidates.offsets, other.numbers, other.offsets, references.offsets, weights, one.order
            )
        )
        totals.append(one.totals())
        sums = np.zeros((len(references), other.order))
        np.add.at(sums, references.list_of, weights[:, None] * other.totals())
        expected.append(sums[candidates.list_of])
    rows = [np.concatenate(blocks, axis=1) for blocks in (totals, expected, matches)]
    return metric.segment_scores(counting.statistics(rows[0], rows[1], rows[2]))
