"""Options of `assay resources lm`, `tagger`, `grammar` and `names`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from app.shell.declaration.command import declare
from app.shell.declaration.fields import argument, option
from app.shell.declaration.files import PLAIN_TEXT, REQUIREMENT, InFile, OutFolder, Replacing

__all__ = ["GrammarOptions", "LmOptions", "NamesOptions", "TaggerOptions"]

Licence = Annotated[str, option(help="Licence of the text, for the manifest.")]


@declare(server=True)
@dataclass(frozen=True, kw_only=True)
class LmOptions(Replacing):
    """Options of `assay resources lm`."""

    texts: Annotated[list[str], argument(help="Text files, or FILE:COLUMN of a table; gzip is read."), InFile()]
    language: Annotated[str, option(help="Language of the text, as ro."), PLAIN_TEXT]
    out: Annotated[
        Path | None, option(help="Output folder; default: resources/LANGUAGE of the data folder."), OutFolder(), REQUIREMENT
    ] = None
    order: Annotated[int, option(min=2, max=6, help="Longest n-gram of the language model.")] = 3
    arpa: Annotated[bool, option("--arpa", help="Write lm.arpa too.")] = False
    tokenised: Annotated[bool, option("--tokenised", help="Words are between blanks, as for a decoder. Needs --out.")] = False
    lowercase: Annotated[bool, option("--lowercase", help="Lower-case the words of --tokenised.")] = False
    licence: Annotated[Licence, PLAIN_TEXT] = "unknown"


@dataclass(frozen=True, kw_only=True)
class TaggerOptions(Replacing):
    """Options of `assay resources tagger`."""

    treebank: Annotated[Path, argument(help="Folder of train.conllu.gz and test.conllu.gz.")]
    language: Annotated[str, option(help="Language of the treebank, as ro.")]
    out: Annotated[Path | None, option(help="Output folder; default: resources/LANGUAGE/tagger.")] = None
    words: Annotated[int, option(min=100, help="Most words for UDPipe: a minute for each 10,000.")] = 100000


@dataclass(frozen=True, kw_only=True)
class GrammarOptions(Replacing):
    """Options of `assay resources grammar`."""

    treebanks: Annotated[list[Path], argument(help="Files of trees in brackets; gzip is read.")]
    language: Annotated[str, option(help="Language of the treebank, as en.")]
    out: Annotated[Path | None, option(help="Output folder; default: resources/LANGUAGE/grammar.")] = None
    licence: Licence = "unknown"


@dataclass(frozen=True, kw_only=True)
class NamesOptions(Replacing):
    """Options of `assay resources names`."""

    train: Annotated[list[Path], argument(help="Files of words with classes of entities; gzip is read.")]
    test: Annotated[Path, option(help="Measure accuracy on this file.")]
    language: Annotated[str, option(help="Language of the files, as en.")]
    out: Annotated[Path | None, option(help="Output folder; default: resources/LANGUAGE/names.")] = None
    licence: Licence = "unknown"
