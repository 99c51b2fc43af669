"""Opening the database and bringing its tables up to date."""

from pathlib import Path
from typing import Any, Final

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection, create_engine, event
from sqlalchemy import Engine as Database

__all__ = ["Database", "migrate_database", "open_database"]

MIGRATIONS = Path(__file__).parent / "migrations"
# Any number that nothing else locks in this database.
MIGRATION_LOCK: Final = 417_373_617_979


def open_database(url: str, migrate: bool = True) -> Database:
    """Connect to `url`; SQLite gets write-ahead logging and waits for its disk on every commit."""
    if url.startswith("sqlite:///"):
        Path(url.removeprefix("sqlite:///")).parent.mkdir(parents=True, exist_ok=True)
    if url.startswith("postgresql://"):
        url = url.replace("postgresql://", "postgresql+psycopg://", 1)
    database = create_engine(url, pool_pre_ping=True)
    if database.dialect.name == "sqlite":
        event.listen(database, "connect", _set_up_sqlite)
    if migrate:
        migrate_database(database)
    return database


def _set_up_sqlite(connection: Any, record: object) -> None:
    cursor = connection.cursor()
    for pragma in ("busy_timeout=30000", "journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


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
