"""Health of the database: awaited at the start, then checked at most once a second."""

import logging
import threading
import time
from typing import Final

from sqlalchemy import Engine as Database

from app.server.store import DatabaseUnavailableError, check_database, open_database
from app.settings import Settings

__all__ = ["DatabaseWatch"]

log = logging.getLogger("assay")
CACHE_SECONDS: Final = 1.0
PAUSE_SECONDS: Final = 1.0


class DatabaseWatch:
    """Opens the database as soon as there is one, and looks whether it is still there; safe to use from any thread."""

    def __init__(self) -> None:
        self._database: Database | None = None
        self._lock = threading.Lock()
        self._answers = False
        self._until = 0.0

    def open(self, settings: Settings, stopping: threading.Event) -> Database:
        """Open it and bring its tables up to date; one that is still starting is waited for until the server stops."""
        while True:
            try:
                self._database = open_database(
                    settings.sqlalchemy_url,
                    connections=settings.database_connections,
                    wait_seconds=settings.database_wait_seconds,
                    secure_delete=settings.secure_delete,
                )
                return self._database
            except DatabaseUnavailableError as error:
                log.warning("the database does not answer (%s); waiting for it", type(error.__cause__).__name__)
                if stopping.wait(PAUSE_SECONDS):
                    raise

    def answers(self) -> bool:
        """Return True if the database answers, or did a second ago, or is not open yet."""
        with self._lock:
            if self._database is None:
                return True
            if time.monotonic() >= self._until:
                try:
                    check_database(self._database)
                    self._answers = True
                except DatabaseUnavailableError:
                    self._answers = False
                self._until = time.monotonic() + CACHE_SECONDS
            return self._answers
