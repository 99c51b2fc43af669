"""Options of `assay tune-report`."""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from app.shell.declaration.forms import Format
from app.shell.declaration.parameters import number
from app.smt.commands.options.n_best.weights import Missing, MissingWeights

__all__ = ["ReportOptions"]


class Report(StrEnum):
    """What is asked."""

    INSTABILITY = "instability"
    SYSTEMS = "systems"
    CURVE = "curve"
    METRICS = "metrics"
    PAIRS = "pairs"


@dataclass(frozen=True, kw_only=True)
class ReportOptions:
    """Options of `assay nbest report`."""

    report: Annotated[Report, typer.Argument(help="Report: spread, table, curve or metrics.")]
    dev: Annotated[list[str], typer.Option(help="N-best list to tune on. Repeat to merge.")]
    dev_references: Annotated[list[str] | None, typer.Option("--dev-reference", help="Reference of --dev. Repeatable.")] = None
    test: Annotated[list[str] | None, typer.Option(help="Lists to measure on; default: every second segment of --dev.")] = None
    test_references: Annotated[list[str] | None, typer.Option("--test-reference", help="Reference of --test. Repeatable.")] = None
    methods: Annotated[list[str] | None, typer.Option("--method", help="Method, as mert|restarts:20. Repeatable.")] = None
    metrics: Annotated[
        list[str] | None, typer.Option("--metrics", "-m", help="Metric; the first is tuned towards. Repeatable.")
    ] = None
    towards: Annotated[list[str] | None, typer.Option(help="Metric to tune towards; default: all of --metrics.")] = None
    seed: Annotated[int, typer.Option(min=0, help="Seed of the first run, or of drawn pairs.")] = 1
    runs: Annotated[int, typer.Option(min=1, max=1000, help="Runs of every method, each with its seed.")] = 5
    weights: Annotated[Path | None, typer.Option(help="Initial weights; default: equal ones.", rich_help_panel="Data")] = None
    missing_weights: MissingWeights = Missing.REFUSED
    segments: Annotated[int | None, typer.Option(min=1, help="Most segments per set, evenly spaced.", rich_help_panel="Data")] = (
        None
    )
    baseline: Annotated[str | None, typer.Option(help="Method or metric to test others against.")] = None
    oracle_metrics: Annotated[
        list[str] | None, typer.Option("--oracle-metric", help="Metric of oracles. Repeatable.", rich_help_panel="Curves")
    ] = None
    axis: Annotated[
        str | None, typer.Option("--by", help="Axis of a curve: segments, features or size.", rich_help_panel="Curves")
    ] = None
    amounts: Annotated[
        list[int] | None, typer.Option("--amount", help="Point on the axis. Repeatable.", rich_help_panel="Curves")
    ] = None
    signal: Annotated[
        float, number(about="Information of synthetic features: 0 none, 1 most.", panel="Curves", low=0.0, high=1.0)
    ] = 0.0
    count: Annotated[int | None, typer.Option(min=1, max=100000, help="Number of drawn pairs.", rich_help_panel="Data")] = None
    plot: Annotated[Path | None, typer.Option(help="Output: SVG of the curve.", rich_help_panel="Curves")] = None
    form: Annotated[Format, typer.Option("--format", "-f", help="Form of the answer.")] = Format.TEXT
