"""Opening the database."""

import sqlite3
import time
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, Final

from sqlalchemy import Engine as Database
from sqlalchemy import create_engine, event, literal, select
from sqlalchemy.engine import ExceptionContext

from app.running.tracing import is_tracing, span
from app.server.store.database.failures import name_failure
from app.server.store.database.migrating import migrate_database
from app.server.store.tables import Tables

__all__ = ["check_database", "open_database"]

CONNECTIONS: Final = 15
WAIT_SECONDS: Final = 10.0
# Connections that stay open while nothing is asked.
KEPT_CONNECTIONS: Final = 5


def open_database(
    url: str,
    migrate: bool = True,
    connections: int = CONNECTIONS,
    wait_seconds: float = WAIT_SECONDS,
    secure_delete: bool = False,
    idle_seconds: float | None = None,
) -> Database:
    """Connect to `url`; SQLite gets write-ahead logging and waits for its disk on every commit.

    At most so many `connections` are open, and `wait_seconds` is how long one is waited for. Each is tried before it is used, so
    that a database which was started again is found again. With `secure_delete` SQLite overwrites what is deleted. PostgreSQL
    ends a transaction, and frees its rows, if its process does nothing for `idle_seconds`, as a machine that is cut off.

    A disk without room is InputError ``disk-full``, whatever the database calls it; nothing of the transaction is there then.
    """
    if url.startswith("sqlite:///"):
        Path(url.removeprefix("sqlite:///")).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if url.startswith("postgresql://"):
        url = url.replace("postgresql://", "postgresql+psycopg://", 1)
    kept_connections = min(KEPT_CONNECTIONS, connections)
    options: dict[str, Any] = {}
    if url.startswith("postgresql"):
        options["connect_args"] = _patience(wait_seconds)
    # Errors may be logged, and parameters contain users' texts.
    database = create_engine(
        url,
        pool_pre_ping=True,
        pool_size=kept_connections,
        max_overflow=connections - kept_connections,
        pool_timeout=wait_seconds,
        hide_parameters=True,
        **options,
    )
    if database.dialect.name == "sqlite":
        event.listen(database, "connect", partial(_set_up_sqlite, secure_delete))
    elif idle_seconds is not None:
        event.listen(database, "connect", partial(_limit_idle_transactions, idle_seconds))
    event.listen(database, "handle_error", name_failure)
    if is_tracing():
        _trace(database)
    if migrate:
        migrate_database(database)
    return database


def _patience(seconds: float) -> dict[str, object]:
    """Seconds that libpq waits for a connection, and for a silent machine."""
    # Less than 2 seconds are 2 to libpq.
    whole_seconds = max(2, round(seconds))
    return {
        "connect_timeout": whole_seconds,
        "keepalives_idle": whole_seconds,
        "keepalives_interval": max(1, whole_seconds // 3),
        "keepalives_count": 3,
        "tcp_user_timeout": 2000 * whole_seconds,
        "application_name": "assay",
    }


def _limit_idle_transactions(seconds: float, connection: Any, record: object) -> None:
    connection.execute(f"SET idle_in_transaction_session_timeout = {max(1, round(1000 * seconds))}")
    connection.commit()


def check_database(database: Database) -> None:
    """Read from every table; DatabaseUnavailableError without an answer."""
    first_rows = (select(literal(1)).select_from(table).limit(1).scalar_subquery() for table in Tables.metadata.sorted_tables)
    with database.connect() as connection:
        connection.execute(select(*first_rows))


def _set_up_sqlite(secure_delete: bool, connection: Any, record: object) -> None:
    cursor = connection.cursor()
    overwriting = ("secure_delete=ON",) if secure_delete else ()
    cursor.execute("PRAGMA busy_timeout=30000")
    _log_ahead(cursor)
    for pragma in ("synchronous=FULL", "foreign_keys=ON", *overwriting):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _log_ahead(cursor: Any) -> None:
    """Turn on write-ahead logging; try for 30 s, since SQLite does not wait for other processes here."""
    deadline = time.monotonic() + 30
    while True:
        try:
            cursor.execute("PRAGMA journal_mode=WAL")
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > deadline:
                raise
            time.sleep(0.05)


def _trace(database: Database) -> None:
    """A span per statement of a traced request, with its verb but without text and parameters."""

    def begin(connection: Any, cursor: Any, statement: str, parameters: Any, context: Any, many: bool) -> None:
        verb = statement.split(maxsplit=1)[0].upper()
        attributes = {"db.system.name": database.dialect.name, "db.operation.name": verb}
        context.assay_span = span(f"database {verb}", "client", nested=True, **attributes)
        context.assay_span.__enter__()

    def end(connection: Any, cursor: Any, statement: str, parameters: Any, context: Any, many: bool) -> None:
        context.assay_span.__exit__(None, None, None)

    def fail(failure: ExceptionContext) -> None:
        statement_span = getattr(failure.execution_context, "assay_span", None)
        error = failure.original_exception
        if statement_span is not None:
            with suppress(type(error)):
                statement_span.__exit__(type(error), error, error.__traceback__)

    event.listen(database, "before_cursor_execute", begin)
    event.listen(database, "after_cursor_execute", end)
    event.listen(database, "handle_error", fail)
