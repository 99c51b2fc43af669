"""Learning curves as SVG."""

from collections.abc import Sequence

from app.server.web.charts import INK, category, layer, quantity, svg_of

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
    y = quantity("value", title=along, scale={"zero": False})
    chart = {
        "data": {"values": rows},
        "encoding": {
            "x": quantity("amount", title=across, scale={"type": "log", "nice": False, "padding": 20}, axis={"grid": False}),
            "color": category(
                "name", title=None, scale={"domain": names}, legend={"labelColor": INK, "labelLimit": 260, "symbolOpacity": 1}
            ),
        },
        "layer": [
            layer("line", {"y": y}),
            layer("rule", {"y": quantity("low", title=along), "y2": {"field": "high"}}, strokeWidth=2),
            layer("point", {"y": y, "shape": category("name", legend=None)}, filled=True, size=70, opacity=1),
        ],
        "width": 560,
        "height": 280,
    }
    return svg_of(chart)
