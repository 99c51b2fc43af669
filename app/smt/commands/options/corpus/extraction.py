"""Options of `assay smt extract`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from app.shell.declaration.command import declare
from app.shell.declaration.files import PLAIN_TEXT, InFile, OutFolder, Replacing

__all__ = ["ExtractOptions"]


@declare(server=True)
@dataclass(frozen=True, kw_only=True)
class ExtractOptions(Replacing):
    """Options of `assay smt extract`."""

    source: Annotated[Path, typer.Argument(help="Source text, words between blanks; gzip is read."), InFile()]
    target: Annotated[Path, typer.Argument(help="Target text."), InFile()]
    links: Annotated[Path, typer.Argument(help="Word links, as 0-0 1-2."), InFile()]
    out: Annotated[Path, typer.Option(help="Output folder of extract.gz, extract.inv.gz, extract.o.gz."), OutFolder()]
    max_length: Annotated[int, typer.Option(min=1, max=100, help="Most words of a phrase.")] = 7
    orientation: Annotated[
        list[str] | None,
        typer.Option(help="wbe-, phrase- or hier-, with msd or mslr. Repeatable."),
        PLAIN_TEXT,
    ] = None
    weights: Annotated[Path | None, typer.Option(help="Weight per sentence pair; 0 leaves it out."), InFile()] = None
    numbered: Annotated[
        bool,
        typer.Option("--numbered", help="Add numbers of sentence pairs, for phrase-table."),
    ] = False
