"""Options for files of a decoder, which several commands share."""

from dataclasses import dataclass
from typing import Annotated, Final

from app.shell.declaration.fields import option

__all__ = ["DecoderOptions"]

PANEL: Final = "Outputs of the MT system"


@dataclass(frozen=True, kw_only=True)
class DecoderOptions:
    """Files that a decoder writes beside its translations."""

    n_best: Annotated[str | None, option(help="N-best lists: of Moses, or QuEst's XML.", panel=PANEL)] = None
    moses_log: Annotated[str | None, option(help="Moses' log of the sources, by -verbose 2.", panel=PANEL)] = None
    search_graph: Annotated[str | None, option(help="Moses' search graph of the sources.", panel=PANEL)] = None
