"""Health of the database: awaited at the start, then checked at most once a second."""

import logging
import threading
import time
from typing import Final

from sqlalchemy import Engine as Database
from sqlalchemy import event
from sqlalchemy.engine import ExceptionContext

from app.running.sharing import Sharing
from app.server.store import DatabaseDamagedError, DatabaseUnavailableError, check_database, is_damaged, open_database
from app.settings import Settings

__all__ = ["DatabaseWatch"]

log = logging.getLogger("assay")
CACHE_SECONDS: Final = 1.0
PAUSE_SECONDS: Final = 1.0


class DatabaseWatch:
    """Opens the database as soon as there is one, and looks whether it is still there; safe to use from any thread."""

    def __init__(self, sharing: Sharing | None = None) -> None:
        """With `sharing`, damage that one process notes counts for all."""
        self._sharing = sharing
        self._database: Database | None = None
        self._lock = threading.Lock()
        self._failure: type[DatabaseUnavailableError] | None = None
        self._until = 0.0

    def open(self, settings: Settings, stopping: threading.Event, migrate: bool = True) -> Database:
        """Open it and bring its tables up to date; one that is still starting is waited for until the server stops."""
        while True:
            try:
                self._database = open_database(
                    settings.sqlalchemy_url,
                    migrate,
                    connections=settings.database_connections,
                    wait_seconds=settings.database_wait_seconds,
                    secure_delete=settings.secure_delete,
                )
                # Before the listener that raises the error.
                event.listen(self._database, "handle_error", self._note_damage, insert=True)
                return self._database
            except DatabaseDamagedError:
                raise
            except DatabaseUnavailableError as error:
                log.warning("the database does not answer (%s); waiting for it", type(error.__cause__).__name__)
                if stopping.wait(PAUSE_SECONDS):
                    raise

    def _note_damage(self, context: ExceptionContext) -> None:
        """Note a malformed database for good, since only a restore mends it."""
        if is_damaged(context.original_exception):
            self._failure = DatabaseDamagedError
            if self._sharing is not None:
                self._sharing.damages.set(1)

    def check(self) -> None:
        """DatabaseUnavailableError if the database does not answer, or did not a second ago, or is damaged."""
        with self._lock:
            if self._sharing is not None and self._sharing.damages.total():
                self._failure = DatabaseDamagedError
            if self._database is not None and time.monotonic() >= self._until and self._failure is not DatabaseDamagedError:
                try:
                    check_database(self._database)
                    self._failure = None
                except DatabaseUnavailableError as error:
                    self._failure = type(error)
                self._until = time.monotonic() + CACHE_SECONDS
            if self._failure is not None:
                raise self._failure
