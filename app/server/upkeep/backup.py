"""Saving the state of a server in one file while it runs: its database as it was at one moment, and its data folder's files."""

import os
import sqlite3
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Final

from sqlalchemy.engine import make_url

from app.errors import InputError
from app.server.store.database import is_damaged, known_revisions, schema_fault
from app.server.upkeep.archive import DATABASE, EXCLUDED_FOLDERS, FOLDER, Archive, ArchiveManifest, writing
from app.settings import Settings

__all__ = ["back_up", "database_file", "dump_commands", "saved_files", "write_backup"]

# Models that are finished while the database is copied are rare; copies are made until there is none.
MOST_ATTEMPTS: Final = 10
SQLITE: Final = "sqlite"
SUFFIXES: Final = ("", "-wal", "-shm", "-journal")


def database_file(settings: Settings) -> Path | None:
    """The file of the database; None for another database than SQLite."""
    url = make_url(settings.sqlalchemy_url)
    return Path(url.database) if url.get_backend_name() == SQLITE and url.database else None


def back_up(settings: Settings, path: Path) -> ArchiveManifest:
    """Save everything in one file, completely or not at all; InputError for a file inside the data folder."""
    if path.resolve().is_relative_to(settings.data_dir.resolve()):
        raise InputError("invalid-request", "a backup in the data folder would hold those before it; name another place", ("file",))
    with writing(path) as file:
        return write_backup(settings, file, path.parent)


def write_backup(settings: Settings, file: BinaryIO, scratch: Path | None = None) -> ArchiveManifest:
    """Save everything into a stream; the copy of the database is made in the folder `scratch` first, and removed."""
    source = database_file(settings)
    with tempfile.TemporaryDirectory(prefix=".assay-backup-", dir=scratch) as folder:
        copy = Path(folder) / DATABASE
        revision = "" if source is None else _copy_beside_models(settings, source, copy)
        archive = Archive(file, make_url(settings.sqlalchemy_url).get_backend_name(), revision)
        if source is not None:
            archive.add(DATABASE, copy)
            copy.unlink()
        for name, path in saved_files(settings):
            try:
                archive.add(f"{FOLDER}/{name}", path)
            except FileNotFoundError:
                raise InputError("invalid-request", f"{path} was removed while it was to be saved; save again") from None
        return archive.close()


def _copy_beside_models(settings: Settings, source: Path, copy: Path) -> str:
    """Copy the database so that it knows of all models that are there, and they of it; the revision of its tables.

    A model whose owner the copy does not know would be everybody's after it is restored.
    """
    for _ in range(MOST_ATTEMPTS):
        before = _models(settings)
        revision = copy_database(source, copy)
        if _models(settings) == before:
            return revision
    raise InputError("overloaded", "models are made or removed all the while; save again when there are fewer trainings")


def _models(settings: Settings) -> set[str]:
    folder = settings.trained_models_dir
    return {path.name for path in folder.iterdir() if not path.name.startswith(".")} if folder.is_dir() else set()


def copy_database(source: Path, copy: Path) -> str:
    """Copy a SQLite database at one moment during other reads and writes; return the revision of its tables."""
    if not source.is_file():
        raise InputError("invalid-request", f"no database exists at {source}; see ASSAY_DATABASE_URL")
    copy.unlink(missing_ok=True)
    original, target = sqlite3.connect(f"file:{_quoted(source)}?mode=ro", uri=True), sqlite3.connect(copy)
    try:
        original.execute("PRAGMA busy_timeout=30000")
        # At one go: pages in several goes would begin again whenever somebody writes, and nobody is kept from writing by this.
        original.backup(target)
        verdict = str(target.execute("PRAGMA integrity_check(1)").fetchone()[0])
        row = target.execute("SELECT version_num FROM alembic_version").fetchone()
        fault = schema_fault(target, row[0]) if row[0] in known_revisions() else None
    except sqlite3.DatabaseError as error:
        if not is_damaged(error):
            raise InputError("invalid-request", f"{source} cannot be copied: {error}") from None
        verdict, row, fault = str(error), None, None
    finally:
        original.close()
        target.close()
    if verdict != "ok" or row is None:
        raise InputError("database-damaged", f"{source} is damaged, so nothing was saved; keep the last good backup ({verdict})")
    if fault is not None:
        raise InputError("invalid-backup", f"{source} {fault}, so nothing was saved: no backup of it could be restored")
    return str(row[0])


def _quoted(path: Path) -> str:
    return str(path.absolute()).replace("%", "%25").replace("?", "%3f").replace("#", "%23")


def saved_files(settings: Settings) -> Iterator[tuple[str, Path]]:
    """Names and paths of the saved files: all but the database, unfinished files, and locks of processes."""
    root, source = settings.data_dir, database_file(settings)
    database = {os.path.realpath(f"{source}{suffix}") for suffix in SUFFIXES} if source is not None else set()
    visited_ids: set[tuple[int, int]] = set()
    # A link may put a part of the folder on another disk.
    for folder, folders, names in os.walk(root, followlinks=True):
        status = Path(folder).stat()
        if (status.st_dev, status.st_ino) in visited_ids:
            folders.clear()
            continue
        visited_ids.add((status.st_dev, status.st_ino))
        outermost = Path(folder) == root
        folders[:] = sorted(name for name in folders if not name.startswith(".") and not (outermost and name in EXCLUDED_FOLDERS))
        for name in sorted(names):
            path = Path(folder) / name
            # Names with a leading full stop are unfinished files or locks.
            if not name.startswith(".") and path.is_file() and os.path.realpath(path) not in database:
                yield path.relative_to(root).as_posix(), path


def dump_commands(settings: Settings) -> tuple[str, str]:
    """Programs that save and restore a PostgreSQL database; its own variables and files hold the password."""
    url = make_url(settings.sqlalchemy_url)._replace(password=None, drivername="postgresql")
    address = url.render_as_string()
    return (
        f"pg_dump --format=custom --file=assay.dump --dbname={address}",
        f"pg_restore --clean --if-exists --no-owner --dbname={address} assay.dump",
    )


def check_revision(revision: str) -> None:
    """InputError if a database is of a later version of Assay."""
    if revision not in known_revisions():
        raise InputError("invalid-backup", "the backup is of a later version of Assay; restore it with that version")
