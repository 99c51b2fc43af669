"""Opening the database and bringing its tables up to date."""

from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection, create_engine, event, select
from sqlalchemy import Engine as Database
from sqlalchemy.engine import ExceptionContext

from app.errors import InputError
from app.tracing import is_tracing, span

__all__ = ["Database", "DatabaseUnavailableError", "check_database", "migrate_database", "open_database"]

MIGRATIONS = Path(__file__).parent / "migrations"
# Any number that nothing else locks in this database.
MIGRATION_LOCK: Final = 417_373_617_979
CONNECTIONS: Final = 15
WAIT_SECONDS: Final = 10.0
# Connections that stay open while nothing is asked.
KEPT_CONNECTIONS: Final = 5
# Classes and codes of PostgreSQL that say: not now, or not any more. What is none of them is a mistake of ours.
UNAVAILABLE: Final = ("08", "53200", "53300", "57P", "55P03", "40", "XX000")
# Of SQLite: busy, locked, its disk, its file, and its locks.
UNAVAILABLE_FILE: Final = frozenset({5, 6, 10, 14, 15})


class DatabaseUnavailableError(InputError):
    """The database does not answer; the same may be tried again, as nothing was kept of what was begun.

    Only where it went away while it was told to keep something nobody knows whether it did.
    """

    def __init__(self) -> None:
        super().__init__("database-unavailable", "the database does not answer at this moment; ask again")

    def __reduce__(self) -> Any:
        """Copied without arguments."""
        return type(self), ()


def open_database(url: str, migrate: bool = True, connections: int = CONNECTIONS, wait_seconds: float = WAIT_SECONDS) -> Database:
    """Connect to `url`; SQLite gets write-ahead logging and waits for its disk on every commit.

    At most so many `connections` are open, and `wait_seconds` is how long one is waited for. Each is tried before it is used, so
    that a database which was started again is found again.
    """
    if url.startswith("sqlite:///"):
        Path(url.removeprefix("sqlite:///")).parent.mkdir(parents=True, exist_ok=True)
    if url.startswith("postgresql://"):
        url = url.replace("postgresql://", "postgresql+psycopg://", 1)
    kept = min(KEPT_CONNECTIONS, connections)
    options: dict[str, Any] = {}
    if url.startswith("postgresql"):
        options["connect_args"] = _patience(wait_seconds)
    # Errors may be logged, and parameters are what users sent.
    database = create_engine(
        url,
        pool_pre_ping=True,
        pool_size=kept,
        max_overflow=connections - kept,
        pool_timeout=wait_seconds,
        hide_parameters=True,
        **options,
    )
    if database.dialect.name == "sqlite":
        event.listen(database, "connect", _set_up_sqlite)
    event.listen(database, "handle_error", _on_error)
    if is_tracing():
        _trace(database)
    if migrate:
        migrate_database(database)
    return database


def _patience(seconds: float) -> dict[str, object]:
    """How long libpq waits for a connection, and for a machine that says nothing any more."""
    # Less than 2 seconds are 2 to libpq.
    whole = max(2, round(seconds))
    return {
        "connect_timeout": whole,
        "keepalives_idle": whole,
        "keepalives_interval": max(1, whole // 3),
        "keepalives_count": 3,
        "tcp_user_timeout": 2000 * whole,
        "application_name": "assay",
    }


def _on_error(context: ExceptionContext) -> None:
    """Say what a caller can do where it is the database that fails; its pool tries connections by itself."""
    if not context.is_pre_ping and (context.is_disconnect or _is_unavailable(context.original_exception)):
        raise DatabaseUnavailableError from context.original_exception


def _is_unavailable(error: BaseException) -> bool:
    code = getattr(error, "sqlite_errorcode", None)
    if code is not None:
        return code & 0xFF in UNAVAILABLE_FILE
    if not any(kind.__name__ == "OperationalError" for kind in type(error).__mro__):
        return False
    state: str | None = getattr(error, "sqlstate", None)
    # What could not even be reached has no state.
    return state is None or state.startswith(UNAVAILABLE)


def check_database(database: Database) -> None:
    """Ask for nothing; DatabaseUnavailableError where no answer comes."""
    with database.connect() as connection:
        connection.execute(select(1))


def _set_up_sqlite(connection: Any, record: object) -> None:
    cursor = connection.cursor()
    for pragma in ("busy_timeout=30000", "journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _trace(database: Database) -> None:
    """A span per statement, where it belongs to something that is traced: its verb, neither its text nor its parameters."""

    def begin(connection: Any, cursor: Any, statement: str, parameters: Any, context: Any, many: bool) -> None:
        verb = statement.split(maxsplit=1)[0].upper()
        attributes = {"db.system.name": database.dialect.name, "db.operation.name": verb}
        context.assay_span = span(f"database {verb}", "client", nested=True, **attributes)
        context.assay_span.__enter__()

    def end(connection: Any, cursor: Any, statement: str, parameters: Any, context: Any, many: bool) -> None:
        context.assay_span.__exit__(None, None, None)

    def fail(failure: ExceptionContext) -> None:
        opened = getattr(failure.execution_context, "assay_span", None)
        error = failure.original_exception
        if opened is not None:
            with suppress(type(error)):
                opened.__exit__(type(error), error, error.__traceback__)

    event.listen(database, "before_cursor_execute", begin)
    event.listen(database, "after_cursor_execute", end)
    event.listen(database, "handle_error", fail)


def migrate_database(database: Database, revision: str = "head") -> None:
    """Bring the tables to a revision: all of it or nothing, by one process at a time."""
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    with database.connect() as connection:
        config.attributes["connection"] = connection
        if database.dialect.name == "sqlite":
            # To change a column, SQLite copies its table and drops the old one, which would delete all that refers to its rows.
            _outside_transactions(connection, "PRAGMA foreign_keys=OFF")
            connection.exec_driver_sql("BEGIN IMMEDIATE")
        else:
            connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({MIGRATION_LOCK})")
        try:
            command.upgrade(config, revision)
            connection.commit()
        finally:
            connection.rollback()
            if database.dialect.name == "sqlite":
                _outside_transactions(connection, "PRAGMA foreign_keys=ON")


def _outside_transactions(connection: Connection, statement: str) -> None:
    connection.exec_driver_sql(statement)
    connection.commit()
