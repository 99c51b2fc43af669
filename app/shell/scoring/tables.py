"""Tables of `assay score` for people, TSV and Markdown, with signatures and verdicts."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from app.operations.parts.scoring.verdicts import stars
from app.shell.output import Format, print_lines, print_rows, print_verdicts, say

__all__ = ["LEGEND", "WIDTH", "p_cell", "print_scores"]

COLUMNS: Final = ("system", "metric", "score", "interval", "difference", "p", "wins", "losses", "letters", "segments")
# Columns of a terminal that a table keeps to.
WIDTH: Final = 100
LEGEND: Final = "p is corrected for all systems (Holm): * p < 0.05, ** p < 0.01, *** p < 0.001"
OF_RUNS: Final = ("system", "metric", "mean", "selection_deviation", "optimiser_deviation", "difference", "p")


def print_scores(answer: Mapping[str, Any], form: Format) -> None:
    """Print the answer as a table: TSV has the columns of a job's result, other forms are narrower and have signatures below."""
    rows, runs = answer["metrics"], answer.get("runs", ())
    if form is Format.TSV:
        print_rows(rows, form)
        if runs:
            print_rows(runs, form)
    else:
        _print_narrow(rows, COLUMNS, form)
        if runs:
            _print_narrow(runs, OF_RUNS, form)
        if "verdicts" in answer:
            say(LEGEND)
        print_lines([f"{metric}  {text}" for metric, text in {row["metric"]: row["signature"] for row in rows}.items()], form)
    print_verdicts(answer.get("verdicts", ()), form)


def _print_narrow(rows: Sequence[Mapping[str, Any]], columns: Sequence[str], form: Format) -> None:
    cells = [{**row, "interval": row.get("confidence_interval", ""), "p": p_cell(row.get("corrected_p_value"))} for row in rows]
    print_rows(cells, form, [name for name in columns if any(row.get(name, "") != "" for row in cells)], WIDTH)


def p_cell(p_value: float | None) -> str:
    """A corrected p-value with its stars; empty for the baseline."""
    return "" if p_value is None else f"{p_value:.4f} {stars(p_value)}".rstrip()
