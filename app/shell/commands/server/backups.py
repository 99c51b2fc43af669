"""`assay backup` and `assay restore`: the state of a server in one file."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from app.errors import InputError
from app.shell.here import settings_here
from app.shell.output import check_file, say

__all__ = ["commands"]

commands = typer.Typer(rich_markup_mode=None)
File = Annotated[str, typer.Argument(help="The backup; - is standard output, or standard input.")]


@commands.command()
def backup(file: File) -> None:
    """Save the database and the data folder in one file, while the server runs. Exit code 1 where the database is PostgreSQL's."""
    from app.server.upkeep.backup import back_up, dump_commands, write_backup

    settings = settings_here()
    if file == "-":
        if sys.stdout.isatty():
            raise InputError("invalid-request", "a backup is not written to a terminal; name a file", ("file",))
        manifest = write_backup(settings, sys.stdout.buffer)
        sys.stdout.buffer.flush()
    else:
        check_file(Path(file), "file")
        manifest = back_up(settings, Path(file))
    size = sum(size for size, _ in manifest.files.values())
    say(f"saved {len(manifest.files)} files, {size} bytes")
    if manifest.database != "sqlite":
        say(f"the database is not among them; save it now, after the files, with:\n  {dump_commands(settings)[0]}")
        raise typer.Exit(1)


@commands.command()
def restore(
    file: File,
    force: Annotated[bool, typer.Option("--force", help="Replace what is in the data folder.")] = False,
) -> None:
    """Put a backup into the data folder while no server uses it. Exit code 1 where the database is PostgreSQL's."""
    from app.server.upkeep.backup import dump_commands
    from app.server.upkeep.restoring import restore as put_back

    settings = settings_here()
    if file == "-":
        manifest = put_back(settings, sys.stdin.buffer, force)
    else:
        with Path(file).open("rb") as stream:
            manifest = put_back(settings, stream, force)
    say(f"restored {len(manifest.files)} files of {manifest.created} into {settings.data_dir}")
    say("keys that were revoked since then are valid again, and what was deleted since then is there again")
    if manifest.database != "sqlite":
        say(f"the database is not among them; restore it with:\n  {dump_commands(settings)[1]}")
        raise typer.Exit(1)
