"""Options of `assay smt prune-table`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from app.shell.declaration.command import declare
from app.shell.declaration.files import PLAIN_TEXT, InFile, OutFile, Replacing

__all__ = ["PruneTableOptions"]


@declare(server=True)
@dataclass(frozen=True, kw_only=True)
class PruneTableOptions(Replacing):
    """Options of `assay smt prune-table`."""

    table: Annotated[Path, typer.Argument(help="Phrase table, gzip or not."), InFile()]
    source: Annotated[Path, typer.Argument(help="Source text of the extraction."), InFile()]
    target: Annotated[Path, typer.Argument(help="Target text."), InFile()]
    out: Annotated[Path, typer.Option(help="Output table; .gz packs."), OutFile()]
    threshold: Annotated[str, typer.Option(help="Least -ln p: alpha-epsilon, alpha+epsilon or a number."), PLAIN_TEXT] = (
        "alpha-epsilon"
    )
