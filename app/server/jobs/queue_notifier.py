"""Notification of idle workers about a queued job, soon and at little cost."""

import logging
import time
from contextlib import suppress
from typing import Any, Final

from sqlalchemy import Engine as Database

from app.server.store.turns import CHANNEL

__all__ = ["QueueNotifier", "notifier_of"]

log = logging.getLogger("assay.worker")
# A check of SQLite's version takes some microseconds.
LOOK_SECONDS: Final = 0.05


class QueueNotifier:
    """A connection of its own to the database, which tells an idle worker of new jobs; it is opened again after an error.

    A message may get lost, so a worker also looks at the queue from time to time.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._driver: Any = None

    def wait(self, seconds: float) -> bool:
        """Wait for a message, at most `seconds`; return True if one came since the last call."""
        begin = time.monotonic()
        try:
            if self._driver is None:
                self._driver = self._connect()
                # Messages from before the connection are not missed.
                return True
            return self._listen(self._driver, seconds)
        except Exception as error:
            log.warning("the database cannot be listened to: %s", type(error).__name__)
            self._hang_up()
            time.sleep(max(0.0, seconds - (time.monotonic() - begin)))
            return False

    def _connect(self) -> Any:
        pooled_connection = self._database.raw_connection()
        driver: Any = pooled_connection.driver_connection
        pooled_connection.detach()
        self._begin(driver)
        return driver

    def _hang_up(self) -> None:
        driver, self._driver = self._driver, None
        with suppress(Exception):
            driver.close()

    def _begin(self, driver: Any) -> None:
        raise NotImplementedError

    def _listen(self, driver: Any, seconds: float) -> bool:
        raise NotImplementedError


class _PostgresNotifier(QueueNotifier):
    """Listens to notifications of PostgreSQL."""

    def _begin(self, driver: Any) -> None:
        driver.rollback()
        driver.autocommit = True
        driver.execute(f"LISTEN {CHANNEL}")

    def _listen(self, driver: Any, seconds: float) -> bool:
        return any(True for _ in driver.notifies(timeout=seconds, stop_after=1))


class _SqliteNotifier(QueueNotifier):
    """Watches SQLite's `data_version`, which changes with each commit of another connection."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self._version = -1

    def _begin(self, driver: Any) -> None:
        self._version = _version(driver)

    def _listen(self, driver: Any, seconds: float) -> bool:
        until = time.monotonic() + seconds
        while (version := _version(driver)) == self._version:
            remaining_seconds = until - time.monotonic()
            if remaining_seconds <= 0:
                return False
            time.sleep(min(LOOK_SECONDS, remaining_seconds))
        self._version = version
        return True


def _version(driver: Any) -> int:
    return int(driver.execute("PRAGMA data_version").fetchone()[0])


def notifier_of(database: Database) -> QueueNotifier:
    """Notifier of the queue of a database."""
    return _PostgresNotifier(database) if database.dialect.name == "postgresql" else _SqliteNotifier(database)
