"""Values of features."""

from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Annotated, Any, Final, NotRequired

from pydantic import Field
from typing_extensions import TypedDict

from app.engine import Engine
from app.errors import InputError
from app.features import (
    CheckpointNeed,
    Evidence,
    FeatureMatrix,
    FeatureSet,
    Level,
    Need,
    Resource,
    exact_set,
    feature_set,
    features_named,
)
from app.operations.features.standing import Standings, distribution_of, standings
from app.operations.operation import Context, Json, Operation, Output, Plan, Planning, Steps, cut, with_example
from app.operations.parts.costs.cost import Cost, amount_of_texts
from app.operations.parts.costs.network_work import work_of_networks
from app.operations.parts.costs.work import work_of_checkpoints, work_of_pairs
from app.operations.parts.fields import EXAMPLE_PAIR, PairRequest, Segment, SystemsRequest, check_present, pair_of
from app.operations.parts.limits import RequestLimits
from app.operations.parts.names import AnsweringPair, ModelId
from app.operations.parts.segments import (
    check_pairs,
    chunk_with_evidence,
    columns_of,
    evidence_needs,
    segments_of,
    text_pairs,
    with_evidence,
    work_of_evidence,
)
from app.predictors import Model
from app.registry.provenance import licence_cautions, licences_used
from app.text import LanguagePair

__all__ = ["FeatureName", "FeaturesAnswer", "FeaturesRequest", "LeftOutFeature", "computable", "operation"]


ABOUT_MODEL: Final = "The features of this predictor, in place of a set"
ABOUT_DISTRIBUTION: Final = "Add training distributions, and places of values in them, by `model` or the best predictor"
ABOUT_TRUNCATED: Final = "Segments, counted from 0, so long that only their first tokens were looked at"


class FeaturesRequest(SystemsRequest):
    """POST /v1/features."""

    model_config = with_example(
        {"source_language": "ro", "target_language": "en", "feature_set": "quest-baseline-17", "segments": [EXAMPLE_PAIR]}
    )

    feature_set: Annotated[str, Field(max_length=100)] = "quest-baseline-17"
    features: Annotated[list[str], Field(min_length=1, max_length=1000, description="Ids, in place of a set")] | None = None
    model: Annotated[ModelId, Field(description=ABOUT_MODEL)] | None = None
    distribution: Annotated[bool, Field(description=ABOUT_DISTRIBUTION)] = False
    segments: list[Segment]


class FeatureName(TypedDict):
    """A column of the answer."""

    id: str
    name: str


class LeftOutFeature(FeatureName):
    """A feature of the set that could not be computed."""

    reason: str


class FeaturesAnswer(Standings):
    """Values in the order of `features`, rows in the order of the request."""

    pair: AnsweringPair
    features: list[FeatureName]
    left_out: list[LeftOutFeature]
    values: list[list[float]]
    truncated: NotRequired[Annotated[list[int], Field(description=ABOUT_TRUNCATED)]]
    cautions: NotRequired[Annotated[list[str], Field(description="Uses that licences of checkpoints forbid")]]


def _answer(engine: Engine, request: FeaturesRequest) -> FeaturesAnswer:
    pair = pair_of(request)
    segments = with_evidence(engine, request, segments_of(pair, request.segments))
    model = _model(engine, request, segments.evidence)
    matrix = engine.features(segments, _wanted(engine, request), None if model is None else model.card.id)
    answer = _content(pair, matrix)
    if model is not None and request.distribution:
        names = [feature.id for feature in matrix.features]
        percentiles, deviations = standings(engine, model, names, matrix.values)
        distribution = distribution_of(engine, model, names)
        answer |= {
            "model": model.card.id, "distribution": distribution, "percentiles": percentiles, "deviations": deviations,
        }  # fmt: skip
    cautions = _cautions(engine, [feature["id"] for feature in answer["features"]])
    return {**answer, "cautions": cautions} if cautions else answer


def _cautions(engine: Engine, features: list[str]) -> list[str]:
    return licence_cautions("a feature", licences_used(features, engine.resources.checkpoints))


def _model(engine: Engine, request: FeaturesRequest, evidence: Evidence) -> Model | None:
    """The predictor of the request, or the best one for a distribution; None if the request asks for neither."""
    asks = request.model is not None or request.distribution
    return engine.model_for(pair_of(request), request.model, None, evidence) if asks else None


def _wanted(engine: Engine, request: FeaturesRequest) -> FeatureSet:
    if request.model is not None:
        if request.model not in engine.models:
            raise InputError("unknown-model", "no predictor has this id; GET /v1/models (assay models list) lists all", ("model",))
        return exact_set(request.model, engine.models[request.model].card.features)
    return feature_set(request.feature_set) if request.features is None else exact_set("asked", request.features)


def _content(pair: LanguagePair, matrix: FeatureMatrix) -> FeaturesAnswer:
    answer: FeaturesAnswer = {
        "pair": str(pair),
        "features": [{"id": feature.id, "name": feature.name} for feature in matrix.features],
        "left_out": [{"id": row.feature.id, "name": row.feature.name, "reason": row.reason} for row in matrix.left_out],
        "values": [[float(value) for value in row] for row in matrix.values],
    }
    return {**answer, "truncated": sorted(matrix.truncated)} if matrix.truncated else answer


def _needs(engine: Engine, request: FeaturesRequest) -> tuple[Need, ...]:
    try:
        return _wanted(engine, request).needs
    except InputError:
        # An unknown set or model is named later, by the answer.
        return ()


def _cost(engine: Engine, request: FeaturesRequest) -> Cost:
    needs = _needs(engine, request)
    checkpoints = sum(isinstance(need, CheckpointNeed) for need in needs)
    text_work = work_of_pairs(text_pairs(request.segments))
    text_work += work_of_checkpoints(checkpoints, chain.from_iterable(text_pairs(request.segments)))
    model_work = work_of_evidence(engine, request)
    if Resource.CROSS_ENCODER in needs:
        # Checkpoints are counted above, as features.
        pair = PairRequest(source_language=request.source_language, target_language=request.target_language)
        model_work += work_of_networks(engine, pair, text_pairs(request.segments))
    return Cost(amount_of_texts(segment.source for segment in request.segments), text_work, model_work)


def _check(request: FeaturesRequest, limits: RequestLimits) -> None:
    if request.model is not None and (request.features is not None or "feature_set" in request.model_fields_set):
        raise InputError("invalid-request", "give model, feature_set or features", ("model",))
    if request.features is not None and "feature_set" in request.model_fields_set:
        raise InputError("invalid-request", "features stand in place of a set; give one of the two", ("feature_set",))
    check_present(len(request.segments))
    check_pairs(pair_of(request), request.segments, limits)


def computable(
    engine: Engine, pair: LanguagePair, features: FeatureSet, evidence: Evidence, level: Level = Level.SENTENCE
) -> tuple[list[str], list[str]]:
    """Ids of a set's features that can be computed from a pair and its side information, and ids of the rest.

    InputError for features of another level than rows have: most jobs work on parts of a document.
    """
    if level is Level.DOCUMENT and features.level is not level:
        detail = "documents are learned by features of documents; name the feature set document or document-17"
        raise InputError("invalid-job", detail, ("params", "feature_set"))
    if features.level is not level:
        raise InputError("invalid-job", "a job works on parts of a document; use POST /v1/features", ("params", "feature_set"))
    computable_ids = {feature.id for feature in engine.check_feature_set(pair, features, evidence)}
    ids = [feature.id for feature in features.features]
    return [name for name in ids if name in computable_ids], [name for name in ids if name not in computable_ids]


def _stream(engine: Engine, request: FeaturesRequest, evidence: Evidence) -> Json:
    evidence, systems = evidence_needs(engine, request, evidence)
    feature_ids, missing_ids = computable(engine, pair_of(request), _wanted(engine, request), evidence)
    model = _model(engine, request, evidence)
    parameters = {name: value for name, value in request.parameters().items() if name not in ("model", "distribution")}
    chosen_model = {} if model is None else {"model": model.card.id, "distribution": request.distribution}
    return {**parameters, **systems, "features": feature_ids, "left_out": missing_ids, **chosen_model}


def _split(planning: Planning, request: FeaturesRequest) -> Plan:
    segments = segments_of(pair_of(request), request.segments)
    return Plan("features", _stream(planning.engine, request, segments.evidence), cut(columns_of(segments), planning.chunk_rows))


def _work(context: Context, chunk: Mapping[str, Any]) -> Output:
    segments = chunk_with_evidence(context.engine, context.params, chunk)
    # Jobs of earlier versions have no such parameter.
    matrix = context.engine.features(segments, exact_set("asked", context.params["features"]), context.params.get("model"))
    names = [feature.id for feature in matrix.features]
    rows = [dict(zip(names, map(float, row), strict=True)) for row in matrix.values]
    texts = zip(chunk["sources"], chunk["translations"], rows, strict=True)
    answer_rows: list[Json] = [
        {"source": source, "translation": translation, "features": row} for source, translation, row in texts
    ]
    if context.params.get("distribution"):
        percentiles, deviations = standings(context.engine, _model_of_job(context), names, matrix.values)
        for row, percentile_row, deviation_row in zip(answer_rows, percentiles, deviations, strict=True):
            row["percentiles"] = dict(zip(names, percentile_row, strict=True))
            row["deviations"] = dict(zip(names, deviation_row, strict=True))
    for number in matrix.truncated:
        answer_rows[number]["truncated"] = True
    return {"rows": answer_rows}


def _model_of_job(context: Context) -> Model:
    model = context.engine.models.get(context.params["model"])
    if model is None:
        raise InputError("unknown-model", f"the predictor {context.params['model']} is gone; send the job again", ("model",))
    return model


def _finish(context: Context, outputs: Iterable[Output]) -> Any:
    params = context.params
    names = [{"id": feature.id, "name": feature.name} for feature in features_named(params["features"])]
    answer: Json = {"feature_set": params["feature_set"], "features": names, "left_out": params["left_out"]}
    if params.get("distribution"):
        distribution = distribution_of(context.engine, _model_of_job(context), params["features"])
        answer |= {"model": params["model"], "distribution": distribution}
    cautions = _cautions(context.engine, params["features"])
    return {**answer, "cautions": cautions} if cautions else answer


operation = Operation(
    name="features",
    id="computeFeatures",
    summary="Feature values of every segment.",
    request=FeaturesRequest,
    answer_type=FeaturesAnswer,
    check=_check,
    answer=_answer,
    steps=Steps(_split, _work, _finish, stream=_stream, parallel=True),
    cost=_cost,
)
