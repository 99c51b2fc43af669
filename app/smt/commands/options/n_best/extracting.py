"""Options of `assay nbest extract`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from app.shell.declaration.command import declare
from app.shell.declaration.fields import argument, option
from app.shell.declaration.files import PLAIN_TEXT, InFile, OutFile, Replacing

__all__ = ["ExtractScoresOptions"]


@declare(server=True)
@dataclass(frozen=True, kw_only=True)
class ExtractScoresOptions(Replacing):
    """Options of `assay nbest extract`."""

    files: Annotated[list[str], argument(help="N-best lists (- is stdin); several are merged."), InFile()]
    references: Annotated[list[str], option("--reference", "-r", help="Reference file, or NAME=FILE. Repeatable."), InFile()]
    features: Annotated[Path, option(help="Output: features of the hypotheses."), OutFile()]
    scores: Annotated[Path, option(help="Output: statistics of BLEU."), OutFile()]
    metric: Annotated[
        str, option("--metric", "-m", help="BLEU with its options; by default of the tokens as they are."), PLAIN_TEXT
    ] = "bleu|tok:none"
    binary: Annotated[bool, option("--binary", help="Write 32-bit floats; default: text.")] = False
