"""Plan of a training job: rows, tasks and method are fixed here."""

from typing import Final, Literal

from app.engine import Engine
from app.engine.feature_choice import usual_feature_set
from app.errors import InputError
from app.features import Evidence, Level, exact_set, feature_set
from app.operations.documents.grouping import DOCUMENTS, cut_documents
from app.operations.features import computable
from app.operations.operation import Json, Plan, Planning, cut
from app.operations.parts.about_models import scale_kept
from app.operations.parts.fields import LabelledSegment, pair_of
from app.operations.parts.label_values import check_labels
from app.operations.parts.segments import columns_of, segments_of
from app.operations.train.feedback_rows import OF_FEEDBACK, OmittedFeedback, with_feedback
from app.operations.train.request import TrainRequest, task_names
from app.operations.train.scale import label_of
from app.predictors import Label, Model
from app.predictors.learners import CORRECTION, parse_learner
from app.text import LanguagePair
from app.text.side_information import SideInformation

__all__ = ["chosen_method", "split_training"]

# From so many rows on, learning anew does as well as a correction (docs/use/predictors.md).
ROWS_TO_RETRAIN: Final = 1000
# Fields that were not known to the jobs of the first version, and are named only where they are used.
LATER: Final = ("held_out", "others", "name", "data_name", "held_out_name", "scale", "documents")


def split_training(planning: Planning, request: TrainRequest) -> Plan:
    """Plan the job: rows that were sent, and feedback where it is wanted."""
    engine, base = planning.engine, _base(request, planning.engine)
    label = label_of(request.label, request.scale, None if base is None else base.label)
    if base is not None:
        for field, segments in (("segments", request.segments), ("held_out", request.held_out or [])):
            check_labels(label, [segment.label for segment in segments], field)
    columns, omissions = _columns(request, planning, base, label)
    if not columns["sources"]:
        detail = f"; {omissions.explain()}" if omissions else ""
        raise InputError("empty-input", f"a job needs at least one segment{detail}", ("segments",))
    kinds = SideInformation.from_json(columns).evidence
    documents = columns.pop(DOCUMENTS, None)
    rows = len(columns["sources"]) if documents is None else len(set(documents))
    params = {**_params(request, engine, base, kinds, rows), **scale_kept(label)}
    chunks = cut(columns, planning.chunk_rows) if documents is None else cut_documents(columns, documents, planning.chunk_rows)
    for task in request.others or ():
        beside = _labelled(pair_of(task), task.segments)
        chunks += [
            (count, {**chunk, "source_language": task.source_language, "target_language": task.target_language})
            for count, chunk in cut(beside, planning.chunk_rows)
        ]
    if request.name is not None and planning.engine.registry.is_taken(request.name):
        raise InputError("invalid-job", "a model of this name exists already; name another", ("name",))
    about_feedback = {"left_out_feedback": omissions.as_json()} if omissions else {}
    return Plan("train", {**params, **_features(request, engine, params, kinds), **about_feedback}, chunks)


def _base(request: TrainRequest, engine: Engine) -> Model | None:
    """The base of a request, which must be of its label."""
    if request.base is None:
        return None
    base = engine.models.get(request.base)
    if base is None:
        raise InputError("unknown-model", "there is no such model; GET /v1/models (assay models list) lists them", ("base",))
    if base.card.label != request.label:
        raise InputError("unknown-model", f"this model predicts {base.card.label}", ("label",))
    return base


def _labelled(pair: LanguagePair, segments: list[LabelledSegment]) -> Json:
    columns = {**columns_of(segments_of(pair, segments)), "labels": [segment.label for segment in segments]}
    if segments[0].document is not None:
        columns[DOCUMENTS] = [segment.document for segment in segments]
    return columns


def _columns(request: TrainRequest, planning: Planning, base: Model | None, label: Label) -> tuple[Json, OmittedFeedback | None]:
    """Rows of the request, to learn from or held out, with feedback if requested, and the feedback left out."""
    empty: Json = {"sources": [], "translations": [], "labels": []}
    columns = _labelled(pair_of(request), request.segments) if request.segments else empty
    tasks = task_names(request)
    if tasks:
        columns["tasks"] = tasks
    left_out_feedback = None
    if request.feedback:
        columns, left_out_feedback = with_feedback(request, planning, base, columns, label)
    if request.held_out is not None:
        columns = _join_held_out(columns, _labelled(pair_of(request), request.held_out))
    return columns, left_out_feedback


def _join_held_out(columns: Json, held_out: Json) -> Json:
    if set(held_out) != set(columns) - OF_FEEDBACK.keys():
        raise InputError("missing-evidence", "held_out segments come with the same as the others", ("held_out",))
    rows, held_out_rows = len(columns["labels"]), len(held_out["labels"])
    joined_columns = {
        name: [*values, *held_out.get(name, [OF_FEEDBACK.get(name)] * held_out_rows)] for name, values in columns.items()
    }
    return {**joined_columns, "held_out": [False] * rows + [True] * held_out_rows}


def _params(request: TrainRequest, engine: Engine, base: Model | None, kinds: Evidence, rows: int) -> Json:
    """The parameters with everything fixed that a base fixes; InputError where base and request do not fit."""
    unused_fields = {name for name in LATER if getattr(request, name) is None} | (
        {"licence"} if request.licence == "private" else set()
    )
    params: Json = request.model_dump(exclude={"segments", "held_out", "others", *unused_fields})
    if base is None:
        if request.method == "adapt":
            raise InputError("invalid-job", "adapt corrects a base model; name one", ("base",))
        learner = request.learner or "gp"
        parse_learner(learner)
        feature_set_name = request.feature_set or usual_feature_set(kinds, rows, request.documents is not None)
        return {**params, "method": "retrain", "learner": learner, "feature_set": feature_set_name}
    card, pair = base.card, str(pair_of(request))
    if request.documents != card.documents:
        detail = f"the base learned {card.documents or 'no'} documents; a version learns as its base"
        raise InputError("invalid-job", detail, ("documents",))
    if request.feature_set not in (None, card.feature_set):
        raise InputError("invalid-job", f"a version has its base's features, {card.feature_set}", ("feature_set",))
    method = chosen_method(request, engine, base, rows)
    if method == "retrain":
        if card.pair != pair:
            raise InputError("model-for-another-pair", f"this model is for {card.pair}; use the method adapt", ("base",))
        engine.registry.rows(base).of(card.features, card.label)
    learner = request.learner or ("gp" if card.learner == CORRECTION else card.learner)
    parse_learner(learner)
    features = list(card.features)
    return {**params, "method": method, "learner": learner, "feature_set": card.feature_set, "features": features}


def chosen_method(request: TrainRequest, engine: Engine, base: Model, rows: int) -> Literal["retrain", "adapt"]:
    """Method of a version: the requested one, or `retrain` if there are enough rows and the base's rows are complete."""
    if request.method != "auto":
        return request.method
    needs_adaptation = base.card.pair != str(pair_of(request)) or rows < ROWS_TO_RETRAIN
    return "adapt" if needs_adaptation or engine.registry.rows(base).missing(base.card.features) else "retrain"


def _features(request: TrainRequest, engine: Engine, params: Json, kinds: Evidence) -> Json:
    """The features that every row can have; all of the base's where there is one."""
    requested_set = exact_set("asked", params["features"]) if "features" in params else feature_set(params["feature_set"])
    level = Level.SENTENCE if request.documents is None else Level.DOCUMENT
    feature_ids, missing_ids = computable(engine, pair_of(request), requested_set, kinds, level)
    for part in request.others or ():
        segments = segments_of(pair_of(part), part.segments)
        part_ids, _ = computable(engine, segments.pair, requested_set, segments.evidence)
        feature_ids, missing_ids = (
            [name for name in feature_ids if name in part_ids],
            [*missing_ids, *(name for name in feature_ids if name not in part_ids)],
        )
    if request.base and missing_ids:
        detail = f"the base's feature {missing_ids[0]} cannot be computed from what is loaded and sent"
        raise InputError("missing-evidence", detail, ("base",))
    pair_fields = {"pairs": [str(pair) for pair in request.pairs()]} if request.others else {}
    return {"features": feature_ids, "left_out": missing_ids, **pair_fields}
