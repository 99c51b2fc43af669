"""POST /v1/feedback, GET /v1/feedback: post-edits and scores of users, from which the next version of a model learns."""

from typing import Annotated, Any

from fastapi import APIRouter
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel, Field, FiniteFloat, model_validator

from app.api.access import ServiceHere
from app.api.checking import check_pairs
from app.api.problems import PROBLEM_RESPONSES
from app.api.quality_schemas import Segment
from app.api.schemas import Body, Label, Language, ModelId, with_example
from app.api.training_requests import check_labels
from app.errors import InputError
from app.jobs import FeedbackItem
from app.predictors import Model
from app.predictors.hter import human_edit_rates
from app.predictors.labels import label_named
from app.service import Service
from app.text import LanguagePair
from app.text.checking import check_segments
from app.text.side_information import KINDS, LogProbs

__all__ = ["router"]

router = APIRouter(prefix="/v1", tags=["feedback"], responses=PROBLEM_RESPONSES)
Origin = Annotated[str, Field(max_length=100, description="Who or what it comes from: a tool, a project, a pseudonym")]


class JudgedSegment(Segment):
    """A pair with its post-edit, from which HTER is computed, or with a score."""

    post_edit: str | None = None
    score: FiniteFloat | None = None


class FeedbackRequest(Body):
    """One judgement (`source`, `translation`, and `post_edit` or `score`), or several as `segments`.

    `model` says which model was answered to; without one, the languages do, and `label` says what a score is.
    """

    model_config = with_example(
        {
            "source_language": "ro",
            "target_language": "en",
            "source": "Casa este mare.",
            "translation": "House is big.",
            "post_edit": "The house is big.",
        }
    )

    model: ModelId | None = None
    source_language: Language | None = None
    target_language: Language | None = None
    label: Label | None = None
    origin: Origin = ""
    source: str | None = None
    translation: str | None = None
    post_edit: str | None = None
    score: FiniteFloat | None = None
    token_log_probs: LogProbs | None = None
    tokens: list[str] | None = None
    segments: Annotated[list[JudgedSegment], Field(min_length=1)] | None = None

    @model_validator(mode="after")
    def one_or_several(self) -> "FeedbackRequest":
        """Either the flat fields or `segments`."""
        flat = (self.source, self.translation, self.post_edit, self.score, self.token_log_probs, self.tokens)
        if self.segments is None and (self.source is None or self.translation is None):
            raise ValueError("source and translation, or segments, are needed")
        if self.segments is not None and any(value is not None for value in flat):
            raise ValueError("give either one judgement or segments")
        return self

    def judged(self) -> list[JudgedSegment]:
        """The judgements as a list."""
        if self.segments is not None:
            return self.segments
        return [JudgedSegment.model_validate(self.model_dump(include=set(JudgedSegment.model_fields), exclude_none=True))]


class AcceptedJudgement(BaseModel):
    """What was kept of one judgement; one that is held back never trains, and compares versions."""

    id: str
    label: str
    value: float
    unit: str
    direction: str


class FeedbackCounts(BaseModel):
    """How much there is of a pair and label."""

    pair: str
    label: str
    segments: int
    held_back: int


class FeedbackAnswer(BaseModel):
    """What was kept."""

    accepted: int
    feedback: list[AcceptedJudgement]


class FeedbackList(BaseModel):
    """What there is."""

    feedback: list[FeedbackCounts]


@router.post("/feedback", status_code=202, response_model=FeedbackAnswer)
def give_feedback(body: FeedbackRequest, service: ServiceHere) -> Response:
    """Keep judgements of users; a post-edit counts as HTER, computed by TER, a score as the model's label."""
    model, pair = _model_and_pair(body, service)
    rows = body.judged()
    check_pairs(pair, rows, service.settings, service.settings.max_segments)
    for number, row in enumerate(rows):
        if (row.post_edit is None) == (row.score is None):
            raise InputError("invalid-request", "either post_edit or score is needed", ("segments", number))
    edited = [row for row in rows if row.post_edit is not None]
    check_segments([row.post_edit or "" for row in edited], service.settings.max_segment_characters, ("segments",), "post_edit")
    rates = iter(human_edit_rates([row.translation for row in edited], [row.post_edit or "" for row in edited]).tolist())
    scored = _score_label(body, model) if len(edited) < len(rows) else ""
    items = [
        FeedbackItem(
            str(pair),
            "hter" if row.post_edit is not None else scored,
            next(rates) if row.post_edit is not None else float(row.score or 0.0),
            body.model,
            body.origin,
            _content(row),
        )
        for row in rows
    ]
    for number, item in enumerate(items):
        _check_score(item, number)
    ids = service.feedback.add(items)
    kept = [
        {
            "id": name,
            "label": item.label,
            "value": round(item.value, 6),
            "unit": label_named(item.label).unit,
            "direction": label_named(item.label).direction,
        }
        for name, item in zip(ids, items, strict=True)
    ]
    return JSONResponse({"accepted": len(kept), "feedback": kept}, status_code=202)


def _model_and_pair(body: FeedbackRequest, service: Service) -> tuple[Model | None, LanguagePair]:
    if body.model is None:
        if body.source_language is None or body.target_language is None:
            raise InputError("invalid-request", "a model, or both languages, are needed", ("model",))
        pair = LanguagePair(body.source_language, body.target_language)
        service.engine.pair_resources(pair)
        return None, pair
    model = service.engine.models.get(body.model)
    if model is None:
        raise InputError("unknown-model", "there is no such model; GET /v1/models lists them", ("model",))
    if f"{body.source_language or model.card.pair.split('-')[0]}-{body.target_language or model.card.pair.split('-')[1]}" != (
        model.card.pair
    ):
        raise InputError("model-for-another-pair", f"this model is for {model.card.pair}", ("model",))
    return model, LanguagePair.parse(model.card.pair)


def _score_label(body: FeedbackRequest, model: Model | None) -> str:
    label = body.label or (model.card.label if model is not None else None)
    if label is None:
        raise InputError("invalid-request", "a score without a model needs its label", ("label",))
    return label


def _check_score(item: FeedbackItem, number: int) -> None:
    try:
        check_labels(label_named(item.label), [item.value])
    except InputError as error:
        raise InputError("invalid-request", error.detail, ("segments", number, "score")) from None


def _content(row: JudgedSegment) -> dict[str, Any]:
    kinds = [kind.request_field for kind in KINDS if kind.with_feedback]
    sent = {name: getattr(row, name) for name in ("source", "translation", "post_edit", *kinds)}
    return {name: value for name, value in sent.items() if value is not None}


@router.get("/feedback", response_model=FeedbackList)
def count_feedback(service: ServiceHere) -> Response:
    """How much feedback there is per language pair and label."""
    return JSONResponse({"feedback": [each.__dict__ for each in service.feedback.counts()]})
