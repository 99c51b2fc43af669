"""Errors of the database for callers: no room, or no answer; programming errors pass unchanged."""

import os
import sqlite3
from pathlib import Path
from typing import Any, Final

from sqlalchemy.engine import ExceptionContext

from app.errors import InputError, disk_full

__all__ = ["DatabaseDamagedError", "DatabaseUnavailableError", "is_damaged", "name_failure"]

# Classes and codes of PostgreSQL that say: not now, or not any more. Other errors are programming errors.
UNAVAILABLE: Final = ("08", "53200", "53300", "57P", "55P03", "40", "XX000")
# Of SQLite: busy, locked, its disk, its file, and its locks.
UNAVAILABLE_FILE: Final = frozenset({5, 6, 10, 14, 15})
# A malformed database: of SQLite a damaged page or header, of PostgreSQL damaged data or a damaged index.
DAMAGED_CODES: Final = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
DAMAGED_STATES: Final = frozenset({"XX001", "XX002"})
# PostgreSQL's name for a disk without room.
NO_ROOM: Final = "53100"
# SQLite's message for any failed system call; a disk with this few bytes is the reason.
REFUSAL_CODES: Final = frozenset({sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN})
FEW_BYTES: Final = 1 << 17


class DatabaseUnavailableError(InputError):
    """The database does not answer; the same may be tried again, as nothing was kept of what was begun.

    Only where it went away while it was told to keep something nobody knows whether it did.
    """

    def __init__(
        self, code: str = "database-unavailable", detail: str = "the database does not answer at this moment; ask again"
    ) -> None:
        super().__init__(code, detail)

    def __reduce__(self) -> Any:
        """Copied without arguments."""
        return type(self), ()


class DatabaseDamagedError(DatabaseUnavailableError):
    """The database has pages that cannot be read; only a backup helps."""

    def __init__(self) -> None:
        super().__init__("database-damaged", "a part of the database cannot be read; restore the last good backup")


def is_damaged(error: BaseException) -> bool:
    """Return True if an error of a driver reports a malformed database."""
    if isinstance(error, sqlite3.Error):
        return getattr(error, "sqlite_errorcode", 0) & 0xFF in DAMAGED_CODES
    return getattr(error, "sqlstate", None) in DAMAGED_STATES


def name_failure(context: ExceptionContext) -> None:
    """Raise an error with a remedy if the database or its disk fails; a pool checks its connections itself."""
    error = context.original_exception
    file = context.engine.url.database if context.engine is not None else None
    if _is_without_room(error, file):
        raise disk_full() from error
    if is_damaged(error):
        raise DatabaseDamagedError from error
    if not context.is_pre_ping and (context.is_disconnect or _is_unavailable(error)):
        raise DatabaseUnavailableError from error


def _is_unavailable(error: BaseException) -> bool:
    code = getattr(error, "sqlite_errorcode", None)
    if code is not None:
        return code & 0xFF in UNAVAILABLE_FILE
    if not any(kind.__name__ == "OperationalError" for kind in type(error).__mro__):
        return False
    state: str | None = getattr(error, "sqlstate", None)
    # A failed connection has no state.
    return state is None or state.startswith(UNAVAILABLE)


def _is_without_room(error: BaseException, file: str | None) -> bool:
    if isinstance(error, sqlite3.Error):
        # The first byte is the kind of the error, what is above it the circumstances.
        kind = getattr(error, "sqlite_errorcode", 0) & 0xFF
        return kind == sqlite3.SQLITE_FULL or (kind in REFUSAL_CODES and file is not None and _is_nearly_full(Path(file).parent))
    return getattr(error, "sqlstate", None) == NO_ROOM


def _is_nearly_full(folder: Path) -> bool:
    try:
        status = os.statvfs(folder)
    except OSError:
        return False
    return status.f_bavail * status.f_frsize < FEW_BYTES or (status.f_files > 0 and status.f_favail == 0)
