"""`assay prune-table`: phrase tables without what may well be chance."""

from pathlib import Path
from typing import Annotated

import typer

from app.errors import InputError
from app.planning.numerals import decimal_of
from app.shell.output import check_file, counted, say
from app.smt.corpus.phrases.pruning import SIGNS, Threshold, prune_table

__all__ = ["commands"]

commands = typer.Typer(rich_markup_mode=None)


@commands.command("prune-table")
def prune(
    table: Annotated[Path, typer.Argument(help="Phrase table, gzip or not.")],
    source: Annotated[Path, typer.Argument(help="Source text that it was extracted from, a sentence a line.")],
    target: Annotated[Path, typer.Argument(help="Target text.")],
    out: Annotated[Path, typer.Option(help="Table to write; .gz packs.")],
    threshold: Annotated[
        str, typer.Option(help=f"Least -ln p of pairs that are kept: {', '.join(SIGNS)} or a number.")
    ] = "alpha-epsilon",
    replace: Annotated[bool, typer.Option("--replace", help="Write in the place of a file that is there already.")] = False,
) -> None:
    """Leave out pairs of phrases that share no more sentences than by chance, by Fisher's exact test."""
    check_file(out, "--out")
    if out.exists() and not replace:
        raise InputError("invalid-request", f"{out} is there already; --replace writes another in its place", ("--out",))
    made = prune_table(table, source, target, out, _threshold(threshold))
    say(
        f"kept {made.kept} of {counted(made.pairs, 'pair')} of phrases, -ln p of {made.threshold:.4f} or more; "
        f"{made.once} are in one sentence pair alone, as are their phrases"
    )


def _threshold(text: str) -> float | Threshold:
    if text in SIGNS:
        return text  # type: ignore[return-value]
    number = decimal_of(text)
    if number is None or number < 0:
        raise InputError("invalid-request", f"this is {', '.join(SIGNS)} or a number from 0", ("--threshold",))
    return number
