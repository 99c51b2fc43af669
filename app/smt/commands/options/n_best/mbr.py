"""Options of `assay nbest mbr`."""

from dataclasses import dataclass
from typing import Annotated

from app.shell.declaration.command import declare
from app.shell.declaration.fields import argument, option
from app.shell.declaration.files import LOCAL_MACHINE, PLAIN_TEXT, InFile
from app.shell.declaration.forms import Format
from app.shell.declaration.parameters import Server, number

__all__ = ["MbrOptions"]


@declare(server=True)
@dataclass(frozen=True, kw_only=True)
class MbrOptions:
    """Options of `assay nbest mbr`."""

    files: Annotated[list[str], argument(help="N-best list, parts of one, or outputs of systems: FILE, NAME=FILE."), InFile()]
    metric: Annotated[str, option("--metric", "-m", help="Metric of a candidate against other candidates."), PLAIN_TEXT] = "chrf"
    samples: Annotated[str | None, option(help="N-best list of pseudo-references; default: the candidates."), InFile()] = None
    model: Annotated[bool, option("--model", help="Weight references by softmax of scale × score.")] = False
    scale: Annotated[float, number(about="Inverse temperature.", low=0, high=1000)] = 1.0
    no_own: Annotated[bool, option("--no-own", help="Leave a candidate out of its own references.")] = False
    way: Annotated[str, option(help="exact, counts, coarse|keep:10|by:chrf, or pruned|confidence:0.99."), PLAIN_TEXT] = "exact"
    scores: Annotated[bool, option("--scores", help="Add the expected score of every candidate.")] = False
    server: Annotated[Server, LOCAL_MACHINE] = None
    form: Annotated[Format, option("--format", "-f", help="Form of the answer.")] = Format.TEXT
