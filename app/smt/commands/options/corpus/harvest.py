"""Options of `assay corpus mine`, `take-translations` and `translate-unknown`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from app.shell.declaration.command import declare
from app.shell.declaration.fields import argument, option
from app.shell.declaration.files import LANGUAGE_MODELS, PLAIN_TEXT, InFile, OutFile, OutFolder, Replacing
from app.shell.declaration.parameters import number

__all__ = ["MineOptions", "TakeTranslationsOptions", "TranslateUnknownOptions"]


@declare(server=True)
@dataclass(frozen=True, kw_only=True)
class MineOptions(Replacing):
    """Options of `assay corpus mine`."""

    source: Annotated[Path, argument(help="Source text, words between blanks."), InFile()]
    translations: Annotated[Path, argument(help="Automatic translations, line by line."), InFile()]
    target: Annotated[Path, argument(help="Text in the target language."), InFile()]
    out: Annotated[Path, option(help="Output folder of source, target and pairs.tsv."), OutFolder()]
    ter: Annotated[float, number(about="TER that pairs must stay below, as a share.", low=0.0, shares=True)] = 0.75
    candidates: Annotated[int, option(min=1, max=1000, help="Target sentences to compare with each translation.")] = 10
    ratio: Annotated[float, number(about="Most times that one side is longer than the other.", low=1.0)] = 2.0
    numbers: Annotated[float, number(about="Highest share of words with digits.", low=0.0, high=1.0, shares=True)] = 0.5
    dates: Annotated[tuple[Path, Path] | None, option(help="Dates of source and target lines, as 2011-07-27."), InFile()] = None
    days: Annotated[int, option(min=0, help="Most days between both.")] = 5


@declare(server=True)
@dataclass(frozen=True, kw_only=True)
class TakeTranslationsOptions(Replacing):
    """Options of `assay corpus take-translations`."""

    source: Annotated[Path, argument(help="Source text, one sentence per line."), InFile()]
    lists: Annotated[Path, argument(help="N-best lists with word links, of assay smt decode --n-best."), InFile()]
    out: Annotated[Path, option(help="Output folder of source, target and links."), OutFolder()]
    most_cost: Annotated[float, number(about="Highest cost (minus the model score) per word.")]


@declare(server=True)
@dataclass(frozen=True, kw_only=True)
class TranslateUnknownOptions(Replacing):
    """Options of `assay smt translate-unknown`."""

    source: Annotated[Path, argument(help="Source text, words between blanks."), InFile()]
    output: Annotated[Path, argument(help="Translation that has unknown words untranslated."), InFile()]
    table: Annotated[Path, option(help="Phrase table with four scores; its word pairs are the dictionary."), InFile()]
    language: Annotated[str, option(help="Source language with a stemmer, as de or fr."), PLAIN_TEXT]
    lm: Annotated[Path, option(help="Target language model, which chooses."), InFile(makers=LANGUAGE_MODELS)]
    out: Annotated[Path, option(help="Output: the translation."), OutFile()]
    candidates: Annotated[int, option(min=1, max=1000, help="Translations per stem.")] = 10
