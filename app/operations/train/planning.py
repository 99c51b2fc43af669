"""From a request to a job: what is learned by which method from which rows is fixed here."""

from typing import Any, Final

from app.engine import Engine
from app.errors import InputError
from app.features import Need, exact_set, feature_set
from app.operations.features import computable
from app.operations.operation import Json, Plan, Planning, cut
from app.operations.parts.fields import LabelledSegment, columns_of, pair_of, segments_of
from app.operations.parts.limits import check_count
from app.operations.train.request import TrainRequest, task_names
from app.predictors import Model
from app.predictors.learners import ADAPTED, parse_learner
from app.text import LanguagePair
from app.text.side_information import KINDS, Kind, kinds_in

__all__ = ["split_training"]

# From so many rows on, learning anew does as well as a correction (docs/predictors.md).
ROWS_TO_RETRAIN: Final = 1000
# Fields that were not known to the jobs of the first version, and are named only where they are used.
LATER: Final = ("held_out", "others", "name", "data_name", "held_out_name")


def split_training(planning: Planning, request: TrainRequest) -> Plan:
    """Plan the job: rows that were sent, and feedback where it is wanted."""
    engine, base = planning.engine, _base(request, planning.engine)
    columns = _columns(request, planning, base)
    if not columns["sources"]:
        raise InputError("empty-input", "a job needs at least one segment", ("segments",))
    given = kinds_in(columns)
    params = _params(request, engine, base, given, len(columns["sources"]))
    chunks = cut(columns, planning.chunk_rows)
    for other in request.others or ():
        beside = _labelled(pair_of(other), other.segments)
        chunks += [
            (rows, {**chunk, "source_language": other.source_language, "target_language": other.target_language})
            for rows, chunk in cut(beside, planning.chunk_rows)
        ]
    if request.name is not None and planning.engine.registry.is_taken(request.name):
        raise InputError("invalid-job", "a model of this name exists already; name another", ("name",))
    return Plan("train", {**params, **_features(request, engine, params, given)}, chunks)


def _base(request: TrainRequest, engine: Engine) -> Model | None:
    """The base of a request, which must be of its label."""
    if request.base is None:
        return None
    base = engine.models.get(request.base)
    if base is None:
        raise InputError("unknown-model", "there is no such model; GET /v1/models lists them", ("base",))
    if base.card.label != request.label:
        raise InputError("unknown-model", f"this model predicts {base.card.label}", ("label",))
    return base


def _labelled(pair: LanguagePair, segments: list[LabelledSegment]) -> Json:
    return {**columns_of(segments_of(pair, segments)), "labels": [segment.label for segment in segments]}


def _columns(request: TrainRequest, planning: Planning, base: Model | None) -> Json:
    """Rows that were sent, to learn from or held out, and feedback where it is wanted and has what the features need."""
    empty: Json = {"sources": [], "translations": [], "labels": []}
    columns = _labelled(pair_of(request), request.segments) if request.segments else empty
    tasks = task_names(request)
    if tasks:
        columns["tasks"] = tasks
    if request.feedback:
        columns = _with_feedback(request, planning, base, columns)
    if request.held_out is not None:
        columns = _with_held_out(columns, _labelled(pair_of(request), request.held_out))
    return columns


def _with_held_out(columns: Json, held_out: Json) -> Json:
    if set(held_out) != set(columns) - {"held_back"}:
        raise InputError("missing-evidence", "held_out segments come with the same as the others", ("held_out",))
    rows, more = len(columns["labels"]), len(held_out["labels"])
    joined = {name: [*values, *held_out.get(name, [False] * more)] for name, values in columns.items()}
    return {**joined, "held_out": [False] * rows + [True] * more}


def _with_feedback(request: TrainRequest, planning: Planning, base: Model | None, columns: Json) -> Json:
    if planning.feedback is None:
        raise InputError("invalid-job", "feedback is kept by a server; train there", ("feedback",))
    wanted = _feedback_kinds(base, columns)
    rows: Json = {name: columns[name] for name in ("sources", "translations")}
    rows |= {kind.name: columns.get(kind.name, []) for kind in wanted}
    rows |= {"labels": columns["labels"], "held_back": [False] * len(columns["labels"])}
    for value, held_back, content in planning.feedback.judgements(str(pair_of(request)), request.label):
        beside = {kind.name: content.get(kind.request_field) for kind in wanted}
        if all(given is not None for given in beside.values()):
            rows["sources"].append(content["source"])
            rows["translations"].append(content["translation"])
            rows["labels"].append(value)
            rows["held_back"].append(held_back)
            for name, given in beside.items():
                rows[name].append(given)
    check_count(len(rows["sources"]), planning.limits.segments, ("segments",))
    return rows


def _feedback_kinds(base: Model | None, columns: Json) -> list[Kind[Any]]:
    """The side information that every row must have: what the base's features need, or what the sent segments have."""
    if base is None:
        return [kind for kind in KINDS if kind.with_feedback and kind.name in columns]
    needs = exact_set("base", base.card.features).needs
    kinds = [need for need in needs if isinstance(need, Kind)]
    unknown = [kind for kind in kinds if not kind.with_feedback]
    if unknown:
        raise InputError("invalid-job", f"feedback does not hold what this model needs: {unknown[0]}", ("feedback",))
    return kinds


def _params(request: TrainRequest, engine: Engine, base: Model | None, given: frozenset[Need], rows: int) -> Json:
    """The parameters with everything fixed that a base fixes; InputError where base and request do not fit."""
    unused = {name for name in LATER if getattr(request, name) is None} | ({"licence"} if request.licence == "private" else set())
    params: Json = request.model_dump(exclude={"segments", "held_out", "others", *unused})
    if base is None:
        if request.method == "adapt":
            raise InputError("invalid-job", "adapt corrects a base model; name one", ("base",))
        learner = request.learner or "gp"
        parse_learner(learner)
        chosen = request.feature_set or engine.default_feature_set(given, rows)
        return {**params, "method": "retrain", "learner": learner, "feature_set": chosen}
    card, pair = base.card, str(pair_of(request))
    if request.feature_set not in (None, card.feature_set):
        raise InputError("invalid-job", f"a version has its base's features, {card.feature_set}", ("feature_set",))
    method = request.method
    if method == "auto":
        method = "adapt" if card.pair != pair or rows < ROWS_TO_RETRAIN else "retrain"
    if method == "retrain":
        if card.pair != pair:
            raise InputError("model-for-another-pair", f"this model is for {card.pair}; adapt can correct it", ("base",))
        engine.registry.rows(base).of(card.features, card.label)
    learner = request.learner or ("gp" if card.learner == ADAPTED else card.learner)
    parse_learner(learner)
    features = list(card.features)
    return {**params, "method": method, "learner": learner, "feature_set": card.feature_set, "features": features}


def _features(request: TrainRequest, engine: Engine, params: Json, given: frozenset[Need]) -> Json:
    """The features that every row can have; all of the base's where there is one."""
    wanted = exact_set("asked", params["features"]) if "features" in params else feature_set(params["feature_set"])
    there, left_out = computable(engine, pair_of(request), wanted, given)
    for other in request.others or ():
        segments = segments_of(pair_of(other), other.segments)
        more, _ = computable(engine, segments.pair, wanted, segments.given)
        there, left_out = [name for name in there if name in more], [*left_out, *(name for name in there if name not in more)]
    if request.base and left_out:
        detail = f"the base's feature {left_out[0]} cannot be computed from what is loaded and sent"
        raise InputError("missing-evidence", detail, ("base",))
    together = {"pairs": [str(pair) for pair in request.pairs()]} if request.others else {}
    return {"features": there, "left_out": left_out, **together}
