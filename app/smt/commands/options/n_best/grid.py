"""Options of `assay rescore-grid`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from app.shell.declaration.forms import Format
from app.shell.declaration.parameters import number
from app.smt.commands.options.n_best.weights import Missing, MissingWeights

__all__ = ["GridOptions"]


@dataclass(frozen=True, kw_only=True)
class GridOptions:
    """Options of `assay nbest grid`."""

    dev: Annotated[list[str], typer.Option(help="N-best list to move weights on. Repeat to merge.")]
    dev_reference: Annotated[list[str], typer.Option(help="Reference of --dev. Repeatable.")]
    test: Annotated[list[str] | None, typer.Option(help="N-best list to apply the weights to.")] = None
    test_reference: Annotated[list[str] | None, typer.Option(help="Reference of --test. Repeatable.")] = None
    weights: Annotated[Path | None, typer.Option(help="Weights of the decoder; default: equal ones.")] = None
    missing_weights: MissingWeights = Missing.REFUSED
    sizes: Annotated[list[int] | None, typer.Option("--size", help="Size of lists, default 100 to 5000. Repeatable.")] = None
    oracle_metrics: Annotated[list[str] | None, typer.Option("--oracle-metric", help="Metric of oracles. Repeatable.")] = None
    metrics: Annotated[list[str] | None, typer.Option("--metrics", "-m", help="Metric. Repeatable.")] = None
    step: Annotated[float, number(about="Step of the weights; 1 is the thesis' value.", low=0.0)] = 1.0
    form: Annotated[Format, typer.Option("--format", "-f", help="Form of the answer.")] = Format.TEXT
