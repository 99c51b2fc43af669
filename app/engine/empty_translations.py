"""Segments without a translation: no predictor has seen any, and features treat an empty text as a short one."""

from dataclasses import replace
from typing import Final

import numpy as np

from app.features import View
from app.predictors import Model, Prediction

__all__ = ["with_worst_where_empty"]

# Standard deviations of training labels: the distance of the worst score of a label without a bound.
FAR: Final = 3.0


def with_worst_where_empty(model: Model, prediction: Prediction, view: View) -> Prediction:
    """Set the worst label for sources with words whose translation has none; HTER is 1 by its definition.

    The interval moves with the mean, up to the label's bounds.
    """
    empty = (view.target.lengths == 0) & (view.source.lengths > 0)
    if not empty.any():
        return prediction
    label = model.label
    bound = label.lowest if label.higher_is_better else label.highest
    far = model.label_centre - FAR * model.label_scale * (1 if label.higher_is_better else -1)
    shift = np.where(empty, (far if bound is None else bound) - prediction.mean, 0.0)
    lowest, highest = -np.inf if label.lowest is None else label.lowest, np.inf if label.highest is None else label.highest
    mean, low, high = (np.clip(part + shift, lowest, highest) for part in (prediction.mean, prediction.low, prediction.high))
    filled = ~empty
    return replace(
        prediction,
        mean=np.where(filled, prediction.mean, mean),
        low=np.where(filled, prediction.low, low),
        high=np.where(filled, prediction.high, high),
    )
