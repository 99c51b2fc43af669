"""Options of `assay nbest oracle`."""

from dataclasses import dataclass
from typing import Annotated

from app.shell.declaration.command import declare
from app.shell.declaration.fields import argument, option
from app.shell.declaration.files import LOCAL_MACHINE, PLAIN_TEXT, InFile
from app.shell.declaration.forms import Format
from app.shell.declaration.parameters import Server, number

__all__ = ["OracleOptions"]


@declare(server=True)
@dataclass(frozen=True, kw_only=True)
class OracleOptions:
    """Options of `assay nbest oracle`."""

    files: Annotated[list[str], argument(help="N-best lists (- is stdin); several are merged."), InFile()]
    references: Annotated[list[str], option("--reference", "-r", help="Reference file, or NAME=FILE. Repeatable."), InFile()]
    source: Annotated[str | None, option(help="Source texts, for neural metrics."), InFile()] = None
    metrics: Annotated[list[str] | None, option("--metrics", "-m", help="Metric. Repeatable."), PLAIN_TEXT] = None
    oracle_metric: Annotated[str, option(help="Sentence metric of the choice."), PLAIN_TEXT] = "sbleu"
    sizes: Annotated[list[int] | None, option("--size", help="Cut lists to this size too. Repeatable.")] = None
    shown: Annotated[int, option(min=1, max=10000, help="First hypotheses that a person would choose from.", panel="Analysis")] = 5
    mix: Annotated[float, number(about="Share of the model in mixed oracles.", panel="Analysis", low=0, high=1, shares=True)] = 0.5
    share: Annotated[float, number(about="Best share of a list to analyse.", panel="Analysis", low=0, high=1, shares=True)] = 0.1
    difference: Annotated[
        float | None, number(about="Threshold of DIFFERENCE; default: between mean and median.", panel="Analysis")
    ] = None
    diversity: Annotated[
        float | None, number(about="Threshold of DIVERSITY; default: between mean and median.", panel="Analysis")
    ] = None
    segments: Annotated[bool, option("--segments", "-s", help="Print one row per segment only.")] = False
    server: Annotated[Server, LOCAL_MACHINE] = None
    form: Annotated[Format, option("--format", "-f", help="Form of the answer.")] = Format.TEXT
