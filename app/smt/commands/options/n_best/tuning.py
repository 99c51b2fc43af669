"""Options of `assay nbest tune`."""

from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Annotated

from app.shell.declaration.command import declare
from app.shell.declaration.fields import argument, option
from app.shell.declaration.files import LOCAL_MACHINE, PLAIN_TEXT, InFile, OutFile, OutFolder
from app.shell.declaration.forms import Format
from app.shell.declaration.parameters import Server, number

__all__ = ["Missing", "MissingWeights", "OutForm", "TuneOptions"]

rounds_option = partial(option, panel="Rounds with --decoder")


class Missing(StrEnum):
    """Treatment of features without a weight."""

    REFUSED = "refused"
    ZERO = "zero"


class OutForm(StrEnum):
    """Forms of a file of weights."""

    JSON = "json"
    POINT = "weights.txt"
    DENSE = "dense"
    MIRA = "kbmira"


MissingWeights = Annotated[Missing, option(help="Features without a weight: refused, or zero.")]


@declare(server=True, resumes=True)
@dataclass(frozen=True, kw_only=True)
class TuneOptions:
    """Options of `assay nbest tune`."""

    n_best: Annotated[list[str], argument(help="N-best lists with features (- is stdin); several are merged."), InFile()]
    references: Annotated[
        list[str] | None, option("--reference", "-r", help="References, one per line, or NAME=FILE. Repeatable."), InFile()
    ] = None
    scores: Annotated[
        list[str] | None, option(help="BLEU statistics of Moses' extractor; the lists are its features. Repeatable."), InFile()
    ] = None
    method: Annotated[str, option(help="mert, pro, wro, mira, perceptron, samplerank ...; see docs."), PLAIN_TEXT] = "mert"
    metric: Annotated[str, option("--metric", "-m", help="Metric to tune towards; its statistics must add up."), PLAIN_TEXT] = (
        "bleu"
    )
    seed: Annotated[int, option(min=0, max=2147483648, help="Seed of the first run.")] = 1
    runs: Annotated[int, option(min=1, max=100, help="Runs, each with its own seed.")] = 1
    take: Annotated[str, option(help="Result of several runs: the best, or their mean."), PLAIN_TEXT] = "best"
    start: Annotated[str | None, option(help="Initial weights; default: equal ones."), InFile()] = None
    missing_weights: MissingWeights = Missing.REFUSED
    source: Annotated[str | None, option(help="Source texts, one per line."), InFile()] = None
    held_out: Annotated[list[str] | None, option(help="N-best lists, only measured. Repeat to merge."), InFile()] = None
    held_out_references: Annotated[
        list[str] | None,
        option("--held-out-reference", "--held-out-references", help="References of --held-out. Repeatable."),
        InFile(),
    ] = None
    held_out_source: Annotated[str | None, option(help="Source texts of --held-out, for neural metrics."), InFile()] = None
    out: Annotated[Path | None, option("--out", "-o", help="Output: weights, JSON with a card."), OutFile()] = None
    out_form: Annotated[OutForm, option(help="Form of --out: json, or Moses' form.")] = OutForm.JSON
    moses_ini: Annotated[Path | None, option(help="moses.ini to copy to --out with the tuned weights."), InFile()] = None
    decoder: Annotated[Path | None, rounds_option(help="moses.ini: tune by translating source sentences in rounds."), InFile()] = (
        None
    )
    rounds: Annotated[int, rounds_option(min=1, max=100, help="Most rounds.")] = 8
    list_length: Annotated[int, rounds_option(min=1, max=10000, help="Hypotheses per sentence and round.")] = 100
    step: Annotated[
        float, number(about="Share of the way that a round goes from the best weights.", panel="Rounds with --decoder", shares=True)
    ] = 0.5
    lattice: Annotated[bool, rounds_option("--lattice", help="The source is word lattices in Moses' form PLF.")] = False
    work: Annotated[Path | None, rounds_option(help="Folder of the rounds."), OutFolder()] = None
    changes: Annotated[int, option(min=0, help="Changed segments to show: largest gains and losses.")] = 0
    server: Annotated[Server, LOCAL_MACHINE] = None
    form: Annotated[Format, option("--format", "-f", help="Form of the answer.")] = Format.TEXT
