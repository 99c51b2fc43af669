"""`assay import-lm` and `import-lexical`: what other programs made, as resources of one's own."""

from pathlib import Path
from typing import Annotated

import typer

from app.building.importing.folders import Imported, import_language, import_pair
from app.building.importing.translations import Given
from app.shell.here import settings_here
from app.shell.output import check_folder, say
from app.text.language_tags import canonical_language
from app.text.languages import LanguagePair

__all__ = ["commands"]

commands = typer.Typer(rich_markup_mode=None)
Licence = Annotated[str, typer.Option(help="Licence of what is imported, for the manifest.")]
Replace = Annotated[bool, typer.Option("--replace", help="Write in the place of files that are there already.")]


@commands.command("import-lm")
def import_lm(
    model: Annotated[Path, typer.Argument(help="ARPA file, gzip or not, or a binary of KenLM of any type.")],
    counts: Annotated[
        list[Path], typer.Option(help="Counted n-grams, words, a tab and a count a line (SRILM's, QuEst's); repeat for several.")
    ],
    language: Annotated[str, typer.Option(help="Language of both, as ro.")],
    out: Annotated[Path | None, typer.Option(help="Folder to write; resources/LANGUAGE of the data folder otherwise.")] = None,
    licence: Licence = "unknown",
    replace: Replace = False,
) -> None:
    """Import a language model and counts of n-grams that other programs made."""
    language = canonical_language(language)
    folder = out or settings_here().own_resources_dir / language
    check_folder(folder, "--out")
    _told(import_language(language, model, counts, folder, licence, replace), folder)


@commands.command("import-lexical")
def import_lexical(
    forward: Annotated[Path, typer.Argument(help="p(target word | source word), as GIZA++ or Moses writes it.")],
    backward: Annotated[Path, typer.Argument(help="p(source word | target word).")],
    pair: Annotated[str, typer.Option(help="Language pair, as ro-en.")],
    given: Annotated[
        Given | None, typer.Option(help="Which word of a line the probability is given, where their sums do not tell.")
    ] = None,
    vocabularies: Annotated[
        tuple[Path, Path] | None,
        typer.Option(help="GIZA++'s .vcb files of source and target, where tables have numbers."),
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Folder to write; resources/PAIR of the data folder otherwise.")] = None,
    licence: Licence = "unknown",
    replace: Replace = False,
) -> None:
    """Import lexical tables of GIZA++ or Moses, in both directions."""
    wanted = LanguagePair.parse(pair)
    folder = out or settings_here().own_resources_dir / wanted.hyphenated
    check_folder(folder, "--out")
    _told(import_pair(wanted, forward, backward, folder, given, vocabularies, licence, replace), folder)


def _told(imported: Imported, folder: Path) -> None:
    for caution in imported.cautions:
        say(f"caution: {caution}")
    say(f"wrote {folder}")
