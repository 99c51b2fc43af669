"""Options of `assay compare` and `assay correlate`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from app.shell.declaration.forms import Format
from app.shell.declaration.parameters import Server

__all__ = ["CompareOptions", "CorrelateOptions"]

Metrics = Annotated[list[str] | None, typer.Option("--metrics", "-m", help="Metric. Repeatable.")]
AnalysisForm = Annotated[Format, typer.Option("--format", "-f", help="Form of the answer.")]


@dataclass(frozen=True, kw_only=True)
class CompareOptions:
    """Options of `assay compare`."""

    references: Annotated[list[str], typer.Argument(help="Reference files, or NAME=FILE.")]
    baseline: Annotated[str, typer.Option(help="Output of the baseline.")]
    system: Annotated[str, typer.Option(help="Output of the other system.")]
    metrics: Metrics = None
    tokenize: Annotated[str, typer.Option("--tokenize", "-tok", help="Tokeniser of n-grams and lengths.")] = "13a"
    most: Annotated[int, typer.Option(min=1, max=500, help="Number of n-grams and segments of each kind.")] = 20
    server: Server = None
    form: AnalysisForm = Format.TEXT


@dataclass(frozen=True, kw_only=True)
class CorrelateOptions:
    """Options of `assay correlate`."""

    file: Annotated[Path, typer.Argument(help="Table of human scores and metric scores; higher is better.")]
    human: Annotated[str, typer.Option(help="Column of human scores.")]
    columns: Annotated[list[str], typer.Option("--metric", "-m", help="Column of a metric's scores. Repeatable.")]
    group: Annotated[str | None, typer.Option(help="Column of groups; pairs are within groups.")] = None
    agreements: Annotated[list[str] | None, typer.Option("--agreement", "-a", help="Measure. Repeatable.")] = None
    tests: Annotated[bool, typer.Option("--tests", help="Test every two metrics against each other.")] = False
    server: Server = None
    form: AnalysisForm = Format.TEXT
