"""Options of `assay nbest combine`."""

from dataclasses import dataclass
from typing import Annotated

import typer

from app.shell.declaration.forms import Format
from app.shell.declaration.parameters import Server

__all__ = ["CombineOptions"]


@dataclass(frozen=True, kw_only=True)
class CombineOptions:
    """Options of `assay nbest combine`."""

    files: Annotated[list[str], typer.Argument(help="Outputs of two or more systems: FILE or NAME=FILE.")]
    dev: Annotated[
        list[str] | None,
        typer.Option(help="Output of a system to tune weights on. One per system."),
    ] = None
    reference: Annotated[list[str] | None, typer.Option("--reference", "-r", help="Reference of --dev. Repeatable.")] = None
    metric: Annotated[str, typer.Option("--metric", "-m", help="Metric to tune towards.")] = "bleu"
    method: Annotated[str, typer.Option(help="Method of tuning.")] = "mert|restarts:2|directions:5"
    seed: Annotated[int, typer.Option(min=0, max=2147483647, help="Seed of tuning.")] = 1
    rounds: Annotated[int, typer.Option(min=1, max=10, help="Rounds of path search and tuning.", rich_help_panel="Search")] = 3
    weights: Annotated[str | None, typer.Option(help="JSON of an earlier answer with its weights.")] = None
    lm: Annotated[str | None, typer.Option(help="Language model (ARPA or KenLM) of lower-case words.")] = None
    backbone: Annotated[str, typer.Option(help="Choice of the output that others are aligned to.", rich_help_panel="Search")] = (
        "bleu"
    )
    consensus: Annotated[str, typer.Option(help="Measure of a path against all outputs.", rich_help_panel="Search")] = "bleu"
    paths: Annotated[int, typer.Option(min=1, max=1000, help="Paths per segment.", rich_help_panel="Search")] = 100
    words: Annotated[bool, typer.Option("--words", help="Add the systems of each word.")] = False
    measure: Annotated[list[str] | None, typer.Option(help="Reference of the outputs, only measured. Repeatable.")] = None
    server: Server = None
    form: Annotated[Format, typer.Option("--format", "-f", help="Form of the answer.")] = Format.TEXT
