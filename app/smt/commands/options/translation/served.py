"""Options of `assay smt import` and `translate`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from app.shell.declaration.files import Replacing
from app.shell.declaration.forms import Format
from app.shell.declaration.parameters import Form, Server

__all__ = ["ImportOptions", "TranslatePairOptions"]


@dataclass(frozen=True, kw_only=True)
class ImportOptions(Replacing):
    """Options of `assay smt import`."""

    system: Annotated[Path, typer.Argument(help="Folder of assay smt train, or a moses.ini.")]
    pair: Annotated[str, typer.Option(help="Direction, as de-en.")]
    out: Annotated[Path | None, typer.Option(help="Output folder; default: resources/PAIR/system of the data folder.")] = None
    untuned: Annotated[bool, typer.Option("--untuned", help="Pack the weights before tuning.")] = False
    lowercase: Annotated[bool, typer.Option("--lowercase", help="Lower-case text, with a moses.ini.")] = False
    tokenise: Annotated[
        bool,
        typer.Option(
            "--tokenise",
            help="Tokenise requests; default: words between blanks.",
        ),
    ] = False
    licence: Annotated[str, typer.Option(help="Licence of the training text, for the manifest.")] = "unknown"


@dataclass(frozen=True, kw_only=True)
class TranslatePairOptions:
    """Options of `assay smt translate-pair`."""

    pair: Annotated[str, typer.Option(help="Direction, as de-en.")]
    text: Annotated[str, typer.Argument(help="Text, a segment per line; - is stdin; FILE:COLUMN.")] = "-"
    n_best: Annotated[
        tuple[Path, int] | None, typer.Option(metavar="FILE N", help="Output: N best derivations of each segment.")
    ] = None
    distinct: Annotated[bool, typer.Option("--distinct", help="N best different translations.")] = False
    tokenise: Annotated[
        bool | None, typer.Option("--tokenise/--no-tokenise", help="Tokenise the text; default: as the system says.")
    ] = None
    server: Server = None
    form: Form = Format.TEXT
