"""Options of `assay nbest tune-local`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from app.shell.declaration.fields import argument, option
from app.shell.declaration.forms import Format
from app.smt.commands.options.n_best.tuning import Missing, MissingWeights

__all__ = ["TuneLocalOptions"]


@dataclass(frozen=True, kw_only=True)
class TuneLocalOptions:
    """Options of `assay nbest tune-local`."""

    n_best: Annotated[list[str], argument(help="Development lists with features; several are merged.")]
    references: Annotated[list[str], option("--reference", "-r", help="References, one per line. Repeatable.")]
    source: Annotated[str, option(help="Source texts, one per line.")]
    test: Annotated[list[str], option(help="Lists to choose from. Repeat to merge.")]
    test_source: Annotated[str, option(help="Source texts of --test, one per line.")]
    test_references: Annotated[
        list[str] | None, option("--test-reference", help="References of --test, only measured. Repeatable.")
    ] = None
    method: Annotated[str, option(help="Method, as wro-local|similar:10|top:0.1.")] = "wro-local"
    metric: Annotated[str, option("--metric", "-m", help="Metric to tune towards.")] = "bleu"
    seed: Annotated[int, option(min=0, help="Seed of the drawn pairs.")] = 1
    start: Annotated[str | None, option(help="Weights file; constant features keep its weights.")] = None
    missing_weights: MissingWeights = Missing.REFUSED
    out: Annotated[Path | None, option("--out", "-o", help="Output: weights of every sentence, as JSON.")] = None
    form: Annotated[Format, option("--format", "-f", help="Form of the answer.")] = Format.TEXT
