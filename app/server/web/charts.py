"""Plots as SVG, drawn on the server without any network."""

from collections.abc import Sequence

import altair as alt
import numpy as np
import vl_convert

from app.predictors import Label
from app.server.web.languages import LANGUAGES, WRITTEN_IN, PageLanguage
from app.server.web.texts import Texts

__all__ = ["BEST", "INK", "MIDDLE", "WORST", "curve_svg", "histogram_svg", "relevance_svg", "svg_of"]

WORST, MIDDLE, BEST, INK = "#c8553d", "#dba63f", "#2a7f62", "#7a7f87"


def _bins(scores: Sequence[float], label: Label) -> tuple[list[float], list[int]]:
    """Edges (21,) and counts (20,) of bins over the label's range, or over the range of the scores if a label has no bound."""
    values = np.array(scores, np.float64)
    low = label.lowest if label.lowest is not None else float(np.floor(values.min() * 4) / 4)
    high = label.highest if label.highest is not None else float(np.ceil(values.max() * 4) / 4)
    if high <= low:
        high = low + 0.25
    counts, edges = np.histogram(values, np.linspace(low, high, 21))
    return edges.tolist(), counts.tolist()


def histogram_svg(scores: Sequence[float], label: Label, t: Texts) -> str:
    """Histogram of segments by score, coloured from worst to best."""
    edges, counts = _bins(scores, label)
    percent = label.name == "hter"
    factor = 100.0 if percent else 1.0
    rows = [
        {"from": factor * a, "to": factor * b, "segments": count, "middle": factor * (a + b) / 2}
        for a, b, count in zip(edges, edges[1:], counts, strict=False)
    ]
    colours = [WORST, MIDDLE, BEST] if label.higher_is_better else [BEST, MIDDLE, WORST]
    ends = factor * edges[0], factor * edges[-1]
    title = (
        t("predicted edits per 100 words") if percent else t("predicted {label}, {unit}", label=t(label.title), unit=t(label.unit))
    )
    chart = (
        alt.Chart(alt.Data(values=rows))
        .mark_rect()
        .encode(
            x=alt.X("from:Q", title=title, axis=alt.Axis(tickCount=10, grid=False)),
            x2=alt.X2("to:Q"),
            y=alt.Y("segments:Q", title=t("segments"), axis=alt.Axis(format="d", tickCount=min(4, max(counts)))),
            y2=alt.Y2(datum=0),
            color=alt.Color("middle:Q", legend=None, scale=alt.Scale(domain=[ends[0], sum(ends) / 2, ends[1]], range=colours)),
        )
        .properties(width=620, height=150)
    )
    return svg_of(chart, t.language)


def relevance_svg(relevances: Sequence[tuple[str, float]], t: Texts) -> str:
    """Bar chart of the relevance of each feature, in the given order."""
    rows = [{"feature": name, "share": 100.0 * value} for name, value in relevances]
    chart = (
        alt.Chart(alt.Data(values=rows))
        .mark_bar(color=BEST, height=9)
        .encode(
            x=alt.X("share:Q", title=t("influence, % of all features"), axis=alt.Axis(grid=True)),
            y=alt.Y("feature:N", title=None, sort=None, axis=alt.Axis(labelLimit=260)),
        )
        .properties(width=420, height=16 * len(rows), padding={"left": 40, "right": 5, "top": 5, "bottom": 5})
    )
    return svg_of(chart, t.language)


def curve_svg(points: Sequence[tuple[int, float]], chosen: int) -> str:
    """Line chart of accuracy against the number of features, with a mark at `chosen`."""
    rows = [{"features": size, "pearson": value} for size, value in points]
    axes = {
        "x": alt.X("features:Q", title="features, logarithmic", scale=alt.Scale(type="log"), axis=alt.Axis(grid=False)),
        "y": alt.Y("pearson:Q", title="Pearson's correlation", scale=alt.Scale(zero=False)),
    }
    line = alt.Chart(alt.Data(values=rows)).mark_line(point=True, color=BEST).encode(**axes)
    marks = [row for row in rows if row["features"] == chosen]
    mark = alt.Chart(alt.Data(values=marks)).mark_point(size=160, color=WORST, strokeWidth=2).encode(**axes)
    return svg_of((line + mark).properties(width=560, height=240))


def svg_of(chart: alt.Chart | alt.LayerChart, language: PageLanguage = LANGUAGES[WRITTEN_IN]) -> str:
    """Draw a chart in colours for light and dark pages, with numbers in the format of `language`; no network."""
    plain = (
        chart.properties(background="transparent")
        .configure_axis(
            labelColor=INK, titleColor=INK, gridColor=INK, gridOpacity=0.25, domainColor=INK, tickColor=INK,
            titleFontWeight="normal", titleFontSize=13, labelFontSize=12,
        )
        .configure_view(stroke=None)
    )  # fmt: skip
    numbers = {"decimal": language.decimal, "thousands": language.group, "grouping": [3], "currency": ["", ""]}
    svg: str = vl_convert.vegalite_to_svg(plain.to_json(), allowed_base_urls=[], format_locale=numbers)
    return svg
