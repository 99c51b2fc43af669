"""HTER: edits from a translation to its post-edit, per word of the post-edit (Snover et al. 2006)."""

from collections.abc import Sequence
from typing import Final

import numpy as np

from app.arrays import Float64s
from app.metrics import metrics_named, scores_of_statistics, segment_statistics

__all__ = ["METRIC", "human_edit_rates"]

# Normalised as the HTER of MLQE-PE is: on its dev split of ro-en the two correlate by 0.997 (tests/predictors/test_feedback.py).
METRIC: Final = "ter|norm:yes|asian:yes"


def human_edit_rates(translations: Sequence[str], post_edits: Sequence[str]) -> Float64s:
    """HTER of each segment, cut to 1."""
    if not len(translations):
        return np.zeros(0)
    metrics = metrics_named([METRIC], {})
    statistics = segment_statistics(metrics, {"translation": list(translations)}, {"post-edit": list(post_edits)})
    scores = scores_of_statistics(metrics, statistics, 1, True, None)[0].segments
    return np.minimum(np.array(scores, np.float64) / 100.0, 1.0)
