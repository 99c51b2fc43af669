"""Plots as SVG, drawn on the server without any network. A chart is a specification of Vega-Lite 6.4."""

import json
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

import numpy as np
import vl_convert

from app.errors import InputError
from app.predictors import Label
from app.server.web.languages import LANGUAGES, WRITTEN_IN, PageLanguage
from app.server.web.scale import probability_title
from app.server.web.texts import Texts

__all__ = [
    "BEST",
    "INK",
    "WORST",
    "Chart",
    "category",
    "curve_svg",
    "histogram_svg",
    "layer",
    "quantity",
    "relevance_svg",
    "svg_of",
]

Chart = dict[str, Any]
WORST, MIDDLE, BEST, INK = "#c8553d", "#dba63f", "#2a7f62", "#7a7f87"
AXIS: Final = {
    "labelColor": INK, "titleColor": INK, "gridColor": INK, "gridOpacity": 0.25, "domainColor": INK, "tickColor": INK,
    "titleFontWeight": "normal", "titleFontSize": 13, "labelFontSize": 12,
}  # fmt: skip

# A character that XML forbids ends the process of the drawing library. A line break or a backslash in a title ends a text within
# an expression of Vega, and its rest would be computed.
UNDRAWABLE: Final = re.compile(r"[^ -\[\]-\u2027\u202a-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
ASTRAL: Final = re.compile("[\U00010000-\U0010ffff]")
JAVASCRIPT_NAMES: Final = frozenset({
    "__defineGetter__", "__defineSetter__", "__lookupGetter__", "__lookupSetter__", "__proto__", "constructor", "hasOwnProperty",
    "isPrototypeOf", "propertyIsEnumerable", "toLocaleString", "toString", "valueOf",
})  # fmt: skip


def quantity(field: str, **settings: object) -> Chart:
    """Channel of a field with numbers; settings are Vega-Lite's, such as `title`, `axis` and `scale`."""
    return {"field": field, "type": "quantitative", **settings}


def category(field: str, **settings: object) -> Chart:
    """Channel of a field with names; settings are Vega-Lite's, such as `title`, `sort` and `legend`."""
    return {"field": field, "type": "nominal", **settings}


def layer(kind: str, encoding: Chart, **settings: object) -> Chart:
    """Marks of one kind with their channels; settings are Vega-Lite's, such as `color` and `size`."""
    return {"mark": {"type": kind, **settings}, "encoding": encoding}


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
    title = t("predicted edits per 100 words") if percent else probability_title(label, t)
    title = title or t("predicted {label}, {unit}", label=t(label.title), unit=t(label.unit))
    chart = {
        "data": {"values": rows},
        "mark": "rect",
        "encoding": {
            "x": quantity("from", title=title, axis={"tickCount": 10, "grid": False}),
            "x2": {"field": "to"},
            "y": quantity("segments", title=t("segments"), axis={"format": "d", "tickCount": min(4, max(counts))}),
            "y2": {"datum": 0},
            "color": quantity("middle", legend=None, scale={"domain": [ends[0], sum(ends) / 2, ends[1]], "range": colours}),
        },
        "width": 620,
        "height": 150,
    }
    return svg_of(chart, t.language)


def relevance_svg(relevances: Sequence[tuple[str, float]], t: Texts) -> str:
    """Bar chart of the relevance of each feature, in the given order."""
    chart = {
        "data": {"values": [{"feature": name, "share": 100.0 * value} for name, value in relevances]},
        "mark": {"type": "bar", "color": BEST, "height": 9},
        "encoding": {
            "x": quantity("share", title=t("influence, % of all features"), axis={"grid": True}),
            "y": category("feature", title=None, sort=None, axis={"labelLimit": 260}),
        },
        "width": 420,
        "height": 16 * len(relevances),
        "padding": {"left": 40, "right": 5, "top": 5, "bottom": 5},
    }
    return svg_of(chart, t.language)


def curve_svg(points: Sequence[tuple[int, float]], chosen: int) -> str:
    """Line chart of accuracy against the number of features, with a mark at `chosen`."""
    rows = [{"features": size, "pearson": value} for size, value in points]
    marks = [row for row in rows if row["features"] == chosen]
    chart = {
        "encoding": {
            "x": quantity("features", title="features, logarithmic", scale={"type": "log"}, axis={"grid": False}),
            "y": quantity("pearson", title="Pearson's correlation", scale={"zero": False}),
        },
        "layer": [
            {"data": {"values": rows}, "mark": {"type": "line", "point": True, "color": BEST}},
            {"data": {"values": marks}, "mark": {"type": "point", "size": 160, "color": WORST, "strokeWidth": 2}},
        ],
        "width": 560,
        "height": 240,
    }
    return svg_of(chart)


def svg_of(chart: Chart, language: PageLanguage = LANGUAGES[WRITTEN_IN]) -> str:
    """Draw a chart in colours for light and dark pages, with numbers in the format of `language`; no network."""
    plain = {**chart, "background": "transparent", "config": {"axis": AXIS, "view": {"stroke": None}}}
    numbers = {"decimal": language.decimal, "thousands": language.group, "grouping": [3], "currency": ["", ""]}
    spec = json.dumps(_drawable(plain), ensure_ascii=False)
    try:
        return _svg(spec, numbers)
    except ValueError:
        # Vega cuts a long label between both halves of such a character.
        with suppress(ValueError):
            return _svg(ASTRAL.sub("\ufffd", spec), numbers)
        raise InputError("invalid-character", "a chart cannot be drawn with these names; use others") from None


def _svg(spec: str, numbers: dict[str, Any]) -> str:
    svg: str = vl_convert.vegalite_to_svg(spec, vl_version="6.4", allowed_base_urls=[], format_locale=numbers)
    return svg


def _drawable(part: object) -> object:
    """Part of a specification whose texts have a blank, a similar stroke or U+FFFD in place of each undrawable character."""
    if isinstance(part, str):
        # Vega looks texts up in objects, where these names have a meaning.
        return UNDRAWABLE.sub(_replacement, f"{part} " if part in JAVASCRIPT_NAMES else part)
    if isinstance(part, Mapping):
        return {_drawable(name): _drawable(value) for name, value in part.items()}
    return [_drawable(item) for item in part] if isinstance(part, list) else part


def _replacement(match: re.Match[str]) -> str:
    return "\u29f5" if match[0] == "\\" else " " if match[0].isspace() else "\ufffd"
