"""The pages of models: what there is, and of one its accuracy, calibration, relevance, versions, feedback and drift."""

from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import Response

from app.errors import InputError
from app.model_answers import drift_answer, relevance_answer
from app.predictors import Model
from app.service import Service
from app.web.charts import relevance_svg
from app.web.plots import calibration_svg
from app.web.rendering import page

__all__ = ["router"]

router = APIRouter(include_in_schema=False)
# Bars in the plot; the table below it holds all features.
MOST_BARS = 30
MEASURES = ("pearson", "spearman", "kendall", "mae", "rmse", "delta_avg")


def _service(request: Request) -> Service:
    service: Service = request.app.state.service
    return service


def _model(request: Request, name: str) -> Model:
    found = _service(request).engine.models.get(name)
    if found is None:
        raise InputError("not-found", "there is no such model", ("model",))
    return found


@router.get("/models")
def models(request: Request) -> Response:
    """All predictors, by pair and label."""
    service = _service(request)
    shelf = service.engine.registry
    rows = [
        {"card": each.card, "answers": shelf.promotions.current(each.card.pair, each.card.label) == each.card.id}
        for each in service.engine.models.values()
    ]
    return page(request, "models.html", models=rows)


@router.get("/models/{model}")
def model(model: str, request: Request) -> Response:
    """One predictor."""
    found, service = _model(request, model), _service(request)
    card, shelf = found.card, service.engine.registry
    counts = [each for each in service.feedback.counts() if (each.pair, each.label) == (card.pair, card.label)]
    measures: dict[str, Any] = {name: card.accuracy[name] for name in MEASURES if name in card.accuracy}
    return page(
        request,
        "model.html",
        card=card,
        measures=measures,
        relevance=relevance_answer(found),
        bars=MOST_BARS,
        drift=drift_answer(found, service.engine.registry.drift.report(found)),
        versions=[each.card for each in shelf.versions(card.id)],
        promoted=shelf.promotions.current(card.pair, card.label),
        feedback=sum(each.segments for each in counts),
    )


@router.get("/models/{model}/relevance.svg")
def relevance(model: str, request: Request) -> Response:
    """The plot of a model's relevances."""
    rows = relevance_answer(_model(request, model))
    if rows is None:
        raise InputError("not-found", "this learner does not say how relevant features are", ("model",))
    svg = relevance_svg([(row["name"], row["relevance"]) for row in rows[:MOST_BARS]])
    return Response(svg, media_type="image/svg+xml", headers={"Cache-Control": "private, max-age=3600"})


@router.get("/models/{model}/calibration.svg")
def calibration(model: str, request: Request) -> Response:
    """The plot of what a model's intervals were meant to hold and what they held."""
    rows = _model(request, model).card.accuracy["intervals"]
    svg = calibration_svg([(row["coverage"], row["measured"]) for row in rows])
    return Response(svg, media_type="image/svg+xml", headers={"Cache-Control": "private, max-age=3600"})
