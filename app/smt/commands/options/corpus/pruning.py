"""Options of `assay smt prune-table`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from app.shell.declaration.command import declare
from app.shell.declaration.fields import argument, option
from app.shell.declaration.files import PLAIN_TEXT, InFile, OutFile, Replacing

__all__ = ["PruneTableOptions"]


@declare(server=True)
@dataclass(frozen=True, kw_only=True)
class PruneTableOptions(Replacing):
    """Options of `assay smt prune-table`."""

    table: Annotated[Path, argument(help="Phrase table, gzip or not."), InFile()]
    source: Annotated[Path, argument(help="Source text of the extraction."), InFile()]
    target: Annotated[Path, argument(help="Target text."), InFile()]
    out: Annotated[Path, option(help="Output table; .gz packs."), OutFile()]
    threshold: Annotated[str, option(help="Least -ln p: alpha-epsilon, alpha+epsilon or a number."), PLAIN_TEXT] = "alpha-epsilon"
