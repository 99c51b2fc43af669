"""Tables of `benchmarks.smt.tuning.report`, as text and as JSON."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from benchmarks.smt.protocols.cross_metric import CrossRow
from benchmarks.smt.protocols.instability import Instability
from benchmarks.smt.protocols.learning_curves import LearningPoint
from benchmarks.smt.protocols.runs import FIRST
from benchmarks.smt.protocols.systems import Best, SystemRow

__all__ = ["Table", "cross_tables", "curve_table", "instability_tables", "pairs_table", "system_tables"]

MARKS = {"better": "+", "worse": "-", "equal": "", None: ""}
SIGNIFICANT = 0.05


@dataclass(frozen=True)
class Table:
    """A table: its key in JSON, title, rows with few digits, note, and records for JSON."""

    name: str
    title: str
    rows: Sequence[Mapping[str, Any]]
    records: Sequence[Mapping[str, Any]]
    note: str = ""


def instability_tables(answer: Instability) -> list[Table]:
    """Scores of runs, and the spread of weights."""
    rows = [
        {
            "set": row.set,
            "metric": row.summary.metric,
            "method": row.summary.system,
            "runs": len(row.summary.runs),
            "mean": _score(row.summary.mean),
            "95 %": f"{_score(row.interval.low)} to {_score(row.interval.high)}",
            "s_sel": _score(row.summary.selection_deviation, row.summary.mean),
            "s_opt": _score(row.summary.optimiser_deviation, row.summary.mean),
            "lowest": _score(row.lowest),
            "highest": _score(row.highest),
            "difference": _score(row.summary.difference, row.summary.mean, "+"),
            "p": _digits(row.summary.p_value, ".4f"),
            "p, Holm": _digits(row.summary.corrected_p_value, ".4f"),
        }
        for row in answer.rows
    ]
    note = (
        "s_sel: deviation over resampled segments, mean of the runs; s_opt: deviation over runs; "
        f"p: approximate randomisation of all runs against {answer.baseline}."
    )
    spread = [
        {
            "method": row.method,
            "feature": row.feature,
            "component": row.component,
            "mean": f"{row.mean:.4f}",
            "deviation": _digits(row.deviation, ".4f"),
            "effect": f"{row.effect:.3f}",
            "its deviation": _digits(row.effect_deviation, ".3f"),
            "above 0": row.positive,
        }
        for row in answer.weights
    ]
    scale = "Absolute weights of a run sum to 1, and so do effects: weights times the spread of the feature within lists."
    return [
        Table("runs", "Runs of every method", rows, [asdict(row) for row in answer.rows], note),
        Table("weights", "Weights over runs", spread, [asdict(row) for row in answer.weights], scale),
    ]


def system_tables(rows: Sequence[SystemRow], best: Sequence[Best]) -> list[Table]:
    """Scores with marks for differences from the baseline, and the best systems by metric."""
    cells = [
        {
            "set": row.set,
            "system": row.system,
            **{name: f"{_score(cell.score)}{MARKS[cell.verdict]}" for name, cell in row.measured.items()},
            **{f"on top, {name} %": f"{100 * share:.2f}" for name, share in row.on_top.items()},
        }
        for row in rows
    ]
    ties = [
        {"set": row.set, "metric": row.metric, "best": ", ".join(row.best), "not shown to be worse": ", ".join(row.not_worse)}
        for row in best
    ]
    note = "+ better, - worse than the baseline (paired bootstrap, p <= 0.05); without a mark not shown to differ."
    return [
        Table("systems", "Systems", cells, [asdict(row) for row in rows], note),
        Table("best", "Best systems", ties, [asdict(row) for row in best], "Best: all that tie in the digits above."),
    ]


def cross_tables(method: str, rows: Sequence[CrossRow], baseline: str = FIRST) -> list[Table]:
    """A table per set: rows are the metrics of tuning, columns the metrics of scores."""
    tables = []
    for name in dict.fromkeys(row.set for row in rows):
        set_rows = [row for row in rows if row.set == name]
        cells = [
            {
                "tuned towards": row.towards,
                **{metric: _cell(cell) for metric, cell in row.scores.items()},
                "length ratio": f"{row.length_ratio:.3f}",
            }
            for row in set_rows
        ]
        note = f"Means over runs, ± their deviation; * differs from {baseline} (approximate randomisation, p <= 0.05)."
        tables.append(Table(f"{method} {name}", f"{method}, {name}", cells, [asdict(row) for row in set_rows], note))
    return tables


def _cell(summary: Any) -> str:
    spread = "" if summary.optimiser_deviation is None else f" ± {_score(summary.optimiser_deviation, summary.mean)}"
    star = "*" if summary.p_value is not None and summary.p_value <= SIGNIFICANT else ""
    return f"{_score(summary.mean)}{spread}{star}"


def curve_table(points: Sequence[LearningPoint]) -> Table:
    """A row per point."""
    axis = points[0].axis
    rows = [
        {
            "method": point.method,
            axis: point.amount,
            "dev": _score(point.dev),
            "test": _score(point.test),
            "95 %": f"{_score(point.low)} to {_score(point.high)}",
            "s_opt": _score(point.deviation, point.test),
        }
        for point in points
    ]
    note = "Means over seeds; s_opt: deviation of the test score over seeds."
    return Table("curve", f"Learning curve by {axis}", rows, [asdict(point) for point in points], note)


def pairs_table(pairs: Sequence[tuple[str, str, str]]) -> Table:
    """Return the table for `assay train --kind beer --unjudged`."""
    rows = [dict(zip(("translation", "other", "reference"), row, strict=True)) for row in pairs]
    return Table("pairs", "Pairs that nobody judged", rows, rows)


def _score(value: float | None, beside: float | None = None, sign: str = "") -> str:
    """A score or a deviation with two digits, with four if the score (`beside`) is a share."""
    if value is None:
        return ""
    return format(value, f"{sign}.{4 if abs(value if beside is None else beside) < 1 else 2}f")


def _digits(value: float | None, form: str) -> str:
    return "" if value is None else format(value, form)
