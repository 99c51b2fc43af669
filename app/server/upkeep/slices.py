"""Deletion of many rows in small transactions, which let other writers through, and erasure of deleted data."""

from collections.abc import Callable
from typing import Any, Final

from sqlalchemy import ColumnElement, Delete, Update, delete, inspect, select, text, tuple_, update
from sqlalchemy import Engine as Database
from sqlalchemy.orm import Session

from app.server.store.tables import CheckpointRow, ChunkRow, CorrectionRow, FileRow, PublicationRow, Tables

__all__ = ["BELONGINGS", "MustStop", "delete_rows", "empty_log", "no_stop", "rewrite", "update_rows"]

# Function that returns True if deletion must stop.
MustStop = Callable[[], bool]
# Rows of one transaction: those of chunks and files have up to some megabytes.
SLICE: Final = 50
# Data of a job beside its own row.
BELONGINGS: Final = (ChunkRow, FileRow, CheckpointRow, PublicationRow, CorrectionRow)


def no_stop() -> bool:
    """Never stop."""
    return False


def delete_rows(database: Database, row: type[Tables], *conditions: ColumnElement[bool], must_stop: MustStop = no_stop) -> int:
    """Delete rows; how many. Rows that another process is deleting are left to it."""
    return _each_slice(database, row, delete(row), conditions, must_stop)


def update_rows(
    database: Database, row: type[Tables], values: dict[str, Any], *conditions: ColumnElement[bool], must_stop: MustStop = no_stop
) -> int:
    """Change rows so that `where` does not choose them any more; how many."""
    return _each_slice(database, row, update(row).values(**values), conditions, must_stop)


def _each_slice(
    database: Database, row: type[Tables], change: Delete | Update, conditions: tuple[ColumnElement[bool], ...], must_stop: MustStop
) -> int:
    keys = [inspect(row).get_property_by_column(column).class_attribute for column in inspect(row).primary_key]
    query = select(*keys).where(*conditions).order_by(*keys).limit(SLICE).with_for_update(skip_locked=True, of=row)
    count = 0
    while not must_stop():
        with Session(database) as session, session.begin():
            selected_keys = [tuple(key) for key in session.execute(query)]
            if not selected_keys:
                break
            # The condition is checked again: in SQLite other processes may have changed the rows since the selection.
            statement = change.where(tuple_(*keys).in_(selected_keys), *conditions).execution_options(synchronize_session=False)
            deletion = session.execute(statement)
            count += deletion.rowcount  # type: ignore[attr-defined]
    return count


def empty_log(database: Database) -> bool:
    """Empty SQLite's write-ahead log, which keeps deleted rows until it is overwritten; False if a reader prevents it."""
    if database.dialect.name != "sqlite":
        return True
    with database.connect() as connection:
        busy, _, _ = connection.execute(text("PRAGMA wal_checkpoint(TRUNCATE)")).one()
    return not busy


def rewrite(database: Database) -> None:
    """Rewrite the database with VACUUM, so that deleted rows are erased."""
    with database.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(text("VACUUM"))
    empty_log(database)
