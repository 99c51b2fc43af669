"""Accuracy of predictors on labelled segments, coverage of their intervals, and accuracy of their selections among systems."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Annotated, NotRequired

import numpy as np
from pydantic import Field
from typing_extensions import TypedDict

from app.arrays import Float64s
from app.engine import Engine
from app.engine.candidates import check_alike
from app.engine.segments import Segments
from app.errors import InputError
from app.features import Evidence
from app.operations.documents.grouping import DOCUMENTS, check_documents, cut_documents, token_weights
from app.operations.evaluate.by_document import OF_DOCUMENTS, document_predictions, document_rows, named_model, scores_of_segments
from app.operations.evaluate.selection import (
    SYSTEMS,
    SelectionOf,
    candidate_columns,
    check_systems,
    columns_of_systems,
    have_systems,
    selection_of,
)
from app.operations.measures.documents import DocumentAccuracy, document_accuracy
from app.operations.measures.gold import EvaluatedSegment, check_gold, gold_columns, is_tagged
from app.operations.measures.words import WordEvaluation, measured_words, word_evaluation
from app.operations.operation import Context, Json, Operation, Output, Plan, Planning, Steps, cut
from app.operations.parts.about_models import ModelSummary, ids_of, model_summary
from app.operations.parts.fields import SegmentsRequest, check_present, pair_of
from app.operations.parts.label_values import check_labels
from app.operations.parts.limits import RequestLimits
from app.operations.parts.names import ModelIds
from app.operations.parts.quality_rows import quality_rows
from app.operations.parts.segments import check_pairs, columns_of, segments_of, segments_of_chunk
from app.predictors import Evaluation, Model, compare_predictions, evaluate_uncertainty
from app.predictors.coverage import COVERAGES
from app.predictors.evaluation import evaluate_grades
from app.predictors.labels import LARGEST_LABEL, Z_SCORE
from app.predictors.prediction import grades_of

__all__ = ["EvaluateRequest", "Evaluations", "ModelEvaluation", "evaluation_of", "operation"]


class EvaluateRequest(SegmentsRequest):
    """Parameters of an `evaluate` job: one model, several `models`, or with `all` every one that fits the pair and the label.

    Segments with tags or spans in place of labels measure word taggers. If every segment names its system as `task`, the answer has
    the accuracy of translation selection too.
    """

    models: Annotated[
        ModelIds | None, Field(description="Several models in place of `model`, or the model of each system (`task`)")
    ] = None
    all: Annotated[bool, Field(description="Every model that fits, in place of one")] = False
    segments: list[EvaluatedSegment]


class GradeOf(TypedDict):
    """Precision, recall and F1 of one grade, which `segments` have; null if a value is 0 / 0."""

    grade: float
    segments: int
    precision: float | None
    recall: float | None
    f1: float | None


class ModelEvaluation(ModelSummary):
    """Measured accuracy, and how far intervals can be trusted, with the model they are of."""

    accuracy: dict[str, float]
    accuracy_intervals: dict[str, list[float]]
    negative_log_density: float
    calibration: list[Json]
    documents: NotRequired[DocumentAccuracy]
    means: NotRequired[
        Annotated[str, Field(description="Means in the labels of a predictor of documents; all values are over documents")]
    ]
    p_value_of_best: NotRequired[
        Annotated[float | None, Field(description="Among several of one label: that the best is no better than this one")]
    ]
    grades: NotRequired[
        Annotated[list[GradeOf], Field(description="Accuracy of each grade, for a label with grades that all labels are among")]
    ]
    selection: NotRequired[SelectionOf | None]


class Evaluations(TypedDict):
    """Several models on the same segments, or word taggers on segments with tags or spans."""

    models: list[ModelEvaluation]
    words: NotRequired[list[WordEvaluation]]
    selection: NotRequired[SelectionOf | None]


def evaluation_of(model: Model, evaluation: Evaluation) -> ModelEvaluation:
    """An evaluation as it is answered."""
    summary = model_summary(model)
    answer: ModelEvaluation = {
        "model": summary["model"],
        "label": summary["label"],
        "unit": summary["unit"],
        "direction": summary["direction"],
        "accuracy": dict(evaluation.accuracy.__dict__),
        "accuracy_intervals": {name: list(bounds) for name, bounds in evaluation.intervals.items()},
        "negative_log_density": evaluation.negative_log_density,
        "calibration": [dict(row.__dict__) for row in evaluation.calibration],
    }
    if model.card.documents is not None:
        answer["means"] = model.card.documents
    if evaluation.grades:
        answer["grades"] = [
            {"grade": row.grade, "segments": row.segments, "precision": row.precision, "recall": row.recall, "f1": row.f1}
            for row in evaluation.grades
        ]
    return answer


def _check(request: EvaluateRequest, limits: RequestLimits) -> None:
    check_present(len(request.segments))
    check_pairs(pair_of(request), request.segments, limits)
    check_gold(request.segments)
    for row, segment in enumerate(request.segments):
        if segment.label is not None and abs(segment.label) > LARGEST_LABEL:
            detail = f"a label is a number from {-LARGEST_LABEL:g} to {LARGEST_LABEL:g}"
            raise InputError("invalid-request", detail, ("segments", row, "label"))
    if sum((request.model is not None, request.models is not None, request.all)) > 1:
        raise InputError("invalid-job", "give model, or models, or all", ("models",))
    check_systems(request.segments, request.models, limits)


def _models_of(engine: Engine, request: EvaluateRequest, needs: Evidence) -> Sequence[Model]:
    pair, engine = pair_of(request), engine.at(request.profile)
    has_documents = request.segments[0].document is not None
    if not request.all:
        names = [request.model] if request.models is None else ids_of(request.models)
        return [named_model(engine, pair, name, request.label, needs, has_documents) for name in names]
    fitting = engine.fitting_models(pair, request.label, needs)
    if has_documents:
        fitting += engine.fitting_models(pair, request.label, needs, documents=True)
    if not fitting:
        raise InputError("unknown-model", f"there is no model for {pair} and these labels", ("label",))
    return fitting


def _split(planning: Planning, request: EvaluateRequest) -> Plan:
    segments = segments_of(pair_of(request), request.segments)
    if is_tagged(request.segments):
        params = {**request.model_dump(exclude={"segments", "models", "all"}), "level": "word"}
        params["models"] = _taggers_of(planning.engine, request, segments.evidence)
        return Plan("evaluate", params, cut({**columns_of(segments), **gold_columns(request.segments)}, planning.chunk_rows))
    models = _models_of(planning.engine, request, segments.evidence)
    labels = [segment.label for segment in request.segments if segment.label is not None]
    columns = {**columns_of(segments), "labels": labels}
    documents = [segment.document for segment in request.segments if segment.document is not None]
    if documents:
        columns[DOCUMENTS] = documents
    _check_scales(models, labels)
    columns |= columns_of_systems(request.segments)
    if SYSTEMS in columns:
        check_alike([model for model in models if model.card.documents is None] or models)
    params = {**request.model_dump(exclude={"segments", "models", "all"}), **model_summary(models[0])}
    if request.models is not None or request.all:
        params["models"] = [model.card.id for model in models]
    if isinstance(request.models, dict):
        params["models_of_systems"] = request.models
    if all(model.card.documents is None for model in models):
        return Plan("evaluate", params, cut(columns, planning.chunk_rows))
    check_documents(documents, "segments")
    return Plan("evaluate", params, cut_documents(columns, documents, planning.chunk_rows))


def _taggers_of(engine: Engine, request: EvaluateRequest, needs: Evidence) -> list[str]:
    """Names of the word taggers of a request: those that it names, all of the pair that fit, or the best one."""
    pair, engine = pair_of(request), engine.at(request.profile)
    if not request.all:
        names = ids_of(request.models) if request.models else [request.model]
        return [engine.word_tagger_for(pair, name, needs).card.id for name in names]
    return [tagger.card.id for tagger in engine.fitting_word_taggers(pair, needs)]


def _check_scales(models: Sequence[Model], labels: list[float]) -> None:
    """InputError where a label means something else to one of the models: beside the scale that it declares, or no z-score."""
    for model in models:
        # Edits per word that are not cut off at 1 are told apart by their correlations, as ever.
        if model.label.scale is not None or model.label.unit == Z_SCORE or len(model.label.classes) == 2:
            check_labels(model.label, labels, "segments")


def _work(context: Context, chunk: Json) -> Output:
    if context.params.get("level") == "word":
        return _work_words(context, chunk)
    if "models" in context.params:
        return _work_several(context, chunk)
    model, segments = context.engine.models[context.params["model"]], segments_of_chunk(context.params, chunk)
    if model.card.documents is not None:
        predictions, assessment = document_predictions(context.engine, segments, chunk, model)
        return {"rows": document_rows(chunk, predictions, assessment), "carry": predictions}
    answer = context.engine.quality(segments, model.card.id)
    texts = zip(chunk["sources"], chunk["translations"], chunk["labels"], quality_rows(answer), strict=True)
    rows: list[Json] = [
        {"source": source, "translation": translation, "label": label, **row} for source, translation, label, row in texts
    ]
    p = answer.prediction
    carry = {"gold": chunk["labels"], "predicted": p.mean.tolist(), "std": p.std.tolist(), **candidate_columns(chunk)}
    return {"rows": rows, "carry": {**carry, **_documents(chunk, segments)}}


def _work_several(context: Context, chunk: Json) -> Output:
    segments = segments_of_chunk(context.params, chunk)
    models = {name: context.engine.models[name] for name in context.params["models"]}
    answers = {name: context.engine.quality(segments, name) for name, model in models.items() if model.card.documents is None}
    predictions = {name: answer.prediction for name, answer in answers.items()}
    means = {name: prediction.mean.tolist() for name, prediction in predictions.items()}
    texts = zip(chunk["sources"], chunk["translations"], chunk["labels"], strict=True)
    rows: list[Json] = [
        {"source": source, "translation": translation, "label": label, "scores": {name: row[i] for name, row in means.items()}}
        for i, (source, translation, label) in enumerate(texts)
    ]
    stds = {name: prediction.std.tolist() for name, prediction in predictions.items()}
    carry = {"gold": chunk["labels"], "predicted": means, "std": stds, **candidate_columns(chunk)}
    of_documents = {
        name: document_predictions(context.engine, segments, chunk, model)[0]
        for name, model in models.items()
        if model.card.documents is not None
    }
    for name, part in of_documents.items():
        for row, score in zip(rows, scores_of_segments(chunk, part), strict=True):
            row["scores"][name] = score
    carry |= {OF_DOCUMENTS: of_documents} if of_documents else {}
    return {"rows": rows, "carry": {**carry, **_documents(chunk, segments)}}


def _documents(chunk: Json, segments: Segments) -> Json:
    """Documents of a chunk's segments and the tokens of their translations, if the segments name documents."""
    return {} if DOCUMENTS not in chunk else {DOCUMENTS: chunk[DOCUMENTS], "tokens": token_weights(segments).tolist()}


def _work_words(context: Context, chunk: Json) -> Output:
    segments = segments_of_chunk(context.params, chunk)
    carry: dict[str, Json] = {}
    rows: list[Json] = [
        {"source": source, "translation": translation, "tags": {}}
        for source, translation in zip(chunk["sources"], chunk["translations"], strict=True)
    ]
    for name in context.params["models"]:
        counts, tags = measured_words(context.engine.at(context.params["profile"]).word_tags(segments, name), chunk)
        carry[name] = counts
        for row, predicted in zip(rows, tags, strict=True):
            row["tags"][name] = predicted
    return {"rows": rows, "carry": carry}


def _finish(context: Context, outputs: Iterable[Output]) -> ModelEvaluation | Evaluations:
    carry_rows = [output["carry"] for output in outputs]
    if context.params.get("level") == "word":
        names = context.params["models"]
        return {"models": [], "words": [word_evaluation(name, [part[name] for part in carry_rows]) for name in names]}
    gold = _joined(part["gold"] for part in carry_rows)
    models = context.engine.models
    if "models" not in context.params:
        mean, std = (_joined(part[name] for part in carry_rows) for name in ("predicted", "std"))
        model = models[context.params["model"]]
        answer = _with_documents(evaluation_of(model, _evaluate(model, gold, mean, std)), model, gold, mean, carry_rows)
        if have_systems(carry_rows):
            answer["selection"] = selection_of(carry_rows, gold, {model.card.id: mean}, model.label, {})
        return answer
    evaluations: dict[str, Evaluation] = {}
    of_documents = [name for name in context.params["models"] if models[name].card.documents is not None]
    for name in context.params["models"]:
        if name in of_documents:
            continue
        mean, std = (_joined(part[of][name] for part in carry_rows) for of in ("predicted", "std"))
        evaluations[name] = _evaluate(models[name], gold, mean, std)
    answers = [
        _with_documents(evaluation_of(models[name], evaluation), models[name], gold, evaluation.predicted, carry_rows)
        for name, evaluation in evaluations.items()
    ]
    _compare(gold, answers, evaluations)
    answers += [_of_documents(models[name], [part[OF_DOCUMENTS][name] for part in carry_rows]) for name in of_documents]
    answer_of_models: Evaluations = {"models": answers}
    if have_systems(carry_rows) and evaluations:
        predicted = {name: evaluation.predicted for name, evaluation in evaluations.items()}
        label = models[next(iter(evaluations))].label
        answer_of_models["selection"] = selection_of(
            carry_rows, gold, predicted, label, context.params.get("models_of_systems", {})
        )
    return answer_of_models


def _with_documents(
    answer: ModelEvaluation, model: Model, gold: Float64s, predicted: Float64s, parts: Sequence[Json]
) -> ModelEvaluation:
    """An answer with the accuracy over documents, if the segments name two or more."""
    documents = [name for part in parts for name in part.get("documents", ())]
    if len(set(documents)) < 2:
        return answer
    tokens = _joined(part["tokens"] for part in parts)
    return {**answer, "documents": document_accuracy(gold, predicted, tokens, documents, model.label.higher_is_better)}


def _of_documents(model: Model, parts: Sequence[Json]) -> ModelEvaluation:
    """The evaluation of a predictor of documents, from what chunks carried of it."""
    gold, mean, std = (_joined(part[name] for part in parts) for name in ("gold", "predicted", "std"))
    return evaluation_of(model, _evaluate(model, gold, mean, std))


def _joined(parts: Iterable[list[float]]) -> Float64s:
    return np.array([value for part in parts for value in part], np.float64)


def _evaluate(model: Model, gold: Float64s, mean: Float64s, std: Float64s) -> Evaluation:
    label = model.label
    evaluation = evaluate_uncertainty(gold, lambda coverage: model.interval(mean, std, coverage), label.higher_is_better)
    if not label.classes:
        return evaluation
    grades = grades_of(model.interval(mean, std, COVERAGES[0]), label.classes)
    return replace(evaluation, grades=evaluate_grades(gold, grades, label.classes))


def _compare(gold: Float64s, answers: Sequence[ModelEvaluation], evaluations: Mapping[str, Evaluation]) -> None:
    """Add, to models of one label but the best, p that the best is no better."""
    for label in {answer["label"] for answer in answers}:
        same_label_answers = [answer for answer in answers if answer["label"] == label]
        p_values = compare_predictions(
            gold, {answer["model"]: evaluations[answer["model"]].predicted for answer in same_label_answers}
        )
        for answer in same_label_answers:
            answer["p_value_of_best"] = p_values.get(answer["model"])


operation = Operation[EvaluateRequest, ModelEvaluation | Evaluations](
    name="evaluate",
    summary="Measure predictors on labelled segments, or word taggers on tagged ones.",
    request=EvaluateRequest,
    answer_type=ModelEvaluation | Evaluations,
    check=_check,
    tag="models",
    steps=Steps(_split, _work, _finish),
)
