"""`assay mine`, `take-translations` and `translate-unknown`: more text for a system, and words that it did not know."""

from pathlib import Path
from typing import Annotated

import typer

from app.errors import InputError
from app.resources.language_models import open_language_model
from app.shell.output import check_file, check_folder, counted, say
from app.shell.parameters import number
from app.smt.corpus.harvest.automatic import take_translations
from app.smt.corpus.harvest.comparable import Limits, mine_files
from app.smt.corpus.harvest.unknown_words import CANDIDATES, MOST_CANDIDATES, STEMMERS, StemDictionary, translate_unknown

__all__ = ["commands"]

commands = typer.Typer(rich_markup_mode=None)
LIMITS = Limits()
Replace = Annotated[bool, typer.Option("--replace", help="Write in the place of files that are there already.")]


@commands.command()
def mine(
    source: Annotated[Path, typer.Argument(help="Source text, words with blanks between them, a sentence a line.")],
    translations: Annotated[Path, typer.Argument(help="Automatic translations of it, line by line.")],
    target: Annotated[Path, typer.Argument(help="Text in the target language that may say the same.")],
    out: Annotated[Path, typer.Option(help="Folder to write source, target and pairs.tsv into.")],
    ter: Annotated[float, number(about="Pairs have a lower TER than this, as a share.", low=0.0, shares=True)] = LIMITS.ter,
    candidates: Annotated[
        int, typer.Option(min=1, max=1000, help="Sentences to look at for each translation.")
    ] = LIMITS.candidates,
    ratio: Annotated[float, number(about="Most times that one side is longer than the other.", low=1.0)] = LIMITS.ratio,
    numbers: Annotated[float, number(about="Highest share of words with digits.", low=0.0, high=1.0, shares=True)] = LIMITS.numbers,
    dates: Annotated[tuple[Path, Path] | None, typer.Option(help="Dates of source and target lines, as 2011-07-27.")] = None,
    days: Annotated[int, typer.Option(min=0, help="Most days between both.")] = LIMITS.days,
    replace: Replace = False,
) -> None:
    """Find pairs of sentences in comparable texts: retrieval by automatic translations, then TER."""
    check_folder(out, "--out")
    made = mine_files(source, translations, target, out, Limits(candidates, ter, ratio, numbers, days), dates, replace)
    say(f"wrote {counted(len(made), 'pair')} to {out}")


@commands.command("take-translations")
def take(
    source: Annotated[Path, typer.Argument(help="Text that was translated, a sentence a line.")],
    lists: Annotated[Path, typer.Argument(help="N-best lists of it with links of words, as assay decode --n-best writes.")],
    out: Annotated[Path, typer.Option(help="Folder to write source, target and links into.")],
    most_cost: Annotated[float, number(about="Highest cost (minus the model score) for each word of a translation.")],
    replace: Replace = False,
) -> None:
    """Take automatic translations that a decoder was sure of as parallel text, with its links of words."""
    check_folder(out, "--out")
    made = take_translations(source, lists, out, most_cost, replace)
    say(f"took {made.pairs} of {counted(made.sentences, 'sentence')}")


@commands.command("translate-unknown")
def unknown(
    source: Annotated[Path, typer.Argument(help="Source text, words with blanks between them, a sentence a line.")],
    output: Annotated[Path, typer.Argument(help="A system's translation, which has unknown words as they are.")],
    table: Annotated[Path, typer.Option(help="Phrase table with four scores, whose pairs of words are the dictionary.")],
    language: Annotated[str, typer.Option(help=f"Language of the source: {', '.join(STEMMERS)}.")],
    lm: Annotated[Path, typer.Option("--lm", help="Language model of the target, which chooses.")],
    out: Annotated[Path, typer.Option(help="Write the translation.")],
    candidates: Annotated[
        int, typer.Option(min=1, max=MOST_CANDIDATES, help="Translations of a stem to choose from.")
    ] = CANDIDATES,
    replace: Replace = False,
) -> None:
    """Translate words that a system left as they are, by their stems and a dictionary of the phrase table."""
    check_file(out, "--out")
    if out.exists() and not replace:
        raise InputError("invalid-request", f"{out} is there already; --replace writes another in its place", ("--out",))
    dictionary = StemDictionary.read(table, language, candidates)
    lines, words = translate_unknown(source, output, dictionary, open_language_model(lm), out)
    say(f"translated {counted(words, 'word')} in {counted(lines, 'line')}")
