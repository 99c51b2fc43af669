"""Learning curves as SVG."""

from collections.abc import Sequence

import altair as alt

from app.server.web.charts import INK, svg_of

__all__ = ["curves_svg"]


def curves_svg(points: Sequence[tuple[str, int, float, float, float]], across: str, along: str) -> str:
    """SVG with a line per name over amounts, on a logarithmic axis, with intervals; points are name, amount, value, low, high."""
    names = list(dict.fromkeys(name for name, *_ in points))
    # Shifts by name separate the intervals of one amount.
    shifts = {name: 1.02 ** (2 * place - len(names) + 1) for place, name in enumerate(names)}
    rows = [
        {"name": name, "amount": amount * shifts[name], "value": value, "low": low, "high": high}
        for name, amount, value, low, high in points
        if amount > 0
    ]
    encoding = {
        "x": alt.X("amount:Q", title=across, scale=alt.Scale(type="log", nice=False, padding=20), axis=alt.Axis(grid=False)),
        "color": alt.Color(
            "name:N", title=None, scale=alt.Scale(domain=names), legend=alt.Legend(labelColor=INK, labelLimit=260, symbolOpacity=1)
        ),
    }
    y = alt.Y("value:Q", title=along, scale=alt.Scale(zero=False))
    chart = alt.Chart(alt.Data(values=rows))
    line = chart.mark_line().encode(y=y, **encoding)
    rule = chart.mark_rule(strokeWidth=2).encode(y=alt.Y("low:Q", title=along), y2="high:Q", **encoding)
    mark = chart.mark_point(filled=True, size=70, opacity=1).encode(y=y, shape=alt.Shape("name:N", legend=None), **encoding)
    return svg_of((line + rule + mark).properties(width=560, height=280))
