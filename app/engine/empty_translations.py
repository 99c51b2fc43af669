"""Segments that nobody translated: no predictor has seen any, and to features a text without words looks like a short one."""

from dataclasses import replace
from typing import Final

import numpy as np

from app.features import View
from app.predictors import Model, Prediction

__all__ = ["with_worst_where_empty"]

# Standard deviations of training labels: where a label has no bound, hardly any is so far on the bad side.
FAR: Final = 3.0


def with_worst_where_empty(model: Model, prediction: Prediction, view: View) -> Prediction:
    """The worst that the label can be for sources with words whose translation has none; HTER is 1 then by its definition.

    The interval moves along, as far as the label's bounds.
    """
    empty = (view.target.lengths == 0) & (view.source.lengths > 0)
    if not empty.any():
        return prediction
    label = model.label
    bound = label.lowest if label.higher_is_better else label.highest
    far = model.label_centre - FAR * model.label_scale * (1 if label.higher_is_better else -1)
    moved = np.where(empty, (far if bound is None else bound) - prediction.mean, 0.0)
    lowest, highest = (end if given is None else given for end, given in ((-np.inf, label.lowest), (np.inf, label.highest)))
    mean, low, high = (np.clip(part + moved, lowest, highest) for part in (prediction.mean, prediction.low, prediction.high))
    kept = ~empty
    return replace(
        prediction,
        mean=np.where(kept, prediction.mean, mean),
        low=np.where(kept, prediction.low, low),
        high=np.where(kept, prediction.high, high),
    )
