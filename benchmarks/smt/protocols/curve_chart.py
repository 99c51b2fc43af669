"""Learning curves as SVG."""

from collections.abc import Sequence

import altair as alt

from app.server.web.charts import INK, svg_of

__all__ = ["curves_svg"]


def curves_svg(points: Sequence[tuple[str, int, float, float, float]], across: str, along: str) -> str:
    """A line for each name over amounts, on a logarithmic axis, with intervals: points are name, amount, value, low, high."""
    names = list(dict.fromkeys(name for name, *_ in points))
    # Names of one amount stand a little apart, so that their intervals are seen.
    apart = {name: 1.02 ** (2 * place - len(names) + 1) for place, name in enumerate(names)}
    rows = [
        {"name": name, "amount": amount * apart[name], "value": value, "low": low, "high": high}
        for name, amount, value, low, high in points
        if amount > 0
    ]
    own = {
        "x": alt.X("amount:Q", title=across, scale=alt.Scale(type="log", nice=False, padding=20), axis=alt.Axis(grid=False)),
        "color": alt.Color(
            "name:N", title=None, scale=alt.Scale(domain=names), legend=alt.Legend(labelColor=INK, labelLimit=260, symbolOpacity=1)
        ),
    }
    y = alt.Y("value:Q", title=along, scale=alt.Scale(zero=False))
    drawn = alt.Chart(alt.Data(values=rows))
    line = drawn.mark_line().encode(y=y, **own)
    rule = drawn.mark_rule(strokeWidth=2).encode(y=alt.Y("low:Q", title=along), y2="high:Q", **own)
    mark = drawn.mark_point(filled=True, size=70, opacity=1).encode(y=y, shape=alt.Shape("name:N", legend=None), **own)
    return svg_of((line + rule + mark).properties(width=560, height=280))
