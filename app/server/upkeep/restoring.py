"""Putting a backup in the place of a data folder: verified as a whole first, then swapped by renaming, also after a sudden end."""

import os
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Final

from app.errors import InputError
from app.server.jobs.presence import exclusive_use
from app.server.store.database import schema_fault
from app.server.upkeep.archive import DATABASE, EXCLUDED_FOLDERS, FOLDER, ArchiveManifest, extract, sync_folder
from app.server.upkeep.backup import SQLITE, SUFFIXES, check_revision, database_file
from app.settings import Settings

__all__ = ["complete_restore", "restore", "restore_is_pending"]

# Folders of a restore: a backup being read; a verified backup while the old data are set aside; a backup being moved into place.
READ: Final = ".restoring"
RESTORED_SUFFIX: Final = ".restored"
MOVING: Final = ".restored-moving"
REPLACED_SUFFIX: Final = ".replaced"


def restore(settings: Settings, file: BinaryIO, force: bool = False) -> ArchiveManifest:
    """Read, verify and put in place; with `force` what is there is replaced. Nothing is changed before all is verified.

    InputError where the folder is in use, has something in it, or the backup is not whole or of another kind of database.
    """
    with exclusive_use(settings.data_dir):
        _complete(settings)
        if not force and _has_data(settings):
            raise InputError("invalid-request", f"{settings.data_dir} has something in it; --force puts the backup in its place")
        folder = settings.data_dir / READ
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        try:
            manifest = extract(file, folder)
            _check_kind(settings, manifest)
            _check_names(settings, folder / FOLDER)
            if manifest.database == SQLITE:
                _prepare_database(folder / DATABASE, manifest)
            _take_owner(folder, settings.data_dir)
            sync_folder(folder)
            folder.rename(settings.data_dir / RESTORED_SUFFIX)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        _complete(settings)
    return manifest


def restore_is_pending(settings: Settings) -> bool:
    """Return True if a restore was interrupted while the folder was swapped."""
    return any((settings.data_dir / name).is_dir() for name in (RESTORED_SUFFIX, MOVING))


def complete_restore(settings: Settings) -> None:
    """Complete an interrupted restore, or delete its partial files; do nothing without one."""
    if restore_is_pending(settings) or (settings.data_dir / READ).is_dir():
        with exclusive_use(settings.data_dir):
            _complete(settings)
            shutil.rmtree(settings.data_dir / READ, ignore_errors=True)


def _complete(settings: Settings) -> None:
    root = settings.data_dir
    if (root / RESTORED_SUFFIX).is_dir():
        # While the backup has this name, all that can be seen is what was there before.
        (root / REPLACED_SUFFIX).mkdir(exist_ok=True)
        for path in _visible(root):
            path.rename(root / REPLACED_SUFFIX / path.name)
        (root / RESTORED_SUFFIX).rename(root / MOVING)
        sync_folder(root)
    if (root / MOVING).is_dir():
        _move_in(settings, root / MOVING)
        sync_folder(root)
        shutil.rmtree(root / MOVING)
    shutil.rmtree(root / REPLACED_SUFFIX, ignore_errors=True)


def _move_in(settings: Settings, source: Path) -> None:
    for path in (source / FOLDER).iterdir() if (source / FOLDER).is_dir() else ():
        path.rename(settings.data_dir / path.name)
    target, database = database_file(settings), source / DATABASE
    if target is not None and database.is_file():
        for suffix in SUFFIXES[1:]:
            Path(f"{target}{suffix}").unlink(missing_ok=True)
        target.parent.mkdir(parents=True, exist_ok=True)
        # Beside its place first: it may be on another disk.
        beside = target.with_name(f".{target.name}.restoring")
        shutil.move(database, beside) if _is_elsewhere(database, target.parent) else database.rename(beside)
        beside.replace(target)
    elif target is not None:
        beside = target.with_name(f".{target.name}.restoring")
        if beside.is_file():
            beside.replace(target)


def _is_elsewhere(path: Path, folder: Path) -> bool:
    return path.stat().st_dev != folder.stat().st_dev


def _visible(root: Path) -> Iterator[Path]:
    return (path for path in list(root.iterdir()) if not path.name.startswith(".") and path.name not in EXCLUDED_FOLDERS)


def _has_data(settings: Settings) -> bool:
    database = database_file(settings)
    return (database is not None and database.exists()) or any(True for _ in _visible(settings.data_dir))


def _check_kind(settings: Settings, manifest: ArchiveManifest) -> None:
    """InputError if the backup is of a server with another kind of database."""
    database_kind = SQLITE if database_file(settings) is not None else "postgresql"
    if manifest.database != database_kind:
        detail = (
            f"it is of a server with {manifest.database[:20]!a}, and the settings here name {database_kind} (ASSAY_DATABASE_URL)"
        )
        raise InputError("invalid-backup", detail)
    if (DATABASE in manifest.files) != (database_kind == SQLITE):
        raise InputError("invalid-backup", "the backup cannot be used: it has no database, or one where there should be none")


def _check_names(settings: Settings, folder: Path) -> None:
    """InputError if a file would replace the database of the settings, which has its own place."""
    database = database_file(settings)
    if database is None or database.absolute().parent != settings.data_dir.absolute():
        return
    for suffix in SUFFIXES:
        if (folder / f"{database.name}{suffix}").exists():
            detail = f"it holds a file {database.name}{suffix}, which the settings name as the database (ASSAY_DATABASE_URL)"
            raise InputError("invalid-backup", f"the backup cannot be used: {detail}")


def _prepare_database(path: Path, manifest: ArchiveManifest) -> None:
    """Verify a database, and free its running jobs; InputError if it is damaged or of a later version."""
    check_revision(manifest.revision)
    try:
        with sqlite3.connect(path) as database:
            # Foreign triggers and views might run for ever, or change anything later, so this precedes all reading of rows.
            fault = schema_fault(database, manifest.revision)
            if fault is not None:
                raise InputError("invalid-backup", f"the backup cannot be used: its database {fault}")
            verdict = database.execute("PRAGMA quick_check").fetchone()[0]
            revision = database.execute("SELECT version_num FROM alembic_version").fetchone()[0]
            worker = "worker" if _has_column(database, "worker") else "lease_owner"
            database.execute(f"UPDATE jobs SET {worker} = NULL, lease_expires = 0, attempts = 0 WHERE state = 'running'")  # noqa: S608
        database.execute("PRAGMA journal_mode=DELETE")
        database.close()
    except (sqlite3.DatabaseError, TypeError):
        verdict, revision = "damaged", ""
    if verdict != "ok":
        raise InputError("invalid-backup", "the backup cannot be used: its database is damaged")
    if str(revision) != manifest.revision:
        raise InputError("invalid-backup", "the backup cannot be used: its database is of another version than its manifest says")


def _has_column(database: sqlite3.Connection, name: str) -> bool:
    return any(row[1] == name for row in database.execute("PRAGMA table_info(jobs)"))


def _take_owner(folder: Path, like: Path) -> None:
    """Give files to the owner of the data folder, since the server may run as another user."""
    owner = like.stat()
    if os.geteuid() != 0 or owner.st_uid == 0:
        return
    for path in (folder, *folder.rglob("*")):
        os.chown(path, owner.st_uid, owner.st_gid)
