"""Options of `assay smt preorder train`, `apply` and `head-final`."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Literal

from app.shell.declaration.command import declare
from app.shell.declaration.fields import argument, option
from app.shell.declaration.files import PLAIN_TEXT, REQUIREMENT, InFile, OutFolder
from app.shell.declaration.parameters import number

__all__ = ["HeadFinalOptions", "PreorderApplyOptions", "PreorderTrainOptions"]

learning = partial(option, panel="Learning")


@declare(server=True, resumes=True)
@dataclass(frozen=True, kw_only=True)
class PreorderTrainOptions:
    """Options of `assay smt preorder train`."""

    source: Annotated[Path, argument(help="Source text, words between blanks; gzip is read."), InFile()]
    target: Annotated[Path, argument(help="Target text."), InFile()]
    links: Annotated[Path, argument(help="Word links, as 0-0 1-2."), InFile()]
    out: Annotated[Path, option(help="Folder of the model; a killed training of a grammar goes on there."), OutFolder()]
    method: Annotated[
        Literal["grammar", "bracketing"], option(help="Reordering Grammar, or a linear model that divides sentences top-down.")
    ] = "grammar"
    language: Annotated[
        str | None, option(help="Language of the source, as en: parts of speech for rare words, or beside words."), PLAIN_TEXT
    ] = None
    trees: Annotated[
        Literal["forest", "itg", "left", "right"], option(help="Trees of a sentence: all, all of a binary sentence, or one.")
    ] = "forest"
    attach: Annotated[Literal["right", "left"], option(help="Side of the phrase that a word without links joins.")] = "right"
    splits: Annotated[
        tuple[int, int], learning(metavar="BINARY WIDE", help="Splits of labels with two children, and with more.")
    ] = (30, 3)
    iterations: Annotated[int, learning(min=1, max=1000, help="Iterations of the grammar, or passes of bracketing.")] = 10
    rare: Annotated[int, learning(min=0, max=1000000, help="A word seen so often, or less often, is rare.")] = 3
    noise: Annotated[
        float, number(about="Random share of each probability at the split.", panel="Learning", shares=True, low=0, high=1)
    ] = 0.5
    smoothing: Annotated[
        float, number(about="Share of the mean of all splits in each split.", panel="Learning", shares=True, low=0, high=1)
    ] = 0.0
    models: Annotated[int, learning(min=1, max=16, help="Models of successive seeds, which choose an order together.")] = 1
    seed: Annotated[int, learning(min=0, max=2147483648, help="Seed; the output depends on files and options only.")] = 1
    threads: Annotated[int, option(min=1, max=64, help="Threads; the output does not depend on them.")] = 2
    licence: Annotated[str, option(help="Licence of the training text, for the card."), PLAIN_TEXT] = "unknown"


@declare(server=True)
@dataclass(frozen=True, kw_only=True)
class PreorderApplyOptions:
    """Options of `assay smt preorder apply`."""

    folder: Annotated[Path, argument(help="Folder of assay smt preorder train."), InFile()]
    text: Annotated[str, argument(help="Text, as for training; - is stdin."), InFile(), REQUIREMENT] = "-"
    to: Annotated[
        Literal["text", "positions", "json", "plf", "lattice", "tree", "svg"],
        option(help="Words or positions in their new order, JSON, lattices in PLF or JSON, trees as text or SVG."),
    ] = "text"
    n_best: Annotated[int | None, option(min=1, max=100, help="Orders per sentence; default: 100 in lattices, 1 elsewhere.")] = None
    samples: Annotated[int, option(min=1, max=20000, help="Trees drawn from the charts of a sentence.")] = 10000
    seed: Annotated[int, option(min=0, max=2147483648, help="Seed of the samples.")] = 1


@dataclass(frozen=True, kw_only=True)
class HeadFinalOptions:
    """Options of `assay smt preorder head-final`."""

    text: Annotated[str, argument(help="Text, words between blanks; - is stdin."), InFile(), REQUIREMENT] = "-"
    language: Annotated[str, option(help="Language of the text, as en: its tagger finds governors.")]
    to: Annotated[
        Literal["text", "positions", "tree", "svg"], option(help="Words or positions in their new order, trees as text or SVG.")
    ] = "text"
