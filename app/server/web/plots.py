"""Plots of numbers that a page sends or a model's card holds, as SVG."""

from collections.abc import Mapping, Sequence
from typing import Annotated

from fastapi import APIRouter, Request
from fastapi.responses import Response
from pydantic import BaseModel, ConfigDict, Field, FiniteFloat

from app.server.web.charts import BEST, INK, WORST, Chart, category, layer, quantity, svg_of
from app.server.web.rendering import picture
from app.server.web.texts import Texts, reader_texts

__all__ = ["calibration_svg", "interval_bars", "router"]

router = APIRouter(prefix="/plots", include_in_schema=False)
Name = Annotated[str, Field(max_length=100)]
MOST_POINTS = 200
MOST_ROWS = 10**12
# An axis needs finite differences between its numbers, and ticks between them.
Drawable = Annotated[FiniteFloat, Field(ge=-1e12, le=1e12)]


class Drawn(BaseModel):
    """Body of a plot, with limits on all numbers, texts and lists."""

    model_config = ConfigDict(extra="forbid")


class ScoredSystem(Drawn):
    """Score of a system with the ends of its interval."""

    system: Name
    score: Drawable
    low: Drawable
    high: Drawable


class ScoresPlot(Drawn):
    """Scores of systems by one metric."""

    title: Name
    systems: Annotated[list[ScoredSystem], Field(min_length=1, max_length=64)]


class Point(Drawn):
    """Value of a series in one bucket, with the ends of its interval, if any."""

    series: Name
    bucket: Name
    value: Drawable
    low: Drawable | None = None
    high: Drawable | None = None


class BucketsPlot(Drawn):
    """Series over buckets."""

    title: Name
    axis: Name
    points: Annotated[list[Point], Field(min_length=1, max_length=MOST_POINTS)]


class CurveRow(Drawn):
    """Accuracy of a model trained on a number of rows."""

    rows: Annotated[int, Field(ge=1, le=MOST_ROWS)]
    pearson: Drawable
    mae: Drawable


class CurvePlot(Drawn):
    """A learning curve."""

    points: Annotated[list[CurveRow], Field(min_length=1, max_length=50)]


class FeaturePlot(Drawn):
    """Distribution of a feature in training, as edges and shares of an answer about features, and a value."""

    title: Name
    edges: Annotated[list[Drawable], Field(min_length=1, max_length=100)]
    shares: Annotated[list[Annotated[FiniteFloat, Field(ge=0, le=1)]], Field(min_length=2, max_length=101)]
    value: Drawable


def interval_bars(rows: Sequence[Mapping[str, object]], name: str, value: str, title: str, step: int, tick: int) -> Chart:
    """Bars of the field `value` by the field `name`, with intervals from `low` to `high`.

    A row is `step` pixels high, and the ends of its interval `tick` pixels.
    """
    return {
        "data": {"values": rows},
        "encoding": {"y": category(name, title=None, sort=None, axis={"labelLimit": 220})},
        "layer": [
            layer("bar", {"x": quantity(value, title=title)}, color=BEST, opacity=0.75, height={"band": 0.6}),
            layer("rule", {"x": quantity("low"), "x2": {"field": "high"}}, color=INK, strokeWidth=2),
            *(layer("tick", {"x": quantity(end)}, color=INK, thickness=2, size=tick) for end in ("low", "high")),
        ],
        "width": 520,
        "height": step * len(rows) + 6,
    }


def _answer(chart: Chart, t: Texts) -> Response:
    return picture(svg_of(chart, t.language), t)


@router.post("/scores.svg")
def scores(body: ScoresPlot, request: Request) -> Response:
    """Bar chart of scores with bootstrap intervals."""
    rows = [system.model_dump() for system in body.systems]
    return _answer(interval_bars(rows, "system", "score", body.title, step=34, tick=12), reader_texts(request))


@router.post("/buckets.svg")
def buckets(body: BucketsPlot, request: Request) -> Response:
    """Line chart over buckets of length or frequency, with error bars for points that have an interval."""
    rows = [point.model_dump(exclude_none=True) for point in body.points]
    between = [row for row in rows if "low" in row and "high" in row]
    y = quantity("value", title=body.title, scale={"zero": False})
    chart = {
        "encoding": {
            "x": category("bucket", title=body.axis, sort=None, axis={"labelAngle": 0}),
            "color": category("series", title=None, scale={"range": [WORST, BEST]}, legend={"labelColor": INK, "orient": "top"}),
        },
        "layer": [
            {"data": {"values": between}, **layer("rule", {"y": quantity("low"), "y2": {"field": "high"}}, opacity=0.6)},
            {"data": {"values": rows}, **layer("line", {"y": y}, point=True)},
        ],
        "width": 540,
        "height": 200,
    }
    return _answer(chart, reader_texts(request))


@router.post("/curve.svg")
def curve(body: CurvePlot, request: Request) -> Response:
    """Line chart of accuracy against the number of training rows."""
    t = reader_texts(request)
    chart = {
        "data": {"values": [point.model_dump() for point in body.points]},
        "mark": {"type": "line", "point": {"size": 70}, "color": BEST},
        "encoding": {
            "x": quantity("rows", title=t("training rows, logarithmic"), scale={"type": "log"}, axis={"grid": False}),
            "y": quantity("pearson", title=t("Pearson correlation on held-out rows"), scale={"zero": False}),
        },
        "width": 540,
        "height": 220,
    }
    return _answer(chart, t)


@router.post("/feature.svg")
def feature(body: FeaturePlot, request: Request) -> Response:
    """Histogram of a feature in training with a line at a value; the area of a bar is its share of the training segments."""
    t = reader_texts(request)
    inner = zip(body.edges, body.edges[1:], body.shares[1:], strict=False)
    bars = [{"from": low, "to": high, "height": 100 * share / (high - low)} for low, high, share in inner if high > low]
    axis = {"labels": False, "ticks": False, "grid": False}
    chart = {
        "layer": [
            {
                "data": {"values": bars},
                "mark": {"type": "rect", "color": BEST, "opacity": 0.6},
                "encoding": {
                    "x": quantity("from", title=body.title, scale={"zero": False, "nice": False}, axis={"grid": False}),
                    "x2": {"field": "to"},
                    "y": quantity("height", title=t("training segments"), axis=axis),
                    "y2": {"datum": 0},
                },
            },
            {
                "data": {"values": [{"value": body.value}]},
                "mark": {"type": "rule", "color": WORST, "strokeWidth": 3},
                "encoding": {"x": quantity("value")},
            },
        ],
        "width": 540,
        "height": 160,
    }
    return _answer(chart, t)


def calibration_svg(rows: list[tuple[float, float]], t: Texts) -> str:
    """Chart of measured against nominal coverage of intervals, in percent, with the diagonal.

    `rows` are pairs (nominal, measured), as shares.
    """
    points = [{"nominal": 100 * nominal, "measured": 100 * measured} for nominal, measured in rows]
    low = min(75.0, *(min(row.values()) for row in points)) - 1
    scale = {"domain": [low, 100], "nice": False, "zero": False}
    diagonal = [{"nominal": low, "measured": low}, {"nominal": 100, "measured": 100}]
    chart = {
        "encoding": {
            "x": quantity("nominal", title=t("promised share of true values, %"), scale=scale),
            "y": quantity("measured", title=t("measured share of true values, %"), scale=scale),
        },
        "layer": [
            {"data": {"values": diagonal}, "mark": {"type": "line", "color": INK, "strokeDash": [5, 4]}},
            {"data": {"values": points}, "mark": {"type": "line", "color": BEST, "point": {"size": 90, "color": BEST}}},
        ],
        "width": 300,
        "height": 240,
    }
    return svg_of(chart, t.language)
