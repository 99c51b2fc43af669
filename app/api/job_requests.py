"""From the content of POST /v1/jobs to a planned job: the same checks as the kind's own call, larger limits."""

from typing import Annotated, Any

from fastapi.exceptions import RequestValidationError
from pydantic import Field, ValidationError

from app.api.checking import check_candidates, check_count, check_lists, check_pairs
from app.api.quality_schemas import FeaturesRequest, QualityRequest, RankRequest, Segment
from app.api.schemas import Body, JobRequest, Label, Language, ModelId
from app.api.score import requested_significance
from app.api.scoring_schemas import ScoreRequest
from app.api.training_requests import LabelledSegment, TrainRequest, training_columns, training_params
from app.errors import InputError
from app.jobs import JobPlan, plan_job
from app.metrics import drop_empty
from app.predictors.active_learning import DEFAULT_STRATEGY, STRATEGIES
from app.predictors.labels import label_named
from app.predictors.learners import parse_learner
from app.service import Service
from app.settings import Settings
from app.text import LanguagePair

__all__ = ["EvaluateRequest", "SelectRequest", "TrainRequest", "plan_request"]

Json = dict[str, Any]


class EvaluateRequest(Body):
    """Parameters of an `evaluate` job."""

    source_language: Language
    target_language: Language
    model: ModelId | None = None
    label: Label | None = None
    segments: list[LabelledSegment]


class SelectRequest(Body):
    """Parameters of a `select` job: a pool without labels, and how many of its segments to choose."""

    source_language: Language
    target_language: Language
    model: ModelId | None = None
    label: Label | None = None
    count: Annotated[int, Field(ge=1, le=10_000)] = 100
    strategy: Annotated[str, Field(max_length=40)] = DEFAULT_STRATEGY
    segments: list[Segment]


def plan_request(content: object, service: Service) -> JobPlan:
    """Validate the content and plan its job; nothing is queued yet."""
    settings = service.settings
    try:
        request = JobRequest.model_validate(content)
        if request.kind == "train":
            params, columns = _train(request.params, service)
        else:
            params, columns = PLANNERS[request.kind](request.params, settings)
    except ValidationError as error:
        raise RequestValidationError(error.errors(include_url=False, include_input=False)) from None
    return plan_job(service.engine, request.kind, params, columns, settings.chunk_segments)


def _pair_columns(body: Any, settings: Settings) -> Json:
    pair = LanguagePair(body.source_language, body.target_language)
    sent = check_pairs(pair, body.segments, settings, settings.max_job_segments)
    columns: Json = {"sources": list(sent.sources), "translations": list(sent.translations)}
    return {**columns, **sent.side_information.as_json()}


def _rest(body: Body, *lists: str) -> Json:
    """The small parameters of a body."""
    return body.model_dump(exclude=set(lists))


def _quality(params: Json, settings: Settings) -> tuple[Json, Json]:
    body = QualityRequest.model_validate(params)
    return _rest(body, "segments"), _pair_columns(body, settings)


def _features(params: Json, settings: Settings) -> tuple[Json, Json]:
    body = FeaturesRequest.model_validate(params)
    return _rest(body, "segments"), _pair_columns(body, settings)


def _rank(params: Json, settings: Settings) -> tuple[Json, Json]:
    body = RankRequest.model_validate(params)
    sources, candidates = check_candidates(body.segments, settings, settings.max_job_segments)
    return _rest(body, "segments"), {"sources": sources, "candidates": candidates}


def _score(params: Json, settings: Settings) -> tuple[Json, Json]:
    body = ScoreRequest.model_validate(params)
    size = check_lists("systems", body.systems, settings) + check_lists("references", body.references, settings)
    check_count(size, settings.max_job_segments, ("systems",))
    systems, references, empty = drop_empty(body.systems, body.references, body.empty)
    fixed = _rest(body, "systems", "references", "source", "significance", "empty")
    asked = requested_significance(body.significance)
    if asked is not None and asked.baseline is not None and asked.baseline not in body.systems:
        raise InputError("invalid-request", "the baseline must be the name of one of the systems", ("significance", "baseline"))
    fixed |= {"significance": asked and asked.__dict__, "reference_count": len(references)}
    fixed["empty"] = {"policy": body.empty, "segments": empty}
    return fixed, {"systems": systems, "references": references}


def _train(params: Json, service: Service) -> tuple[Json, Json]:
    body = TrainRequest.model_validate(params)
    label_named(body.label)
    sent = _pair_columns(body, service.settings) if body.segments else {"sources": [], "translations": []}
    columns = training_columns(body, sent, service.engine, service.feedback, service.settings)
    if "tasks" in columns and body.learner is not None and parse_learner(body.learner)[0] != "gp":
        raise InputError("invalid-job", "tasks are learned together by a Gaussian process, gp", ("learner",))
    return training_params(body, service.engine, columns), columns


def _evaluate(params: Json, settings: Settings) -> tuple[Json, Json]:
    body = EvaluateRequest.model_validate(params)
    columns = _pair_columns(body, settings) | {"labels": [segment.label for segment in body.segments]}
    return _rest(body, "segments"), columns


def _select(params: Json, settings: Settings) -> tuple[Json, Json]:
    body = SelectRequest.model_validate(params)
    if body.strategy not in STRATEGIES:
        raise InputError("invalid-job", f"strategies are {', '.join(STRATEGIES)}", ("params", "strategy"))
    return _rest(body, "segments"), _pair_columns(body, settings)


PLANNERS = {
    "quality": _quality,
    "features": _features,
    "rank": _rank,
    "score": _score,
    "evaluate": _evaluate,
    "select": _select,
}
