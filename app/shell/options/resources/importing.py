"""Options of `assay resources import-lm` and `import-lexical`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from app.shell.declaration.command import declare
from app.shell.declaration.fields import argument, option
from app.shell.declaration.files import LANGUAGE_MODELS, PLAIN_TEXT, REQUIREMENT, InFile, OutFolder, Replacing

__all__ = ["ImportLexicalOptions", "ImportLmOptions"]

Licence = Annotated[str, option(help="Licence of the import, for the manifest.")]


@declare(server=True)
@dataclass(frozen=True, kw_only=True)
class ImportLmOptions(Replacing):
    """Options of `assay resources import-lm`."""

    model: Annotated[Path, argument(help="ARPA file, gzip or not, or a KenLM binary."), InFile(makers=LANGUAGE_MODELS)]
    counts: Annotated[list[Path], option(help="N-gram counts (SRILM, QuEst). Repeatable."), InFile()]
    language: Annotated[str, option(help="Language of both, as ro."), PLAIN_TEXT]
    out: Annotated[
        Path | None, option(help="Output folder; default: resources/LANGUAGE of the data folder."), OutFolder(), REQUIREMENT
    ] = None
    licence: Annotated[Licence, PLAIN_TEXT] = "unknown"


@declare(server=True)
@dataclass(frozen=True, kw_only=True)
class ImportLexicalOptions(Replacing):
    """Options of `assay resources import-lexical`."""

    forward: Annotated[Path, argument(help="p(target word / source word), of GIZA++ or Moses."), InFile()]
    backward: Annotated[Path, argument(help="p(source word / target word)."), InFile()]
    pair: Annotated[str, option(help="Language pair, as ro-en."), PLAIN_TEXT]
    given: Annotated[
        Literal["first", "second"] | None, option(help="Position of the condition in a line, if sums do not show it.")
    ] = None
    vocabularies: Annotated[tuple[Path, Path] | None, option(help="GIZA++'s .vcb files of source and target."), InFile()] = None
    out: Annotated[
        Path | None, option(help="Output folder; default: resources/PAIR of the data folder."), OutFolder(), REQUIREMENT
    ] = None
    licence: Annotated[Licence, PLAIN_TEXT] = "unknown"
