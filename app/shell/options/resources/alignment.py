"""Options of `assay resources align`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from app.shell.declaration.command import declare
from app.shell.declaration.files import ALIGNERS, LOCAL_MACHINE, PLAIN_TEXT, REQUIREMENT, InFile, OutFile, OutFolder, Replacing

__all__ = ["AlignOptions"]


@declare(server=True)
@dataclass(frozen=True, kw_only=True)
class AlignOptions(Replacing):
    """Options of `assay resources align`."""

    source: Annotated[
        str | None, typer.Argument(help="Source text, words between blanks; FILE:COLUMN of a table."), InFile(), REQUIREMENT
    ] = None
    target: Annotated[str | None, typer.Argument(help="Target text, line by line."), InFile(), REQUIREMENT] = None
    links: Annotated[Path | None, typer.Option(help="Output: symmetrised links, as 0-0 1-2; - is stdout."), OutFile()] = None
    forward: Annotated[
        Path | None,
        typer.Option(help="Output: links of target words to one source word each.", rich_help_panel="Details"),
        OutFile(),
    ] = None
    reverse: Annotated[
        Path | None,
        typer.Option(help="Output: links of source words to one target word each.", rich_help_panel="Details"),
        OutFile(),
    ] = None
    scores: Annotated[
        Path | None, typer.Option(help="Output: log-probability per word, both directions.", rich_help_panel="Details"), OutFile()
    ] = None
    heuristic: Annotated[
        str,
        typer.Option(help="intersect, union, grow, grow-diag, grow-diag-final[-and]."),
        PLAIN_TEXT,
    ] = "grow-diag-final-and"
    save: Annotated[Path | None, typer.Option(help="Output: the trained aligner."), OutFile()] = None
    model: Annotated[Path | None, typer.Option(help="Saved aligner to use instead of training."), InFile(makers=ALIGNERS)] = None
    symmetrise: Annotated[
        tuple[Path, Path] | None,
        typer.Option(help="Symmetrise two files of links: forward and reverse."),
        InFile(),
        LOCAL_MACHINE,
    ] = None
    pair: Annotated[str | None, typer.Option(help="Write lexical tables of this language pair, as ro-en."), LOCAL_MACHINE] = None
    out: Annotated[
        Path | None,
        typer.Option(help="Folder of lexical tables; default: resources/PAIR of the data folder."),
        OutFolder(),
        LOCAL_MACHINE,
    ] = None
    licence: Annotated[str, typer.Option(help="Licence of the text, for the manifest."), LOCAL_MACHINE] = "unknown"
