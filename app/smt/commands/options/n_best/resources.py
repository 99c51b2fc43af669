"""Options of `assay resources word-lexicon`, `translation-model` and `continuous-space-model`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from app.shell.declaration.command import declare
from app.shell.declaration.fields import argument, option
from app.shell.declaration.files import InFile, OutFile, Replacing

__all__ = ["ContinuousSpaceModelOptions", "TranslationModelOptions", "WordLexiconOptions"]

Out = Annotated[Path, option("--out", "-o", help="Output file.")]
Passes = Annotated[int, option(min=1, max=100, help="Passes through all pairs.")]
Seed = Annotated[int, option(min=0, max=2147483648, help="Seed; the output depends on text and seed only.")]
Cased = Annotated[bool, option("--cased", help="Keep capital letters, as nbest rerank --cased.")]


@declare(server=True)
@dataclass(frozen=True, kw_only=True)
class WordLexiconOptions(Replacing):
    """Options of `assay resources word-lexicon`."""

    source: Annotated[str, argument(help="Source text, tokens between blanks; FILE:COLUMN."), InFile()]
    target: Annotated[str, argument(help="Translation of the source, line by line."), InFile()]
    out: Annotated[Out, OutFile()]
    passes: Passes = 4
    pairs: Annotated[int, option(min=1, max=5000000, help="Most pairs, evenly spaced.")] = 200000
    seed: Seed = 1
    cased: Cased = False


@declare(server=True)
@dataclass(frozen=True, kw_only=True)
class TranslationModelOptions(WordLexiconOptions):
    """Options of `assay resources translation-model`."""

    passes: Passes = 6


@declare(server=True)
@dataclass(frozen=True, kw_only=True)
class ContinuousSpaceModelOptions(Replacing):
    """Options of `assay resources continuous-space-model`."""

    text: Annotated[str, argument(help="Text of the target language; FILE:COLUMN."), InFile()]
    out: Annotated[Out, OutFile()]
    order: Annotated[int, option(min=2, max=10, help="Longest n-gram.")] = 5
    passes: Passes = 5
    lines: Annotated[int, option(min=1, max=5000000, help="Most lines, evenly spaced.")] = 200000
    seed: Seed = 1
    cased: Cased = False
