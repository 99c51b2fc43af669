"""Options of `assay smt search-weights`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from app.shell.declaration.command import declare
from app.shell.declaration.fields import argument, option
from app.shell.declaration.files import PLAIN_TEXT, InFile, OutFile, Replacing

__all__ = ["SearchWeightsOptions"]


@declare(server=True)
@dataclass(frozen=True, kw_only=True)
class SearchWeightsOptions(Replacing):
    """Options of `assay smt search-weights`."""

    extracted: Annotated[Path, argument(help="Folder of assay smt extract --numbered."), InFile()]
    pair_scores: Annotated[Path, option(help="Table of assay corpus weight; the search starts from it."), InFile()]
    config: Annotated[Path, option(help="moses.ini with one phrase table, which is replaced."), InFile()]
    source: Annotated[Path, option(help="Text to translate, tokenised as the system's."), InFile()]
    reference: Annotated[Path, option(help="Translation of the source."), InFile()]
    out: Annotated[Path, option(help="Output: best weights and all trials, as JSON."), OutFile()]
    power: Annotated[list[str] | None, option(help="Initial power, as recency=0.5; default 0.1."), PLAIN_TEXT] = None
    metric: Annotated[str, option(help="Metric of the search."), PLAIN_TEXT] = "bleu"
    trials: Annotated[int, option(min=1, help="Most trials.")] = 40
    table: Annotated[Path | None, option(help="Output: table of scores with the best weights."), OutFile()] = None
