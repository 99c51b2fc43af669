"""Scores of a list of pairs, for packages that have no tables."""

from collections.abc import Sequence

import numpy as np

from app.predictors.labels import label_named
from app.scale.scorer import Scorer

__all__ = ["higher_is_better", "pair_scores"]


def pair_scores(scorer: Scorer, pairs: Sequence[Sequence[str]]) -> list[float]:
    """Score of each pair of source and translation; NaN for a pair with a fault."""
    columns = {name: np.array([pair[k] for pair in pairs], object) for k, name in enumerate((scorer.src, scorer.mt))}
    scores: list[float] = scorer(columns)[scorer.out].tolist()
    return scores


def higher_is_better(scorer: Scorer) -> bool:
    """True if a higher score is a better translation."""
    if scorer.model is None:
        return label_named(scorer.label or "hter").higher_is_better
    return scorer.engine.models[scorer.model].label.higher_is_better
