"""`assay compact-table`: a table of Moses' text format as one that is mapped into memory."""

from pathlib import Path
from typing import Annotated

import typer

from app.errors import InputError
from app.shell.output import check_file, counted, say
from app.smt.corpus.phrases.compact import write_compact

__all__ = ["commands"]

commands = typer.Typer(rich_markup_mode=None)


@commands.command("compact-table")
def compact_table(
    table: Annotated[Path, typer.Argument(help="A phrase table, or one of orientations of pairs of phrases; gzip is read.")],
    out: Annotated[Path, typer.Option(help="File to write.")],
    replace: Annotated[bool, typer.Option("--replace", help="Write in the place of a file that is there already.")] = False,
) -> None:
    """Write a table of Moses' text format as one that assay decode maps into memory."""
    check_file(out, "--out")
    if out.exists() and not replace:
        raise InputError("invalid-request", f"{out} is there already; --replace writes another in its place", ("--replace",))
    say(f"wrote {counted(write_compact(table, out), 'row')} to {out}")
