"""Pages of tuning and reranking: forms, curves of running jobs, and plots of curves and weights."""

from collections.abc import Mapping
from typing import Annotated, Final

import altair as alt
from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response
from pydantic import Field

from app.server.service.access import RequestAccess
from app.server.web.charts import BEST, INK, svg_of
from app.server.web.pairs import language_choice
from app.server.web.plots import Drawable, Drawn, Name
from app.server.web.rendering import page, picture
from app.server.web.texts import reader_texts
from app.smt.operations.rerank.features import SETS_OF_FEATURES
from app.smt.operations.tune import CURVE
from app.smt.tuning.methods import METHODS
from app.text.reading.options import Choice, Option

__all__ = ["router"]

router = APIRouter(include_in_schema=False)
MOST_RUNS: Final = 100
MOST_POINTS: Final = 200
MOST_WEIGHTS: Final = 60
MOST_ITERATIONS: Final = 10**9
# Metrics that the page suggests; users can type any other.
TOWARDS: Final = ("bleu", "chrf", "chrf++", "ter", "sbleu", "simpbleu:PABC4", "beer")


class TuningPoint(Drawn):
    """A score after a number of iterations."""

    iteration: Annotated[int, Field(ge=0, le=MOST_ITERATIONS)]
    score: Drawable


class TuningCurve(Drawn):
    """The curve of one run."""

    seed: Annotated[int, Field(ge=0)]
    curve: Annotated[list[TuningPoint], Field(max_length=MOST_POINTS)]


class CurvesPlot(Drawn):
    """The curves of all runs."""

    title: Name
    runs: Annotated[list[TuningCurve], Field(min_length=1, max_length=MOST_RUNS)]


class DrawnWeight(Drawn):
    """The effect of a weight, with the least and largest effect of all runs."""

    feature: Name
    effect: Drawable
    low: Drawable
    high: Drawable


class WeightsPlot(Drawn):
    """Effects of features' weights."""

    weights: Annotated[list[DrawnWeight], Field(min_length=1, max_length=MOST_WEIGHTS)]


@router.get("/tune")
def tuning(request: Request, access: RequestAccess) -> Response:
    """Show the form of tuning, and its results."""
    if not access.ready:
        return page(request, "loading.html", failed=access.failed)
    methods = [{"name": name, "options": _spelled(method.options)} for name, method in METHODS.items()]
    return page(request, "tune.html", methods=methods, metrics=TOWARDS)


def _spelled(options: Mapping[str, Option]) -> str:
    """Spell the options of a method with their defaults."""
    return "|".join(f"{name}:{_default(option)}" for name, option in options.items())


def _default(option: Option) -> str:
    if isinstance(option, Choice):
        return next(word for word, value in option.values.items() if value == option.default)
    return f"{option.default:g}" if isinstance(option.default, float) else str(option.default)


@router.get("/rerank")
def reranking(request: Request, access: RequestAccess) -> Response:
    """Show the form of reranking, and the changed segments."""
    if not access.ready:
        return page(request, "loading.html", failed=access.failed)
    return page(request, "rerank.html", **language_choice(access), sets=SETS_OF_FEATURES, metrics=TOWARDS)


@router.get("/tune/jobs/{id}/curves.json")
def curves_so_far(id: str, access: RequestAccess) -> Response:
    """Return the curves of a running job."""
    return JSONResponse({"runs": access.published(id, CURVE) or []}, headers={"Cache-Control": "no-store"})


@router.post("/plots/tuning.svg")
def curves(body: CurvesPlot, request: Request) -> Response:
    """Draw a line for each run."""
    t = reader_texts(request)
    rows = [{"seed": str(run.seed), **point.model_dump()} for run in body.runs for point in run.curve]
    chart = (
        alt.Chart(alt.Data(values=rows))
        .mark_line(point=alt.OverlayMarkDef(size=25), strokeWidth=1.5, opacity=0.8)
        .encode(
            x=alt.X("iteration:Q", title=t("iterations"), axis=alt.Axis(grid=False, tickMinStep=1)),
            y=alt.Y("score:Q", title=body.title, scale=alt.Scale(zero=False)),
            color=alt.Color("seed:N", sort=None, scale=alt.Scale(scheme="dark2"), legend=_legend(len(body.runs), t("seed"))),
        )
        .properties(width=560, height=240)
    )
    return picture(svg_of(chart, t.language), t)


def _legend(runs: int, title: str) -> alt.Legend | None:
    """Return a legend for 2 to 8 runs, else None."""
    has_legend = 1 < runs <= 8
    return alt.Legend(title=title, labelColor=INK, titleColor=INK, orient="top") if has_legend else None


@router.post("/plots/weights.svg")
def weights(body: WeightsPlot, request: Request) -> Response:
    """Draw a bar for each weight, with its range over runs."""
    t = reader_texts(request)
    data = alt.Data(values=[weight.model_dump() for weight in body.weights])
    y = alt.Y("feature:N", title=None, sort=None, axis=alt.Axis(labelLimit=220))
    bars = (
        alt.Chart(data).mark_bar(color=BEST, opacity=0.75, height={"band": 0.6}).encode(x=alt.X("effect:Q", title=t("effect")), y=y)
    )
    ranges = alt.Chart(data).mark_rule(color=INK, strokeWidth=2).encode(x=alt.X("low:Q"), x2=alt.X2("high:Q"), y=y)
    ends = [alt.Chart(data).mark_tick(color=INK, thickness=2, size=10).encode(x=alt.X(f"{end}:Q"), y=y) for end in ("low", "high")]
    chart = alt.layer(bars, ranges, *ends).properties(width=520, height=24 * len(body.weights) + 6)
    return picture(svg_of(chart, t.language), t)
