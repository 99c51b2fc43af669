"""Pages of tuning and reranking: forms, curves of running jobs, and plots of curves and weights."""

from collections.abc import Mapping
from typing import Annotated, Final

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response
from pydantic import Field

from app.server.service.access import RequestAccess
from app.server.web.charts import INK, Chart, category, quantity, svg_of
from app.server.web.pairs import language_choice
from app.server.web.plots import Drawable, Drawn, Name, interval_bars
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
# A tuning begins with a seed of at most 2**31; each of its runs has the next one.
LARGEST_SEED: Final = 2**32
# Metrics that the page suggests; users can type any other.
TOWARDS: Final = ("bleu", "chrf", "chrf++", "ter", "sbleu", "simpbleu:PABC4", "beer")


class TuningPoint(Drawn):
    """A score after a number of iterations."""

    iteration: Annotated[int, Field(ge=0, le=MOST_ITERATIONS)]
    score: Drawable


class TuningCurve(Drawn):
    """The curve of one run."""

    seed: Annotated[int, Field(ge=0, le=LARGEST_SEED)]
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
    chart = {
        "data": {"values": [{"seed": str(run.seed), **point.model_dump()} for run in body.runs for point in run.curve]},
        "mark": {"type": "line", "point": {"size": 25}, "strokeWidth": 1.5, "opacity": 0.8},
        "encoding": {
            "x": quantity("iteration", title=t("iterations"), axis={"grid": False, "tickMinStep": 1}),
            "y": quantity("score", title=body.title, scale={"zero": False}),
            "color": category("seed", sort=None, scale={"scheme": "dark2"}, legend=_legend(len(body.runs), t("seed"))),
        },
        "width": 560,
        "height": 240,
    }
    return picture(svg_of(chart, t.language), t)


def _legend(runs: int, title: str) -> Chart | None:
    """Return a legend for 2 to 8 runs, else None."""
    return {"title": title, "labelColor": INK, "titleColor": INK, "orient": "top"} if 1 < runs <= 8 else None


@router.post("/plots/weights.svg")
def weights(body: WeightsPlot, request: Request) -> Response:
    """Draw a bar for each weight, with its range over runs."""
    t = reader_texts(request)
    rows = [weight.model_dump() for weight in body.weights]
    return picture(svg_of(interval_bars(rows, "feature", "effect", t("effect"), step=24, tick=10), t.language), t)
