"""Bringing the tables up to date. Only what migrates imports Alembic: workers never do, and it takes a fifth of a second."""

import sqlite3
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Final

from sqlalchemy import Connection, create_engine
from sqlalchemy import Engine as Database

__all__ = ["current_revision", "known_revisions", "migrate_database", "newest_revision", "schema_fault"]

MIGRATIONS: Final = Path(__file__).parent.parent / "migrations"
# Tables, indexes, triggers and views of a SQLite database, without the statistics of ANALYZE.
SCHEMA: Final = "SELECT type, name, tbl_name, sql FROM sqlite_master WHERE name NOT IN ('sqlite_stat1', 'sqlite_stat4')"
SchemaEntry = tuple[str, str, str, str]
# Any number that nothing else locks in this database.
MIGRATION_LOCK: Final = 417_373_617_979


def migrate_database(database: Database, revision: str = "head") -> None:
    """Bring the tables to a revision: all of it or nothing, by one process at a time."""
    from alembic import command
    from alembic.config import Config

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


@cache
def _schema_of(revision: str) -> frozenset[SchemaEntry]:
    """Schema that the migrations make in an empty SQLite database, up to a revision."""
    database = create_engine("sqlite://")
    migrate_database(database, revision)
    with database.connect() as connection:
        entries = frozenset(map(_schema_entry, connection.exec_driver_sql(SCHEMA)))
    database.dispose()
    return entries


def schema_fault(database: sqlite3.Connection, revision: str) -> str | None:
    """First difference between the schema of a database and that of the migrations up to a revision; None without one."""
    entries, expected_entries = frozenset(map(_schema_entry, database.execute(SCHEMA))), _schema_of(revision)
    faults = [f"holds a foreign {kind} {name[:99]!a}" for kind, name, _, _ in sorted(entries - expected_entries)]
    faults += [f"lacks the {kind} {name}" for kind, name, _, _ in sorted(expected_entries - entries)]
    return faults[0] if faults else None


def _schema_entry(row: Sequence[str | None]) -> SchemaEntry:
    """Type, name, table and SQL of a row of `SCHEMA`, without blanks and quotes, which depend on versions of libraries."""
    kind, name, table, sql = row
    return str(kind), str(name), str(table), "".join((sql or "").replace('"', "").split())


def _outside_transactions(connection: Connection, statement: str) -> None:
    connection.exec_driver_sql(statement)
    connection.commit()


def known_revisions() -> frozenset[str]:
    """Revisions of the tables that this version can bring up to date."""
    from alembic.script import ScriptDirectory

    return frozenset(script.revision for script in ScriptDirectory(str(MIGRATIONS)).walk_revisions())


def newest_revision() -> str:
    """The revision of the tables that this version works with."""
    from alembic.script import ScriptDirectory

    return str(ScriptDirectory(str(MIGRATIONS)).get_current_head())


def current_revision(database: Database) -> str | None:
    """The revision of the tables of a database; None without Assay's tables."""
    from alembic.runtime.migration import MigrationContext

    with database.connect() as connection:
        return MigrationContext.configure(connection).get_current_revision()
