"""GET /v1/models, and the versions of a model: promoted by hand, rolled back."""

from typing import Annotated, Any

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel, ConfigDict, Field

from app.answers import model_summary
from app.api.access import ServiceHere
from app.api.caching import tagged
from app.api.problems import PROBLEM_RESPONSES
from app.api.schemas import Body, ModelCard, ModelList, WordTaggerCard, with_example
from app.errors import InputError
from app.model_answers import drift_answer, model_answer, relevance_answer, word_tagger_answer
from app.predictors import Model
from app.registry.promotions import Promotion
from app.service import Service

__all__ = ["router"]

router = APIRouter(prefix="/v1/models", tags=["models"], responses=PROBLEM_RESPONSES)


class ModelDetails(ModelCard):
    """A predictor's card with what is known of it here: relevance of its features, drift, versions, feedback."""

    model_config = ConfigDict(extra="allow")
    answers: bool = Field(description="Whether this model was promoted and is still in force")
    relevance: list[dict[str, Any]] | None
    drift: dict[str, Any]
    versions: list[dict[str, Any]]
    promotions: list[dict[str, Any]]
    feedback: dict[str, int]


class PromotionRequest(Body):
    """Why a model is promoted or rolled back, for the record."""

    model_config = with_example({"reason": "better on last month's post-edits"})

    reason: Annotated[str, Field(max_length=500)] = ""


class PromotionAnswer(BaseModel):
    """An entry of the record; without a model, the best one by its card answers again."""

    pair: str
    label: str
    model: str | None
    at: str
    reason: str


@router.get("", response_model=ModelList)
def models(request: Request, service: ServiceHere) -> Response:
    """Cards of all predictors."""
    engine = service.engine
    rows = [model_answer(model) for model in engine.models.values()]
    taggers = [word_tagger_answer(each) for each in engine.registry.word_taggers.values()]
    return tagged(request, {"models": rows, "word_models": taggers})


@router.get("/{model}", response_model=ModelDetails | WordTaggerCard)
def model(model: str, request: Request, service: ServiceHere) -> Response:
    """The card of one predictor, and what is known of it here."""
    tagger = service.engine.registry.word_taggers.get(model)
    if tagger is not None:
        return tagged(request, word_tagger_answer(tagger))
    return tagged(request, details(_find(model, service), service))


def details(found: Model, service: Service) -> dict[str, Any]:
    """A card with what this server knows of the model."""
    shelf, card = service.engine.registry, found.card
    versions = [
        {**model_summary(each), "version": each.card.version, "created": each.card.created, "accuracy": each.card.accuracy}
        for each in shelf.versions(card.id)
    ]
    counts = [each for each in service.feedback.counts() if (each.pair, each.label) == (card.pair, card.label)]
    mine = [each.__dict__ for each in shelf.promotions.entries() if (each.pair, each.label) == (card.pair, card.label)]
    return {
        **model_answer(found),
        "baseline": found.baseline,
        "answers": shelf.promotions.current(card.pair, card.label) == card.id,
        "relevance": relevance_answer(found),
        "drift": drift_answer(found, service.engine.registry.drift.report(found)),
        "versions": versions,
        "promotions": mine,
        "feedback": {"segments": sum(c.segments for c in counts), "held_back": sum(c.held_back for c in counts)},
    }


def _find(name: str, service: Service) -> Model:
    found = service.engine.models.get(name)
    if found is None:
        raise InputError("not-found", "there is no such model; GET /v1/models lists them", ("model",))
    return found


@router.post("/{model}/promote", response_model=PromotionAnswer)
def promote(model: str, body: PromotionRequest, service: ServiceHere) -> Response:
    """Let this model answer for its pair and label wherever no other is named and what it needs is sent."""
    card = _find(model, service).card
    return _said(service.engine.registry.promotions.promote(card.pair, card.label, card.id, body.reason or "by hand"))


@router.post("/{model}/rollback", response_model=PromotionAnswer)
def roll_back(model: str, body: PromotionRequest, service: ServiceHere) -> Response:
    """Return to what answered before this model was promoted; 409 where it does not answer."""
    card = _find(model, service).card
    promotions = service.engine.registry.promotions
    if promotions.current(card.pair, card.label) != card.id:
        raise InputError("not-promoted", "only the model that was promoted last can be rolled back", ("model",))
    return _said(promotions.roll_back(card.pair, card.label, body.reason))


def _said(entry: Promotion) -> Response:
    return JSONResponse(entry.__dict__)
