"""Values of features."""

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, NotRequired

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
from app.operations.operation import Context, Json, Operation, Output, Plan, Planning, Steps, cut, with_example
from app.operations.parts.costs.cost import Cost, amount_of_texts
from app.operations.parts.costs.network_work import work_of_networks
from app.operations.parts.costs.work import work_of_checkpoints, work_of_pairs
from app.operations.parts.fields import EXAMPLE_PAIR, Segment, SystemsRequest, check_present, pair_of
from app.operations.parts.limits import RequestLimits
from app.operations.parts.names import AnsweringPair
from app.operations.parts.segments import (
    check_pairs,
    chunk_with_evidence,
    columns_of,
    evidence_needs,
    segments_of,
    texts_of,
    with_evidence,
    work_of_evidence,
)
from app.registry.provenance import licence_cautions, licences_used
from app.text import LanguagePair

__all__ = ["FeatureName", "FeaturesAnswer", "FeaturesRequest", "LeftOutFeature", "computable", "operation"]


class FeaturesRequest(SystemsRequest):
    """POST /v1/features."""

    model_config = with_example(
        {"source_language": "ro", "target_language": "en", "feature_set": "quest-baseline-17", "segments": [EXAMPLE_PAIR]}
    )

    feature_set: Annotated[str, Field(max_length=100)] = "quest-baseline-17"
    features: Annotated[list[str], Field(min_length=1, max_length=1000, description="Ids, in place of a set")] | None = None
    segments: list[Segment]


class FeatureName(TypedDict):
    """A column of the answer."""

    id: str
    name: str


class LeftOutFeature(FeatureName):
    """A feature of the set that could not be computed."""

    reason: str


class FeaturesAnswer(TypedDict):
    """Values in the order of `features`, rows in the order of the request."""

    pair: AnsweringPair
    features: list[FeatureName]
    left_out: list[LeftOutFeature]
    values: list[list[float]]
    truncated: NotRequired[Annotated[list[int], Field(description="Segments so long that only their first tokens were looked at")]]
    cautions: NotRequired[Annotated[list[str], Field(description="Uses that licences of checkpoints forbid")]]


def _answer(engine: Engine, request: FeaturesRequest) -> FeaturesAnswer:
    pair = pair_of(request)
    segments = with_evidence(engine, request, segments_of(pair, request.segments))
    answer = _content(pair, engine.features(segments, _wanted(request)))
    cautions = _cautions(engine, [feature["id"] for feature in answer["features"]])
    return {**answer, "cautions": cautions} if cautions else answer


def _cautions(engine: Engine, features: list[str]) -> list[str]:
    return licence_cautions("a feature", licences_used(features, engine.resources.checkpoints))


def _wanted(request: FeaturesRequest) -> FeatureSet:
    return feature_set(request.feature_set) if request.features is None else exact_set("asked", request.features)


def _content(pair: LanguagePair, matrix: FeatureMatrix) -> FeaturesAnswer:
    answer: FeaturesAnswer = {
        "pair": str(pair),
        "features": [{"id": feature.id, "name": feature.name} for feature in matrix.features],
        "left_out": [{"id": row.feature.id, "name": row.feature.name, "reason": row.reason} for row in matrix.left_out],
        "values": [[float(value) for value in row] for row in matrix.values],
    }
    return {**answer, "truncated": sorted(matrix.truncated)} if matrix.truncated else answer


def _needs(request: FeaturesRequest) -> tuple[Need, ...]:
    try:
        return _wanted(request).needs
    except InputError:
        # There is no such set, which is said where it is asked for.
        return ()


def _cost(engine: Engine, request: FeaturesRequest) -> Cost:
    needs = _needs(request)
    checkpoints = sum(isinstance(need, CheckpointNeed) for need in needs)
    text_work = work_of_pairs((segment.source, segment.translation) for segment in request.segments)
    text_work += work_of_checkpoints(checkpoints, texts_of(request.segments))
    model_work = work_of_evidence(engine, request)
    if Resource.ENCODER in needs:
        model_work += work_of_networks(engine, request, texts_of(request.segments))
    return Cost(amount_of_texts(segment.source for segment in request.segments), text_work, model_work)


def _check(request: FeaturesRequest, limits: RequestLimits) -> None:
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
    feature_ids, missing_ids = computable(engine, pair_of(request), _wanted(request), evidence)
    return {**request.parameters(), **systems, "features": feature_ids, "left_out": missing_ids}


def _split(planning: Planning, request: FeaturesRequest) -> Plan:
    segments = segments_of(pair_of(request), request.segments)
    return Plan("features", _stream(planning.engine, request, segments.evidence), cut(columns_of(segments), planning.chunk_rows))


def _work(context: Context, chunk: Mapping[str, Any]) -> Output:
    segments = chunk_with_evidence(context.engine, context.params, chunk)
    matrix = context.engine.features(segments, exact_set("asked", context.params["features"]))
    names = [feature.id for feature in matrix.features]
    rows = [dict(zip(names, map(float, row), strict=True)) for row in matrix.values]
    texts = zip(chunk["sources"], chunk["translations"], rows, strict=True)
    answer_rows: list[Json] = [
        {"source": source, "translation": translation, "features": row} for source, translation, row in texts
    ]
    for number in matrix.truncated:
        answer_rows[number]["truncated"] = True
    return {"rows": answer_rows}


def _finish(context: Context, outputs: Iterable[Output]) -> Any:
    params = context.params
    names = [{"id": feature.id, "name": feature.name} for feature in features_named(params["features"])]
    answer: Json = {"feature_set": params["feature_set"], "features": names, "left_out": params["left_out"]}
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
    steps=Steps(_split, _work, _finish, stream=_stream),
    cost=_cost,
)
