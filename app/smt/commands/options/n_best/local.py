"""Options of `assay nbest tune-local`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from app.shell.declaration.forms import Format
from app.smt.commands.options.n_best.weights import Missing, MissingWeights

__all__ = ["TuneLocalOptions"]


@dataclass(frozen=True, kw_only=True)
class TuneLocalOptions:
    """Options of `assay nbest tune-local`."""

    n_best: Annotated[list[str], typer.Argument(help="Development lists with features; several are merged.")]
    references: Annotated[list[str], typer.Option("--reference", "-r", help="References, one per line. Repeatable.")]
    source: Annotated[str, typer.Option(help="Source texts, one per line.")]
    test: Annotated[list[str], typer.Option(help="Lists to choose from. Repeat to merge.")]
    test_source: Annotated[str, typer.Option(help="Source texts of --test, one per line.")]
    test_references: Annotated[
        list[str] | None, typer.Option("--test-reference", help="References of --test, only measured. Repeatable.")
    ] = None
    method: Annotated[str, typer.Option(help="Method, as wro-local|similar:10|top:0.1.")] = "wro-local"
    metric: Annotated[str, typer.Option("--metric", "-m", help="Metric to tune towards.")] = "bleu"
    seed: Annotated[int, typer.Option(min=0, help="Seed of the drawn pairs.")] = 1
    start: Annotated[str | None, typer.Option(help="Weights file; constant features keep its weights.")] = None
    missing_weights: MissingWeights = Missing.REFUSED
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Output: weights of every sentence, as JSON.")] = None
    form: Annotated[Format, typer.Option("--format", "-f", help="Form of the answer.")] = Format.TEXT
