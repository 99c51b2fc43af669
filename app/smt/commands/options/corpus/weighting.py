"""Options of `assay corpus weight`, `resample` and `mix-lm`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from app.shell.declaration.command import declare
from app.shell.declaration.files import LANGUAGE_MODELS, PLAIN_TEXT, REQUIREMENT, InFile, OutFile, OutFolder, Replacing
from app.shell.declaration.parameters import number

__all__ = ["MixLmOptions", "ResampleOptions", "WeightOptions"]

Corpora = Annotated[Path | None, typer.Option(help="Corpus of each pair, a name per line; default: one.")]


@declare(server=True)
@dataclass(frozen=True, kw_only=True)
class WeightOptions(Replacing):
    """Options of `assay corpus weight`."""

    text: Annotated[Path, typer.Argument(help="One side of the text, words between blanks."), InFile()]
    out: Annotated[Path | None, typer.Option(help="Output: a weight per line, for assay smt extract."), OutFile()] = None
    table: Annotated[Path | None, typer.Option(help="Output: corpora and scores, for assay smt phrase-table."), OutFile()] = None
    corpora: Annotated[Corpora, InFile()] = None
    corpus_weight: Annotated[
        list[str] | None, typer.Option(help="Weight of a corpus, as news=0.7; default 1. Repeatable."), PLAIN_TEXT
    ] = None
    held_out: Annotated[Path | None, typer.Option(help="In-domain text; it weights corpora by their models."), InFile()] = None
    order: Annotated[int, typer.Option(min=2, max=6, help="Longest n-gram of the corpora's models.")] = 3
    by_share: Annotated[bool, typer.Option("--by-share", help="Divide weights by corpus sizes.")] = False
    lm: Annotated[
        Path | None,
        typer.Option("--lm", help="In-domain language model: score by perplexity."),
        InFile(makers=LANGUAGE_MODELS),
    ] = None
    most_perplexity: Annotated[float | None, number(about="Weight pairs of a higher perplexity 0.", low=1.0)] = None
    rates: Annotated[
        list[str] | None,
        typer.Option("--decay", help="Score by recency, exp(-rate years), as 0.5 or news=0.5.", rich_help_panel="Recency"),
        PLAIN_TEXT,
    ] = None
    dates: Annotated[
        Path | None,
        typer.Option(help="Date of each pair, as 2011-07-27; default: order of lines.", rich_help_panel="Recency"),
        InFile(),
    ] = None
    span: Annotated[str, typer.Option(help="Span of dates: day, week, month or year.", rich_help_panel="Recency"), PLAIN_TEXT] = (
        "year"
    )
    spans: Annotated[int, typer.Option(min=1, help="Spans of lines without dates.", rich_help_panel="Recency")] = 10
    years: Annotated[float, number(about="Years of lines without dates.", panel="Recency", low=0.0, high=10000.0)] = 10.0
    alignment: Annotated[
        Path | None, typer.Option(help="Scores of assay resources align: score by links.", rich_help_panel="Alignment"), InFile()
    ] = None
    form: Annotated[
        str, typer.Option(help="Scale of alignment scores: ratio, power or minmax.", rich_help_panel="Alignment"), PLAIN_TEXT
    ] = "ratio"
    smoothing: Annotated[float, number(about="Coefficient of alignment scores.", panel="Alignment")] = 0.1
    power: Annotated[
        list[str] | None,
        typer.Option(help="Power of a score, as recency=1; default 0.1. Repeatable."),
        PLAIN_TEXT,
    ] = None


@declare(server=True)
@dataclass(frozen=True, kw_only=True)
class ResampleOptions(Replacing):
    """Options of `assay corpus resample`."""

    files: Annotated[list[Path], typer.Argument(help="Source, target, links, and other files line by line."), InFile()]
    out: Annotated[Path, typer.Option(help="Output folder of the drawn files, under their names."), OutFolder()]
    factor: Annotated[float, number(about="Pairs to draw, as a multiple of all pairs.", low=0.0)] = 10.0
    size: Annotated[int | None, typer.Option(min=0, help="Pairs to draw, as a number.")] = None
    corpora: Annotated[Corpora, InFile()] = None
    share: Annotated[list[str] | None, typer.Option(help="Share of a corpus, as news=0.7; all corpora need one."), PLAIN_TEXT] = (
        None
    )
    scores: Annotated[
        Path | None,
        typer.Option(help="Probability that a drawn pair is taken, per line."),
        InFile(),
    ] = None
    original: Annotated[bool, typer.Option("--original/--no-original", help="Add each pair once, so that no phrase is lost.")] = (
        True
    )
    seed: Annotated[int, typer.Option(min=0, help="Seed of the draw.")] = 0


@declare(server=True)
@dataclass(frozen=True, kw_only=True)
class MixLmOptions(Replacing):
    """Options of `assay resources mix-lm`."""

    models: Annotated[list[Path], typer.Argument(help="ARPA files of the same order."), InFile()]
    held_out: Annotated[Path | None, typer.Option(help="Text for the weights, found by EM."), InFile()] = None
    weights: Annotated[str | None, typer.Option(help="Weights instead, as 0.7,0.3."), PLAIN_TEXT] = None
    out: Annotated[Path | None, typer.Option(help="Output: the mixture as an ARPA file."), OutFile(), REQUIREMENT] = None
