"""The pages of models: a list, and for each model its accuracy, calibration, relevance, versions, feedback and drift."""

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response

from app.errors import InputError
from app.operations.models import drift_answer, find_model, relevance_answer
from app.operations.parts.about_models import broken_rows
from app.server.service.access import RequestAccess
from app.server.web.charts import relevance_svg
from app.server.web.model_groups import groups_of_models
from app.server.web.plots import calibration_svg
from app.server.web.rendering import page, picture
from app.server.web.texts import reader_texts
from app.text import LanguagePair
from app.text.languages import ANY_PAIR

__all__ = ["router"]

router = APIRouter(include_in_schema=False)
# Bars in the plot; the table below it has all features.
MOST_BARS = 30
MEASURES = ("pearson", "spearman", "kendall", "mae", "rmse", "delta_avg")


@router.get("/models")
def models(
    request: Request,
    access: RequestAccess,
    pair: Annotated[str, Query(max_length=100)] = "",
    label: Annotated[str, Query(max_length=100)] = "",
) -> Response:
    """Predictors by pair, or those of one pair or label."""
    engine, t = access.engine, reader_texts(request)
    predictors = list(engine.models.values())
    return page(
        request,
        "models.html",
        groups=groups_of_models(engine, t, pair, label),
        pairs=sorted({model.card.pair for model in predictors}, key=lambda tag: (tag == ANY_PAIR, tag)),
        labels=sorted({model.card.label: t(model.label.title) for model in predictors}.items()),
        pair=pair,
        label=label,
        broken=broken_rows(engine.registry.broken_models),
    )


@router.get("/models/{model}")
def model(model: str, request: Request, access: RequestAccess) -> Response:
    """The page of a predictor."""
    predictor, registry = find_model(access.engine, model), access.engine.registry
    card = predictor.card
    counts = [count for count in access.feedback.counts() if (count.pair, count.label) == (card.pair, card.label)]
    measures: dict[str, Any] = {name: value for name in MEASURES if isinstance(value := card.accuracy.get(name), int | float)}
    return page(
        request,
        "model.html",
        card=card,
        label=predictor.label,
        pair=None if card.pair == ANY_PAIR else LanguagePair.parse(card.pair),
        cautions=access.engine.cautions(predictor),
        measures=measures,
        relevance=relevance_answer(predictor),
        bars=MOST_BARS,
        drift=drift_answer(predictor, registry.drift.report(predictor)),
        versions=[version.card for version in registry.versions(card.id)],
        promoted=registry.current(card.pair, card.label),
        feedback=sum(count.segments for count in counts),
    )


@router.get("/models/{model}/relevance.svg")
def relevance(model: str, request: Request, access: RequestAccess) -> Response:
    """The plot of a model's relevances."""
    rows = relevance_answer(find_model(access.engine, model))
    if rows is None:
        raise InputError("not-found", "this learner does not report the influence of features", ("model",))
    t = reader_texts(request)
    return picture(relevance_svg([(row["name"], row["relevance"]) for row in rows[:MOST_BARS]], t), t)


@router.get("/models/{model}/calibration.svg")
def calibration(model: str, request: Request, access: RequestAccess) -> Response:
    """The plot of nominal and measured coverage of a model's intervals."""
    rows = find_model(access.engine, model).card.accuracy["intervals"]
    t = reader_texts(request)
    return picture(calibration_svg([(row["coverage"], row["measured"]) for row in rows], t), t)
