"""`assay lm` and `tagger`: making resources from text."""

from pathlib import Path
from typing import Annotated

import typer

from app.building.building import build_language_resources
from app.building.tagging import MOST_WORDS_SHIPPED, build_tagger
from app.errors import InputError
from app.shell.here import settings_here
from app.shell.output import check_folder, say
from app.text.language_tags import canonical_language

__all__ = ["commands"]

commands = typer.Typer(rich_markup_mode=None)
Licence = Annotated[str, typer.Option(help="Licence of the text, for the manifest.")]
Replace = Annotated[bool, typer.Option("--replace", help="Write in the place of files that are there already.")]


@commands.command()
def lm(
    texts: Annotated[list[str], typer.Argument(help="Text files, one segment a line, or FILE:COLUMN of a table; gzip is read.")],
    language: Annotated[str, typer.Option(help="Language of the text, as ro.")],
    out: Annotated[Path | None, typer.Option(help="Folder to write; resources/LANGUAGE of the data folder otherwise.")] = None,
    order: Annotated[int, typer.Option(min=2, max=6, help="Longest n-gram of the language model.")] = 3,
    arpa: Annotated[bool, typer.Option("--arpa", help="Write lm.arpa too.")] = False,
    tokenised: Annotated[
        bool,
        typer.Option(
            "--tokenised",
            help="Words are what stands between blanks, in their case, as for a decoder; lower-cased and cut as for features "
            "otherwise. Needs --out.",
        ),
    ] = False,
    lowercase: Annotated[bool, typer.Option("--lowercase", help="Lower-case the words of --tokenised.")] = False,
    licence: Licence = "unknown",
    replace: Replace = False,
) -> None:
    """Estimate a language model and count n-grams."""
    language = canonical_language(language)
    if tokenised and out is None:
        raise InputError("invalid-request", "features ask for other words: name a folder of its own by --out", ("--tokenised",))
    if lowercase and not tokenised:
        raise InputError("invalid-request", "words for features are lower-cased as they are", ("--lowercase",))
    folder = out or settings_here().own_resources_dir / language
    _check(texts)
    check_folder(folder, "--out")
    build_language_resources(language, texts, folder, order, licence, arpa, replace, tokenised, lowercase)
    say(f"wrote {folder}")


@commands.command()
def tagger(
    treebank: Annotated[Path, typer.Argument(help="Folder with train.conllu.gz and test.conllu.gz.")],
    language: Annotated[str, typer.Option(help="Language of the treebank, as ro.")],
    out: Annotated[
        Path | None, typer.Option(help="Folder to write; resources/LANGUAGE/tagger of the data folder otherwise.")
    ] = None,
    words: Annotated[
        int, typer.Option(min=100, help="Most words that UDPipe is trained on: a minute for each 10,000.")
    ] = MOST_WORDS_SHIPPED,
    replace: Replace = False,
) -> None:
    """Train taggers and parsers on a treebank, and a language model of its tags."""
    language = canonical_language(language)
    for name in ("train.conllu.gz", "test.conllu.gz"):
        if not (treebank / name).is_file():
            raise InputError("invalid-request", f"{treebank} holds no {name}")
    folder = out or settings_here().own_resources_dir / language / "tagger"
    check_folder(folder, "--out")
    build_tagger(language, treebank, folder, words, replace)
    say(f"wrote {folder}")


def _check(specs: list[str]) -> None:
    for spec in specs:
        if not Path(spec).is_file() and not Path(spec.rpartition(":")[0]).is_file():
            raise InputError("invalid-request", f"{spec} is neither a file nor FILE:COLUMN")
