"""Plots of numbers that a page sends or a model's card holds, as SVG."""

from typing import Annotated

import altair as alt
from fastapi import APIRouter, Request
from fastapi.responses import Response
from pydantic import BaseModel, ConfigDict, Field, FiniteFloat

from app.server.web.charts import BEST, INK, WORST, svg_of
from app.server.web.rendering import picture
from app.server.web.texts import Texts, reader_texts

__all__ = ["calibration_svg", "router"]

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


def _answer(chart: alt.LayerChart | alt.Chart, t: Texts) -> Response:
    return picture(svg_of(chart, t.language), t)


@router.post("/scores.svg")
def scores(body: ScoresPlot, request: Request) -> Response:
    """Bar chart of scores with bootstrap intervals."""
    rows = [system.model_dump() for system in body.systems]
    y = alt.Y("system:N", title=None, sort=None, axis=alt.Axis(labelLimit=220))
    data = alt.Data(values=rows)
    bars = (
        alt.Chart(data).mark_bar(color=BEST, opacity=0.75, height={"band": 0.6}).encode(x=alt.X("score:Q", title=body.title), y=y)
    )
    errors = alt.Chart(data).mark_rule(color=INK, strokeWidth=2).encode(x=alt.X("low:Q"), x2=alt.X2("high:Q"), y=y)
    ends = [alt.Chart(data).mark_tick(color=INK, thickness=2, size=12).encode(x=alt.X(f"{end}:Q"), y=y) for end in ("low", "high")]
    return _answer(alt.layer(bars, errors, *ends).properties(width=520, height=34 * len(rows) + 6), reader_texts(request))


@router.post("/buckets.svg")
def buckets(body: BucketsPlot, request: Request) -> Response:
    """Line chart over buckets of length or frequency, with error bars for points that have an interval."""
    rows = [point.model_dump(exclude_none=True) for point in body.points]
    x = alt.X("bucket:N", title=body.axis, sort=None, axis=alt.Axis(labelAngle=0))
    colour = alt.Color(
        "series:N", title=None, scale=alt.Scale(range=[WORST, BEST]), legend=alt.Legend(labelColor=INK, orient="top")
    )
    y = alt.Y("value:Q", title=body.title, scale=alt.Scale(zero=False))
    line = alt.Chart(alt.Data(values=rows)).mark_line(point=True).encode(x=x, y=y, color=colour)
    between = [row for row in rows if "low" in row and "high" in row]
    rules = alt.Chart(alt.Data(values=between)).mark_rule(opacity=0.6).encode(x=x, y="low:Q", y2="high:Q", color=colour)
    return _answer(alt.layer(rules, line).properties(width=540, height=200), reader_texts(request))


@router.post("/curve.svg")
def curve(body: CurvePlot, request: Request) -> Response:
    """Line chart of accuracy against the number of training rows."""
    rows, t = [point.model_dump() for point in body.points], reader_texts(request)
    chart = (
        alt.Chart(alt.Data(values=rows))
        .mark_line(point=alt.OverlayMarkDef(size=70), color=BEST)
        .encode(
            x=alt.X("rows:Q", title=t("training rows, logarithmic"), scale=alt.Scale(type="log"), axis=alt.Axis(grid=False)),
            y=alt.Y("pearson:Q", title=t("Pearson correlation on held-out rows"), scale=alt.Scale(zero=False)),
        )
        .properties(width=540, height=220)
    )
    return _answer(chart, t)


def calibration_svg(rows: list[tuple[float, float]], t: Texts) -> str:
    """Chart of measured against nominal coverage of intervals, in percent, with the diagonal.

    `rows` are pairs (nominal, measured), as shares.
    """
    points = [{"nominal": 100 * nominal, "measured": 100 * measured} for nominal, measured in rows]
    low = min(75.0, *(min(row.values()) for row in points)) - 1
    scale = alt.Scale(domain=[low, 100], nice=False, zero=False)
    ideal = alt.Chart(alt.Data(values=[{"nominal": low, "measured": low}, {"nominal": 100, "measured": 100}]))
    line = ideal.mark_line(color=INK, strokeDash=[5, 4]).encode(
        x=alt.X("nominal:Q", scale=scale), y=alt.Y("measured:Q", scale=scale)
    )
    dots = (
        alt.Chart(alt.Data(values=points))
        .mark_line(color=BEST, point=alt.OverlayMarkDef(size=90, color=BEST))
        .encode(
            x=alt.X("nominal:Q", title=t("promised share of true values, %"), scale=scale),
            y=alt.Y("measured:Q", title=t("measured share of true values, %"), scale=scale),
        )
    )
    return svg_of(alt.layer(line, dots).properties(width=300, height=240), t.language)
