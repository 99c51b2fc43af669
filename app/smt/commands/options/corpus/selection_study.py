"""Options of `assay select-study`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from app.shell.declaration.forms import Format

__all__ = ["StudyOptions"]


@dataclass(frozen=True, kw_only=True)
class StudyOptions:
    """Options of `assay corpus study`."""

    source: Annotated[Path, typer.Argument(help="Source text, words between blanks; gzip is read.")]
    target: Annotated[Path, typer.Argument(help="Its translation, which weights are tuned towards.")]
    methods: Annotated[
        list[str],
        typer.Option(
            "--method",
            "-m",
            help="Method of choice, as random, length, la. Repeatable.",
        ),
    ]
    n_best: Annotated[Path, typer.Option(help="N-best lists of the sources, with features.")]
    held_out: Annotated[Path, typer.Option(help="N-best lists that measure the weights.")]
    held_out_reference: Annotated[list[Path], typer.Option(help="Reference of --held-out. Repeatable.")]
    words: Annotated[
        list[int] | None,
        typer.Option(min=1, help="Source words to choose; default: all. Repeatable."),
    ] = None
    diversity: Annotated[
        list[float] | None,
        typer.Option(min=0, max=1, help="Skip sources this similar (BLEU) to a recent choice. Repeatable."),
    ] = None
    repeats: Annotated[int, typer.Option(min=1, max=100, help="Repeats, each with its own seed.")] = 3
    seed: Annotated[int, typer.Option(min=0, max=1073741824, help="Seed of the first repeat.")] = 1
    tuner: Annotated[str, typer.Option(help="Method of tuning, as in assay nbest tune.")] = "mert"
    metric: Annotated[str, typer.Option(help="Metric to tune towards and to measure.")] = "bleu|tok:none"
    links: Annotated[Path | None, typer.Option(help="Word links, as 0-0 1-2.", rich_help_panel="Data of methods")] = None
    in_source: Annotated[Path | None, typer.Option(help="In-domain source text.", rich_help_panel="Data of methods")] = None
    in_target: Annotated[Path | None, typer.Option(help="In-domain target text.", rich_help_panel="Data of methods")] = None
    in_links: Annotated[Path | None, typer.Option(help="Word links of the in-domain text.", rich_help_panel="Data of methods")] = (
        None
    )
    train_source: Annotated[
        Path | None, typer.Option(help="Source text to train ibm1 on; default: a sample.", rich_help_panel="Data of methods")
    ] = None
    train_target: Annotated[Path | None, typer.Option(help="Target text to train ibm1 on.", rich_help_panel="Data of methods")] = (
        None
    )
    aligner: Annotated[
        Path | None, typer.Option(help="Aligner, saved by assay resources align.", rich_help_panel="Data of methods")
    ] = None
    function_words: Annotated[
        str | None,
        typer.Option(help="Function words of the target: a file, or a language, as en.", rich_help_panel="Data of methods"),
    ] = None
    wanted_n_best: Annotated[
        Path | None, typer.Option(help="N-best lists of the text to translate.", rich_help_panel="Data of methods")
    ] = None
    form: Annotated[Format, typer.Option("--format", "-f", help="Form of the answer.")] = Format.TEXT
