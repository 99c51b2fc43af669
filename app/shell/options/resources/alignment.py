"""Options of `assay resources align`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from app.shell.declaration.command import declare
from app.shell.declaration.fields import argument, option
from app.shell.declaration.files import ALIGNERS, LOCAL_MACHINE, PLAIN_TEXT, REQUIREMENT, InFile, OutFile, OutFolder, Replacing

__all__ = ["AlignOptions"]


@declare(server=True)
@dataclass(frozen=True, kw_only=True)
class AlignOptions(Replacing):
    """Options of `assay resources align`."""

    source: Annotated[
        str | None, argument(help="Source text, words between blanks; FILE:COLUMN of a table."), InFile(), REQUIREMENT
    ] = None
    target: Annotated[str | None, argument(help="Target text, line by line."), InFile(), REQUIREMENT] = None
    links: Annotated[Path | None, option(help="Output: symmetrised links, as 0-0 1-2; - is stdout."), OutFile()] = None
    forward: Annotated[
        Path | None, option(help="Output: links of target words to one source word each.", panel="Details"), OutFile()
    ] = None
    reverse: Annotated[
        Path | None, option(help="Output: links of source words to one target word each.", panel="Details"), OutFile()
    ] = None
    scores: Annotated[
        Path | None, option(help="Output: log-probability per word, both directions.", panel="Details"), OutFile()
    ] = None
    heuristic: Annotated[str, option(help="intersect, union, grow, grow-diag, grow-diag-final[-and]."), PLAIN_TEXT] = (
        "grow-diag-final-and"
    )
    save: Annotated[Path | None, option(help="Output: the trained aligner."), OutFile()] = None
    model: Annotated[Path | None, option(help="Saved aligner to use instead of training."), InFile(makers=ALIGNERS)] = None
    symmetrise: Annotated[
        tuple[Path, Path] | None, option(help="Symmetrise two files of links: forward and reverse."), InFile(), LOCAL_MACHINE
    ] = None
    pair: Annotated[str | None, option(help="Write lexical tables of this language pair, as ro-en."), LOCAL_MACHINE] = None
    out: Annotated[
        Path | None,
        option(help="Folder of lexical tables; default: resources/PAIR of the data folder."),
        OutFolder(),
        LOCAL_MACHINE,
    ] = None
    topics: Annotated[
        bool, option("--topics", help="Train topics, triggers and a word lexicon too, in minutes. Needs --pair."), LOCAL_MACHINE
    ] = False
    licence: Annotated[str, option(help="Licence of the text, for the manifest."), LOCAL_MACHINE] = "unknown"
