"""Options of `assay corpus weight`, `resample` and `mix-lm`."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated

from app.shell.declaration.command import declare
from app.shell.declaration.fields import argument, option
from app.shell.declaration.files import LANGUAGE_MODELS, PLAIN_TEXT, REQUIREMENT, InFile, OutFile, OutFolder, Replacing
from app.shell.declaration.parameters import number

__all__ = ["MixLmOptions", "ResampleOptions", "WeightOptions"]

recency = partial(option, panel="Recency")
Corpora = Annotated[Path | None, option(help="Corpus of each pair, a name per line; default: one.")]


@declare(server=True)
@dataclass(frozen=True, kw_only=True)
class WeightOptions(Replacing):
    """Options of `assay corpus weight`."""

    text: Annotated[Path, argument(help="One side of the text, words between blanks."), InFile()]
    out: Annotated[Path | None, option(help="Output: a weight per line, for assay smt extract."), OutFile()] = None
    table: Annotated[Path | None, option(help="Output: corpora and scores, for assay smt phrase-table."), OutFile()] = None
    corpora: Annotated[Corpora, InFile()] = None
    corpus_weight: Annotated[
        list[str] | None, option(help="Weight of a corpus, as news=0.7; default 1. Repeatable."), PLAIN_TEXT
    ] = None
    held_out: Annotated[Path | None, option(help="In-domain text; it weights corpora by their models."), InFile()] = None
    order: Annotated[int, option(min=2, max=6, help="Longest n-gram of the corpora's models.")] = 3
    by_share: Annotated[bool, option("--by-share", help="Divide weights by corpus sizes.")] = False
    lm: Annotated[Path | None, option(help="In-domain language model: score by perplexity."), InFile(makers=LANGUAGE_MODELS)] = None
    most_perplexity: Annotated[float | None, number(about="Weight pairs of a higher perplexity 0.", low=1.0)] = None
    rates: Annotated[
        list[str] | None, recency("--decay", help="Score by recency, exp(-rate years), as 0.5 or news=0.5."), PLAIN_TEXT
    ] = None
    dates: Annotated[Path | None, recency(help="Date of each pair, as 2011-07-27; default: order of lines."), InFile()] = None
    span: Annotated[str, recency(help="Span of dates: day, week, month or year."), PLAIN_TEXT] = "year"
    spans: Annotated[int, recency(min=1, help="Spans of lines without dates.")] = 10
    years: Annotated[float, number(about="Years of lines without dates.", panel="Recency", low=0.0, high=10000.0)] = 10.0
    alignment: Annotated[
        Path | None, option(panel="Alignment", help="Scores of assay resources align: score by links."), InFile()
    ] = None
    form: Annotated[str, option(help="Scale of alignment scores: ratio, power or minmax.", panel="Alignment"), PLAIN_TEXT] = "ratio"
    smoothing: Annotated[float, number(about="Coefficient of alignment scores.", panel="Alignment")] = 0.1
    power: Annotated[list[str] | None, option(help="Power of a score, as recency=1; default 0.1. Repeatable."), PLAIN_TEXT] = None


@declare(server=True)
@dataclass(frozen=True, kw_only=True)
class ResampleOptions(Replacing):
    """Options of `assay corpus resample`."""

    files: Annotated[list[Path], argument(help="Source, target, links, and other files line by line."), InFile()]
    out: Annotated[Path, option(help="Output folder of the drawn files, under their names."), OutFolder()]
    factor: Annotated[float, number(about="Pairs to draw, as a multiple of all pairs.", low=0.0)] = 10.0
    size: Annotated[int | None, option(min=0, help="Pairs to draw, as a number.")] = None
    corpora: Annotated[Corpora, InFile()] = None
    share: Annotated[list[str] | None, option(help="Share of a corpus, as news=0.7; all corpora need one."), PLAIN_TEXT] = None
    scores: Annotated[Path | None, option(help="Probability that a drawn pair is taken, per line."), InFile()] = None
    original: Annotated[bool, option("--original/--no-original", help="Add each pair once, so that no phrase is lost.")] = True
    seed: Annotated[int, option(min=0, help="Seed of the draw.")] = 0


@declare(server=True)
@dataclass(frozen=True, kw_only=True)
class MixLmOptions(Replacing):
    """Options of `assay resources mix-lm`."""

    models: Annotated[list[Path], argument(help="ARPA files of the same order."), InFile()]
    held_out: Annotated[Path | None, option(help="Text for the weights, found by EM."), InFile()] = None
    weights: Annotated[str | None, option(help="Weights instead, as 0.7,0.3."), PLAIN_TEXT] = None
    out: Annotated[Path | None, option(help="Output: the mixture as an ARPA file."), OutFile(), REQUIREMENT] = None
