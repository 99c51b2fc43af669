"""Options of `assay smt`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from app.shell.declaration.command import declare
from app.shell.declaration.files import LOCAL_MACHINE, PLAIN_TEXT, REQUIREMENT, InFile, OutFile, OutFolder
from app.shell.declaration.parameters import number

__all__ = ["SmtTrainOptions", "SmtTranslateOptions"]


@declare(server=True, resumes=True)
@dataclass(frozen=True, kw_only=True)
class SmtTrainOptions:
    """Options of `assay smt train`."""

    source: Annotated[Path, typer.Argument(help="Source text, words between blanks; gzip is read."), InFile()]
    target: Annotated[Path, typer.Argument(help="Target text."), InFile()]
    out: Annotated[Path, typer.Option(help="Folder of the system; finished steps are not repeated."), OutFolder()]
    dev: Annotated[tuple[Path, Path] | None, typer.Option(metavar="SOURCE TARGET", help="Text to tune weights on."), InFile()] = (
        None
    )
    untuned: Annotated[bool, typer.Option("--untuned", help="Leave the weights as Moses has them.")] = False
    lowercase: Annotated[bool, typer.Option("--lowercase", help="Lower-case all text.")] = False
    method: Annotated[
        str,
        typer.Option(help="Method of tuning, as in nbest tune, or samplerank-decoder ...", rich_help_panel="Tuning"),
        PLAIN_TEXT,
    ] = "mira"
    metric: Annotated[str, typer.Option("--metric", "-m", help="Metric to tune towards.", rich_help_panel="Tuning"), PLAIN_TEXT] = (
        "bleu|tok:none"
    )
    seed: Annotated[int, typer.Option(min=0, help="Seed of the first round of tuning.", rich_help_panel="Tuning")] = 1
    rounds: Annotated[int, typer.Option(min=1, max=100, help="Most rounds of tuning.", rich_help_panel="Tuning")] = 8
    list_length: Annotated[
        int, typer.Option(min=1, max=10000, help="Hypotheses per sentence and round.", rich_help_panel="Tuning")
    ] = 100
    step: Annotated[
        float, number(about="Share of the way that a round goes from the best weights.", panel="Tuning", shares=True)
    ] = 0.5
    tuning_stack: Annotated[int, typer.Option(min=1, help="Most hypotheses per stack while tuning.", rich_help_panel="Tuning")] = 30
    order: Annotated[int, typer.Option(min=2, max=7, help="Longest n-gram of the language model.")] = 5
    lm_text: Annotated[list[Path] | None, typer.Option(help="More target text for the language model. Repeatable."), InFile()] = (
        None
    )
    max_length: Annotated[int, typer.Option(min=1, max=100, help="Most words of a phrase.", rich_help_panel="Extraction")] = 7
    max_words: Annotated[int, typer.Option(min=1, max=1000, help="Most words of a sentence.", rich_help_panel="Extraction")] = 100
    reordering: Annotated[
        list[str] | None,
        typer.Option(help="Reordering model, or none. Repeatable.", rich_help_panel="Extraction"),
        PLAIN_TEXT,
    ] = None
    heuristic: Annotated[
        str,
        typer.Option(help="Symmetrisation of links.", rich_help_panel="Extraction"),
        PLAIN_TEXT,
    ] = "grow-diag-final-and"
    distortion_limit: Annotated[int, typer.Option(help="Longest jump in words, -1 for any.", rich_help_panel="Decoding")] = 6
    stack: Annotated[int, typer.Option(help="Hypotheses per stack.", rich_help_panel="Decoding")] = 100
    table_limit: Annotated[int, typer.Option(min=0, help="Translations per phrase; 0 for all.", rich_help_panel="Decoding")] = 20
    sparse: Annotated[
        list[str] | None,
        typer.Option(help="Sparse features to tune, as word-deletion. Repeatable.", rich_help_panel="Tuning"),
        PLAIN_TEXT,
    ] = None
    memory: Annotated[int, typer.Option(min=16, help="Megabytes for sorting.")] = 512
    replace_tuned: Annotated[bool, typer.Option("--replace", help="With --untuned: discard tuned weights."), LOCAL_MACHINE] = False


@declare(server=True)
@dataclass(frozen=True, kw_only=True)
class SmtTranslateOptions:
    """Options of `assay smt translate`."""

    system: Annotated[Path, typer.Argument(help="Folder of a system, trained or packed."), InFile()]
    text: Annotated[str, typer.Argument(help="Text, as for training; - is stdin."), InFile(), REQUIREMENT] = "-"
    n_best: Annotated[
        tuple[Path, int] | None,
        typer.Option(metavar="FILE N", help="Output: N best derivations of each sentence."),
        OutFile(first=True),
    ] = None
    distinct: Annotated[bool, typer.Option("--distinct", help="N best different translations.")] = False
    untuned: Annotated[bool, typer.Option("--untuned", help="Translate with the weights before tuning.")] = False
    stack: Annotated[int | None, typer.Option(help="Hypotheses per stack; default: as configured.")] = None
    distortion_limit: Annotated[int | None, typer.Option(help="Longest jump in words, -1 for any.")] = None
    segmentation: Annotated[bool, typer.Option("--segmentation", help="Print the source span behind each phrase.")] = False
