"""`assay convert-trees`: treebanks in other forms."""

from pathlib import Path
from typing import Annotated

import typer

from app.errors import InputError
from app.shell.output import check_file, counted, say
from app.smt.corpus.trees.converting import TARGETS, convert_trees
from app.smt.corpus.trees.percolation import HEAD_TABLES
from app.smt.corpus.trees.reading import FORMS

__all__ = ["commands"]

commands = typer.Typer(rich_markup_mode=None)


@commands.command("convert-trees")
def convert(
    trees: Annotated[Path, typer.Argument(help="Trees: brackets, TIGER-XML, CoNLL-U or Moses' XML; gzip is read.")],
    to: Annotated[str, typer.Option(help=f"What to write: {', '.join(TARGETS)}.")],
    out: Annotated[Path, typer.Option(help="File to write; .gz packs.")],
    form: Annotated[str | None, typer.Option(help=f"Form of the file, if its beginning does not tell: {', '.join(FORMS)}.")] = None,
    head_table: Annotated[
        str | None, typer.Option(help=f"Percolate heads by this table ({', '.join(HEAD_TABLES)}, or a TOML file of one's own).")
    ] = None,
    replace: Annotated[bool, typer.Option("--replace", help="Write in the place of a file that is there already.")] = False,
) -> None:
    """Write the words of a treebank, or its trees in another form: brackets, Moses' XML, governors of words."""
    check_file(out, "--out")
    if out.exists() and not replace:
        raise InputError("invalid-request", f"{out} is there already; --replace writes another in its place", ("--replace",))
    say(f"wrote {counted(convert_trees(trees, out, to, form, head_table), 'sentence')} to {out}")
