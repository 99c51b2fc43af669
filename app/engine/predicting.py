"""The features of a model, computed of a view, and its prediction for them."""

from dataclasses import replace
from typing import Final

import numpy as np

from app.arrays import Bools, Float64s
from app.features import CheckpointNeed, Resource, View, features_of_view
from app.features.black_box.grammar import begin_tagging
from app.features.cross_encoder import cross_cut_rows
from app.features.neural import checkpoint_cuts
from app.predictors import Model, Prediction

__all__ = ["checkpoints_of", "model_values", "predict", "rows_cut"]

# Needs of features that are computed from tags.
TAGGING: Final = frozenset({Resource.SOURCE_TAGGER, Resource.TARGET_TAGGER, Resource.WORD_TAGGER, Resource.NMT_WORD_TAGGER})
# Standard deviations of training labels: the distance of the worst score of a label without a bound.
FAR: Final = 3.0


def model_values(model: Model, view: View) -> Float64s:
    """Values of the model's features in the order of its card; shape (n, k)."""
    if not TAGGING.isdisjoint(model.feature_set.needs):
        begin_tagging(view)
    return features_of_view(view, model.feature_set, strict=True).values


def predict(model: Model, values: Float64s, interval: float, empty: Bools) -> Prediction:
    """Predict labels with intervals of a coverage; rows that are `empty`, sources with words and no translation, get the worst one.

    No predictor has seen such segments, and features treat an empty text as a short one. HTER is 1 by its definition. The interval
    moves with the mean, up to the label's bounds.
    """
    prediction = model.predict(values, interval)
    if not empty.any():
        return prediction
    label = model.label
    bound = label.lowest if label.higher_is_better else label.highest
    far = model.label_centre - FAR * model.label_scale * (1 if label.higher_is_better else -1)
    shift = (far if bound is None else bound) - prediction.mean
    lowest, highest = -np.inf if label.lowest is None else label.lowest, np.inf if label.highest is None else label.highest
    mean, low, high = (
        np.where(empty, np.clip(part + shift, lowest, highest), part) for part in (prediction.mean, prediction.low, prediction.high)
    )
    return replace(prediction, mean=mean, low=low, high=high)


def checkpoints_of(model: Model) -> list[str]:
    """Names of the checkpoints that score segments for a model."""
    return [need.name for need in model.needs if isinstance(need, CheckpointNeed)]


def rows_cut(model: Model, view: View) -> frozenset[int]:
    """Rows of segments that the model's networks read only in part."""
    return cross_cut_rows(view).union(*(checkpoint_cuts(view, name) for name in checkpoints_of(model)))
