"""Profiles of reordering as a page to send: for each distribution a plot, and a table with its numbers."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from math import floor, log10
from typing import Any, Final

from app.server.web.charts import BEST, INK, Chart, category, quantity, svg_of
from app.shell.comparison.sent_page import sent_page, wide_table
from app.smt.preordering.profile import FARTHEST, ReorderingProfile

__all__ = ["reordering_page"]

# Operators with rows of their own; rarer ones share a row.
OPERATORS_SHOWN: Final = 14
# Operators with more children have no example: it would be as long as their name.
LONGEST_EXAMPLE: Final = 8
LONGEST_LABEL: Final = 24
ARITIES: Final = {
    "one phrase": (1, 1), "2": (2, 3), "4": (4, 4), "5": (5, 5), "6–7": (6, 7), "8–10": (8, 10), "11 or more": (11, None),
}  # fmt: skip
DISTANCES: Final = {
    **{str(distance): (distance, distance) for distance in range(7)},
    "7–10": (7, 10), "11–20": (11, 20), f"21–{FARTHEST - 1}": (21, FARTHEST - 1), f"{FARTHEST} or more": (FARTHEST, None),
}  # fmt: skip
SUMMARY: Final[Mapping[str, Callable[[ReorderingProfile], str]]] = {
    "sentences": lambda p: f"{p.sentences:,}",
    "sentences with links": lambda p: _percent(p.linked_sentences, p.sentences),
    "source words": lambda p: f"{p.words:,}",
    "source words with links": lambda p: _percent(p.linked_words, p.words),
    "pairs of source words in the order of the target": lambda p: _percent(p.kendall),
    "sentences that binary trees can reorder": lambda p: _percent(p.coverage()),
    "sentences that operators of up to 5 children can reorder": lambda p: _percent(p.coverage(5)),
    "steps to the next word": lambda p: _percent(p.near_steps(0)),
    "steps over at most 6 words, the default limit of decoders": lambda p: _percent(p.near_steps(6)),
}


@dataclass(frozen=True)
class _Plot:
    """Counts of a distribution: for each row a count of each corpus, and an example if any. Rows in order have running sums."""

    title: str
    about: str
    heading: str
    unit: str
    rows: Mapping[str, Sequence[int]]
    logarithmic: bool = False
    examples: Mapping[str, str] | None = None


def reordering_page(profiles: Mapping[str, ReorderingProfile]) -> str:
    """HTML page of the profiles of one or more corpora by name."""
    corpora, names = list(profiles.values()), list(profiles)
    widths = _Plot(
        "Width of the trees",
        "Each sentence has a permutation tree over its minimal phrases. The number is the most children that an operator "
        "of the tree puts into order. Binary trees, as of inversion transduction grammars, reach the rows up to 2. "
        "The axis is logarithmic.",
        "children",
        "sentences",
        _bins([profile.arities for profile in corpora], ARITIES),
        logarithmic=True,
    )
    distances = _Plot(
        "Distance of steps",
        "A step goes from the end of a phrase to the next phrase in the order of the target, over so many words of the source. "
        "A decoder reaches only steps up to its distortion limit.",
        "words",
        "steps",
        _bins([profile.distances for profile in corpora], DISTANCES),
    )
    summary = "".join(f'<tr><th scope="row">{title}</th>{_cells(map(of, corpora))}</tr>\n' for title, of in SUMMARY.items())
    body = wide_table(f'<th scope="col">measure</th>{_headings(names)}', summary)
    title = f"Reordering of {names[0] if len(names) == 1 else f'{len(names)} corpora'}"
    return sent_page(title, body + "".join(_section(plot, names) for plot in (widths, _operators(corpora), distances)))


def _bins(distributions: Sequence[Mapping[int, int]], bounds: Mapping[str, tuple[int, int | None]]) -> dict[str, list[int]]:
    """Counts in each bin, without the empty bins after the last count."""
    rows = {
        name: [
            sum(count for value, count in distribution.items() if low <= value and (high is None or value <= high))
            for distribution in distributions
        ]
        for name, (low, high) in bounds.items()
    }
    last = max((place for place, counts in enumerate(rows.values(), 1) if any(counts)), default=0)
    return dict(list(rows.items())[:last])


def _operators(corpora: Sequence[ReorderingProfile]) -> _Plot:
    """Counts of the most frequent operators, and of the rest together."""
    shares: dict[str, float] = {}
    for profile in corpora:
        total = sum(profile.operators.values()) or 1
        for label, count in profile.operators.items():
            shares[label] = shares.get(label, 0.0) + count / total
    labels = sorted(shares, key=lambda label: (-shares[label], len(label), label))
    rows = {label: [profile.operators.get(label, 0) for profile in corpora] for label in labels[:OPERATORS_SHOWN]}
    if len(labels) > OPERATORS_SHOWN:
        name = f"{len(labels) - OPERATORS_SHOWN} others"
        rows[name] = [sum(profile.operators.get(label, 0) for label in labels[OPERATORS_SHOWN:]) for profile in corpora]
    return _Plot(
        "Operators",
        "Nodes of the left-branching trees. Digits are the places of the children in the target. The axis is logarithmic.",
        "operator",
        "nodes",
        rows,
        logarithmic=True,
        examples={label: _example(label) for label in rows},
    )


def _example(label: str) -> str:
    """Order that an operator gives to letters, as ``A B becomes B A``; empty for a long one."""
    digits = label.removeprefix("P")
    places = [int(digit) for digit in digits] if digits.isdigit() and len(digits) <= LONGEST_EXAMPLE else []
    if not places or sorted(places) != list(range(1, len(places) + 1)):
        return ""
    letters = "ABCDEFGH"[: len(places)]
    output = " ".join(letter for _, letter in sorted(zip(places, letters, strict=True)))
    return f"{' '.join(letters)} {'stays' if output == ' '.join(letters) else 'becomes'} {output}"


def _section(plot: _Plot, names: Sequence[str]) -> str:
    """HTML of a plot and its table: shares of each corpus; of a single corpus also counts, and sums of rows in order."""
    if not any(map(any, plot.rows.values())):
        return f"<h2>{plot.title}</h2>\n<p>The text has no {plot.unit} to count.</p>\n"
    totals = [sum(column) or 1 for column in zip(*plot.rows.values(), strict=True)]
    shares = {name: [count / total for count, total in zip(counts, totals, strict=True)] for name, counts in plot.rows.items()}
    rows, end = "", 0
    for name, counts in plot.rows.items():
        cells = f'<tr><th scope="row">{_shortened(name)}</th>'
        if plot.examples is not None:
            cells += f"<td>{plot.examples[name]}</td>"
        numbers = [_percent(share) for share in shares[name]]
        if len(names) == 1:
            end += counts[0]
            numbers = [f"{counts[0]:,}", *numbers, *([] if plot.examples else [_percent(end, totals[0])])]
        rows += f"{cells}{_cells(numbers)}</tr>\n"
    first = "".join(f'<th scope="col">{heading}</th>' for heading in (plot.heading, *(["example"] if plot.examples else [])))
    numeric = [*names] if len(names) > 1 else [plot.unit, "share", *([] if plot.examples else ["up to here"])]
    label = f"{plot.title}: share of {plot.unit} in percent; the table has the numbers"
    figure = f'<div role="img" aria-label="{label}">{svg_of(_chart(plot, shares, names))}</div>\n'
    table = wide_table(first + _headings(numeric), rows)
    return f'<h2>{plot.title}</h2>\n<p>{plot.about}</p>\n<div class="plot">\n{figure}{table}</div>\n'


def _chart(plot: _Plot, shares: Mapping[str, Sequence[float]], names: Sequence[str]) -> Chart:
    """Bars of shares, or points on a logarithmic axis; zeros have neither."""
    rows: list[dict[str, Any]] = [
        {"row": row, "corpus": name, "share": 100 * share}
        for row, values in shares.items()
        for name, share in zip(names, values, strict=True)
        if share
    ]
    multiple = len(names) > 1
    axis: Chart = {"title": f"% of {plot.unit}", "scale": {}, "axis": {"tickCount": 5}}
    if plot.logarithmic:
        exponents = range(min(-1, floor(log10(min(float(row["share"]) for row in rows)))), 3)
        ticks = [10.0**exponent for exponent in exponents]
        axis["scale"] = {"type": "log", "domain": [ticks[0], ticks[-1]]}
        axis["axis"] = {"values": ticks, "format": "~g"}
    legend = {"title": None, "labelColor": INK, "orient": "top", "columns": 1, "labelLimit": 300, "symbolOpacity": 1}
    return {
        "data": {"values": rows},
        "mark": {"type": "point", "filled": True, "size": 50, "opacity": 1} if plot.logarithmic else {"type": "bar"},
        "encoding": {
            "y": category("row", title=None, sort=list(shares), scale={"domain": list(shares)}, axis={"labelLimit": 110}),
            "yOffset": {"field": "corpus", "sort": list(names)},
            "x": quantity("share", **axis),
            "color": category(
                "corpus",
                sort=list(names),
                scale={"scheme": "dark2"} if multiple else {"range": [BEST]},
                legend=legend if multiple else None,
            ),
        },
        "width": 280,
        "height": {"step": 9 if multiple else 18},
        # Fonts of readers may be wider than that of the drawing.
        "padding": {"left": 16, "right": 8, "top": 5, "bottom": 5},
    }


def _headings(names: Sequence[str]) -> str:
    return "".join(f'<th scope="col" class="number"><bdi>{escape(name)}</bdi></th>' for name in names)


def _shortened(label: str) -> str:
    """HTML of a label; an operator of a hundred children has one of hundreds of digits."""
    return escape(label if len(label) <= LONGEST_LABEL else f"{label[: LONGEST_LABEL - 1]}…")


def _cells(texts: Iterable[str]) -> str:
    return "".join(f'<td class="number">{text}</td>' for text in texts)


def _percent(part: float, total: float = 1) -> str:
    """Share in percent, with two digits at least."""
    share = 100 * part / total if total else 0.0
    return "0" if share == 0 else f"{share:#.2g} %" if share < 1 else f"{share:.1f} %"
