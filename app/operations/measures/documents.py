"""Accuracy of predictions over documents: means of their segments, plain and weighted by length."""

from collections.abc import Sequence
from dataclasses import asdict

import numpy as np
from typing_extensions import TypedDict

from app.arrays import Float64s
from app.predictors.evaluation import evaluate_predictions

__all__ = ["DocumentAccuracy", "document_accuracy"]


class DocumentAccuracy(TypedDict):
    """Accuracy over documents by plain means, and by means weighted with the tokens of translations; `segments` are documents."""

    accuracy: dict[str, float]
    weighted_accuracy: dict[str, float]


def document_accuracy(
    gold: Float64s, predicted: Float64s, tokens: Float64s, documents: Sequence[str], higher_is_better: bool
) -> DocumentAccuracy:
    """Accuracy of documents from labels, predictions, tokens and names of documents of segments; (n,) each.

    Both sides of a document have the same weights. InputError for fewer than two documents.
    """
    _, places = np.unique(np.array(documents), return_inverse=True)
    # An empty translation has the weight of one token.
    measures = [
        asdict(evaluate_predictions(_means(gold, places, weights), _means(predicted, places, weights), higher_is_better))
        for weights in (np.ones(len(gold)), np.maximum(tokens, 1.0))
    ]
    return {"accuracy": measures[0], "weighted_accuracy": measures[1]}


def _means(values: Float64s, places: np.ndarray, weights: Float64s) -> Float64s:
    return np.bincount(places, weights * values) / np.bincount(places, weights)
