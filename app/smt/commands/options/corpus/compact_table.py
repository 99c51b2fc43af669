"""Options of `assay smt compact-table`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from app.shell.declaration.command import declare
from app.shell.declaration.fields import argument, option
from app.shell.declaration.files import InFile, OutFile, Replacing

__all__ = ["CompactTableOptions"]


@declare(server=True)
@dataclass(frozen=True, kw_only=True)
class CompactTableOptions(Replacing):
    """Options of `assay smt compact-table`."""

    table: Annotated[Path, argument(help="Phrase table or reordering table; gzip is read."), InFile()]
    out: Annotated[Path, option(help="Output file."), OutFile()]
