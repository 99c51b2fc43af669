"""Options of `assay smt convert-trees`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from app.shell.declaration.command import declare
from app.shell.declaration.fields import argument, option
from app.shell.declaration.files import PLAIN_TEXT, InFile, OutFile, Replacing

__all__ = ["ConvertTreesOptions"]


@declare(server=True)
@dataclass(frozen=True, kw_only=True)
class ConvertTreesOptions(Replacing):
    """Options of `assay smt convert-trees`."""

    trees: Annotated[Path, argument(help="Trees: brackets, TIGER-XML, CoNLL-U or Moses' XML."), InFile()]
    to: Annotated[str, option(help="words, brackets, moses-xml or conllu."), PLAIN_TEXT]
    out: Annotated[Path, option(help="Output file; .gz packs."), OutFile()]
    form: Annotated[str | None, option(help="Form of the trees, if unclear."), PLAIN_TEXT] = None
    head_table: Annotated[
        str | None, option(help="Head table: english, french, german, spanish, or a TOML file."), InFile(shipped=True)
    ] = None
