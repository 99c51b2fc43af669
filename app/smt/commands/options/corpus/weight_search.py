"""Options of `assay smt search-weights`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from app.shell.declaration.command import declare
from app.shell.declaration.files import PLAIN_TEXT, InFile, OutFile, Replacing

__all__ = ["SearchWeightsOptions"]


@declare(server=True)
@dataclass(frozen=True, kw_only=True)
class SearchWeightsOptions(Replacing):
    """Options of `assay smt search-weights`."""

    extracted: Annotated[Path, typer.Argument(help="Folder of assay smt extract --numbered."), InFile()]
    pair_scores: Annotated[Path, typer.Option(help="Table of assay corpus weight; the search starts from it."), InFile()]
    config: Annotated[Path, typer.Option(help="moses.ini with one phrase table, which is replaced."), InFile()]
    source: Annotated[Path, typer.Option(help="Text to translate, tokenised as the system's."), InFile()]
    reference: Annotated[Path, typer.Option(help="Its translation."), InFile()]
    out: Annotated[Path, typer.Option(help="Output: best weights and all trials, as JSON."), OutFile()]
    power: Annotated[list[str] | None, typer.Option(help="Initial power, as recency=0.5; default 0.1."), PLAIN_TEXT] = None
    metric: Annotated[str, typer.Option(help="Metric of the search."), PLAIN_TEXT] = "bleu"
    trials: Annotated[int, typer.Option(min=1, help="Most trials.")] = 40
    table: Annotated[Path | None, typer.Option(help="Output: table of scores with the best weights."), OutFile()] = None
