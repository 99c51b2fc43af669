"""Predictions of predictors of documents, in the work of `evaluate`."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from app.engine import Engine
from app.engine.documents import DocumentAssessment
from app.engine.segments import Segments
from app.errors import InputError
from app.features import Evidence
from app.operations.documents.grouping import DOCUMENTS, document_means, parts_of, places_of, rows_of_documents, token_weights
from app.operations.operation import Json
from app.operations.parts.rounding import rounded
from app.predictors import Model
from app.text import LanguagePair

__all__ = ["OF_DOCUMENTS", "document_predictions", "document_rows", "named_model", "scores_of_segments"]

# Under which a chunk carries the labels and predictions of documents, by model.
OF_DOCUMENTS: Final = "of_documents"


def named_model(
    engine: Engine, pair: LanguagePair, name: str | None, label: str | None, needs: Evidence, has_documents: bool
) -> Model:
    """The predictor called `name`, or the best one of segments; InputError for one of documents without documents."""
    model = None if name is None else engine.models.get(name)
    of_documents = model is not None and model.card.documents is not None
    if of_documents and not has_documents:
        detail = f"{name} is of documents; name the document of each segment"
        raise InputError("missing-evidence", detail, ("segments", 0, "document"))
    return engine.model_for(pair, name, label, needs, of_documents)


def document_predictions(engine: Engine, segments: Segments, chunk: Json, model: Model) -> tuple[Json, DocumentAssessment]:
    """Labels, means and deviations of the documents of a chunk, as the model's training made labels."""
    rows = list(rows_of_documents(chunk[DOCUMENTS]).values())
    answer = engine.document_quality(parts_of(segments, rows), model.card.id)
    labels = np.array(chunk["labels"], np.float64)
    gold = document_means(labels, places_of(rows), token_weights(segments), str(model.card.documents))
    prediction = answer.prediction
    return {"gold": gold.tolist(), "predicted": prediction.mean.tolist(), "std": prediction.std.tolist()}, answer


def document_rows(chunk: Json, predictions: Mapping[str, Sequence[float]], answer: DocumentAssessment) -> list[Json]:
    """Rows of a job's result, one for each document."""
    rows: list[Any] = []
    for i, name in enumerate(rows_of_documents(chunk[DOCUMENTS])):
        low, high = answer.prediction.low[i], answer.prediction.high[i]
        row = {"document": name, "segments": int(answer.segments[i]), "label": rounded(predictions["gold"][i])}
        row |= {"score": rounded(predictions["predicted"][i]), "std": rounded(predictions["std"][i])}
        rows.append({**row, "interval": [rounded(low), rounded(high)]})
    return rows


def scores_of_segments(chunk: Json, predictions: Mapping[str, Sequence[float]]) -> list[float]:
    """The score of each segment's document."""
    numbers = {name: number for number, name in enumerate(rows_of_documents(chunk[DOCUMENTS]))}
    return [predictions["predicted"][numbers[name]] for name in chunk[DOCUMENTS]]
