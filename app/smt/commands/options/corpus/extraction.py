"""Options of `assay smt extract`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from app.shell.declaration.command import declare
from app.shell.declaration.fields import argument, option
from app.shell.declaration.files import PLAIN_TEXT, InFile, OutFolder, Replacing

__all__ = ["ExtractOptions"]


@declare(server=True)
@dataclass(frozen=True, kw_only=True)
class ExtractOptions(Replacing):
    """Options of `assay smt extract`."""

    source: Annotated[Path, argument(help="Source text, words between blanks; gzip is read."), InFile()]
    target: Annotated[Path, argument(help="Target text."), InFile()]
    links: Annotated[Path, argument(help="Word links, as 0-0 1-2."), InFile()]
    out: Annotated[Path, option(help="Output folder of extract.gz, extract.inv.gz, extract.o.gz."), OutFolder()]
    max_length: Annotated[int, option(min=1, max=100, help="Most words of a phrase.")] = 7
    orientation: Annotated[list[str] | None, option(help="wbe-, phrase- or hier-, with msd or mslr. Repeatable."), PLAIN_TEXT] = (
        None
    )
    weights: Annotated[Path | None, option(help="Weight per sentence pair; 0 leaves it out."), InFile()] = None
    numbered: Annotated[bool, option("--numbered", help="Add numbers of sentence pairs, for phrase-table.")] = False
