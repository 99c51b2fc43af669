"""The assessment of documents by a predictor of documents: one row of features, and one prediction, for each."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from app.arrays import Float64s, Int64s
from app.engine.bounding import bounded
from app.engine.model_choice import Inventory, view_of
from app.engine.predicting import model_values, predict
from app.engine.segments import Segments
from app.planning.confidence import confidence_of
from app.predictors import Model, Prediction
from app.registry.drift import Drift
from app.text.tokenisation import word_count

__all__ = ["DocumentAssessment", "assess_documents"]


@dataclass(frozen=True)
class DocumentAssessment:
    """Predicted quality of n documents; counts of their segments, words of sources and tokens, each of shape (n,).

    Documents in `truncated` have a text that features see in part.
    """

    model: Model
    prediction: Prediction
    segments: Int64s
    source_words: Int64s
    source_tokens: Int64s
    translation_tokens: Int64s
    truncated: frozenset[int]
    drift: Drift | None

    @cached_property
    def confidence(self) -> Float64s:
        """Confidence in each document, from 0 to 1; shape (n,)."""
        return confidence_of(self.model.label, self.prediction.mean)


def assess_documents(
    inventory: Inventory, documents: Sequence[Segments], name: str | None, label: str | None, interval: float
) -> DocumentAssessment:
    """Predict the quality of one or more documents of one pair by the predictor called `name`, or the best one."""
    first = documents[0]
    model, resources = inventory.predictor(first.pair, name, label, first.evidence, documents=True)
    values = np.empty((len(documents), len(model.card.features)))
    counts = np.zeros((4, len(documents)), np.int64)
    truncated: set[int] = set()
    for k, segments in enumerate(documents):
        bounds = bounded(segments)
        view = view_of(bounds, resources)
        values[k] = model_values(model, view)[0]
        counts[:, k] = (
            len(segments),
            sum(word_count(segments.pair.source, text) for text in segments.sources),
            bounds.whole_source_tokens(view.source.lengths).sum(),
            bounds.whole_translation_tokens(view.target.lengths).sum(),
        )
        if bounds.truncated:
            truncated.add(k)
    drift = inventory.registry.drift.count(model, values)
    segment_counts, source_words, source_tokens, translation_tokens = counts
    empty = (translation_tokens == 0) & (source_tokens > 0)
    prediction = predict(model, values, interval, empty)
    return DocumentAssessment(
        model, prediction, segment_counts, source_words, source_tokens, translation_tokens, frozenset(truncated), drift
    )
