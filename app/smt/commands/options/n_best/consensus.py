"""Options of `assay nbest mbr` and `combine`."""

from dataclasses import dataclass
from typing import Annotated

from app.shell.declaration.command import declare
from app.shell.declaration.fields import argument, option
from app.shell.declaration.files import LOCAL_MACHINE, PLAIN_TEXT, InFile
from app.shell.declaration.forms import Format
from app.shell.declaration.parameters import Server, number

__all__ = ["CombineOptions", "MbrOptions"]


@declare(server=True)
@dataclass(frozen=True, kw_only=True)
class MbrOptions:
    """Options of `assay nbest mbr`."""

    files: Annotated[list[str], argument(help="N-best list, parts of one, or outputs of systems: FILE, NAME=FILE."), InFile()]
    metric: Annotated[str, option("--metric", "-m", help="Metric of a candidate against other candidates."), PLAIN_TEXT] = "chrf"
    source: Annotated[str | None, option(help="Source texts, for neural metrics."), InFile()] = None
    samples: Annotated[str | None, option(help="N-best list of pseudo-references; default: the candidates."), InFile()] = None
    model: Annotated[bool, option("--model", help="Weight references by softmax of scale × score.")] = False
    scale: Annotated[float, number(about="Inverse temperature.", low=0, high=1000)] = 1.0
    leave_one_out: Annotated[bool, option("--no-own", help="Leave a candidate out of its own references.")] = False
    way: Annotated[str, option(help="exact, counts, coarse|keep:10|by:chrf, or pruned|confidence:0.99."), PLAIN_TEXT] = "exact"
    scores: Annotated[bool, option("--scores", help="Add the expected score of every candidate.")] = False
    server: Annotated[Server, LOCAL_MACHINE] = None
    form: Annotated[Format, option("--format", "-f", help="Form of the answer.")] = Format.TEXT


@dataclass(frozen=True, kw_only=True)
class CombineOptions:
    """Options of `assay nbest combine`."""

    files: Annotated[list[str], argument(help="Outputs of two or more systems: FILE or NAME=FILE.")]
    dev: Annotated[list[str] | None, option(help="Output of a system to tune weights on. One per system.")] = None
    reference: Annotated[list[str] | None, option("--reference", "-r", help="Reference of --dev. Repeatable.")] = None
    metric: Annotated[str, option("--metric", "-m", help="Metric to tune towards.")] = "bleu"
    method: Annotated[str, option(help="Method of tuning.")] = "mert|restarts:2|directions:5"
    seed: Annotated[int, option(min=0, max=2147483647, help="Seed of tuning.")] = 1
    rounds: Annotated[int, option(min=1, max=10, help="Rounds of path search and tuning.", panel="Search")] = 3
    weights: Annotated[str | None, option(help="JSON of an earlier answer with its weights.")] = None
    lm: Annotated[str | None, option(help="Language model (ARPA or KenLM) of lower-case words.")] = None
    backbone: Annotated[str, option(help="Choice of the output that others are aligned to.", panel="Search")] = "bleu"
    consensus: Annotated[str, option(help="Measure of a path against all outputs.", panel="Search")] = "bleu"
    paths: Annotated[int, option(min=1, max=1000, help="Paths per segment.", panel="Search")] = 100
    words: Annotated[bool, option("--words", help="Add the systems of each word.")] = False
    measure: Annotated[list[str] | None, option(help="Reference of the outputs, only measured. Repeatable.")] = None
    server: Server = None
    form: Annotated[Format, option("--format", "-f", help="Form of the answer.")] = Format.TEXT
