"""`assay server backup` and `assay server restore`: the state of a server in one file."""

import sys
from pathlib import Path

import typer

from app.errors import InputError
from app.shell.declaration.files import check_file
from app.shell.here import data_settings, settings_here
from app.shell.options.server.backups import BackupOptions, RestoreOptions
from app.shell.output import say

__all__ = ["backup", "restore"]


def backup(options: BackupOptions) -> None:
    """Save the database and the data folder in one file, while the server runs. Exit code 1 where the database is PostgreSQL's."""
    from app.server.upkeep.backup import back_up, dump_commands, write_backup

    settings = settings_here()
    if options.file == "-":
        if sys.stdout.isatty():
            raise InputError("invalid-request", "a backup is not written to a terminal; name a file", ("file",))
        manifest = write_backup(settings, sys.stdout.buffer)
        sys.stdout.buffer.flush()
    else:
        check_file(Path(options.file), "file")
        manifest = back_up(settings, Path(options.file))
    size = sum(size for size, _ in manifest.files.values())
    say(f"saved {len(manifest.files)} files, {size} bytes")
    if manifest.database != "sqlite":
        say(f"the database is not among them; save it now, after the files, with:\n  {dump_commands(settings)[0]}")
        raise typer.Exit(1)


def restore(options: RestoreOptions) -> None:
    """Put a backup into the data folder while no server uses it. Exit code 1 where the database is PostgreSQL's."""
    from app.server.upkeep.backup import dump_commands
    from app.server.upkeep.restoring import restore as put_back

    settings = data_settings()
    if options.file == "-":
        manifest = put_back(settings, sys.stdin.buffer, options.force)
    else:
        with Path(options.file).open("rb") as stream:
            manifest = put_back(settings, stream, options.force)
    say(f"restored {len(manifest.files)} files of {manifest.created} into {settings.data_dir}")
    say("keys that were revoked since then are valid again, and what was deleted since then is there again")
    if manifest.database != "sqlite":
        say(f"the database is not among them; restore it with:\n  {dump_commands(settings)[1]}")
        raise typer.Exit(1)
