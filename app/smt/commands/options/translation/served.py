"""Options of `assay smt import` and `translate`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from app.shell.declaration.fields import argument, option
from app.shell.declaration.files import Replacing
from app.shell.declaration.forms import Format
from app.shell.declaration.parameters import Form, Server

__all__ = ["ImportOptions", "TranslatePairOptions"]


@dataclass(frozen=True, kw_only=True)
class ImportOptions(Replacing):
    """Options of `assay smt import`."""

    system: Annotated[Path, argument(help="Folder of assay smt train, or a moses.ini.")]
    pair: Annotated[str, option(help="Direction, as de-en.")]
    out: Annotated[Path | None, option(help="Output folder; default: resources/PAIR/system of the data folder.")] = None
    untuned: Annotated[bool, option("--untuned", help="Pack the weights before tuning.")] = False
    lowercase: Annotated[bool, option("--lowercase", help="Lower-case text, with a moses.ini.")] = False
    tokenise: Annotated[bool, option("--tokenise", help="Tokenise requests; default: words between blanks.")] = False
    licence: Annotated[str, option(help="Licence of the training text, for the manifest.")] = "unknown"


@dataclass(frozen=True, kw_only=True)
class TranslatePairOptions:
    """Options of `assay smt translate-pair`."""

    pair: Annotated[str, option(help="Direction, as de-en.")]
    text: Annotated[str, argument(help="Text, a segment per line; - is stdin; FILE:COLUMN.")] = "-"
    n_best: Annotated[tuple[Path, int] | None, option(metavar="FILE N", help="Output: N best derivations of each segment.")] = None
    distinct: Annotated[bool, option("--distinct", help="N best different translations.")] = False
    tokenise: Annotated[bool | None, option("--tokenise/--no-tokenise", help="Tokenise the text; default: as the system says.")] = (
        None
    )
    server: Server = None
    form: Form = Format.TEXT
