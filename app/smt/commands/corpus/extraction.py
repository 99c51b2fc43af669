"""`assay extract`: phrases out of word-aligned text."""

from pathlib import Path
from typing import Annotated

import typer

from app.shell.output import check_folder, counted, say
from app.smt.corpus.phrases.extraction import LONGEST_PHRASE, extract_phrases
from app.smt.corpus.phrases.orientation import MODELS, OrientationModel

__all__ = ["commands"]

commands = typer.Typer(rich_markup_mode=None)


@commands.command()
def extract(
    source: Annotated[Path, typer.Argument(help="Source text, words with blanks between them, a sentence a line; gzip is read.")],
    target: Annotated[Path, typer.Argument(help="Target text.")],
    links: Annotated[Path, typer.Argument(help="Links of words, source place and target place from 0, as 0-0 1-2.")],
    out: Annotated[Path, typer.Option(help="Folder to write extract.gz, extract.inv.gz and extract.o.gz into.")],
    max_length: Annotated[int, typer.Option(min=1, max=100, help="Most words of a phrase.")] = LONGEST_PHRASE,
    orientation: Annotated[
        list[str] | None, typer.Option(help=f"Model of orientation ({', '.join(MODELS)}); repeat for one of each unit.")
    ] = None,
    weights: Annotated[
        Path | None, typer.Option(help="A weight a line, for each sentence pair; nothing is taken of one of 0.")
    ] = None,
    numbered: Annotated[
        bool,
        typer.Option("--numbered", help="Write numbers of sentence pairs, which assay phrase-table --pair-scores and domains ask."),
    ] = False,
    replace: Annotated[bool, typer.Option("--replace", help="Write in the place of files that are there already.")] = False,
) -> None:
    """Extract the pairs of phrases that agree with links of words, as Moses' extract does."""
    models = [OrientationModel.parse(name) for name in orientation or ()]
    check_folder(out, "--out")
    made = extract_phrases(source, target, links, out, max_length, models, weights, replace, numbered)
    say(f"wrote {counted(made.pairs, 'pair')} of phrases of {counted(made.sentences, 'sentence pair')} to {out}")
