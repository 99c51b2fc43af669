"""A database without room says so in one way, and keeps nothing of what it had no room for."""

import time
from pathlib import Path

import pytest
from sqlalchemy import Engine as Database
from sqlalchemy import event, text

from app.errors import InputError, is_disk_full
from app.operations.operation import Plan
from app.server.store import JobStore, KeyStore, open_database
from app.server.store.tables import KeyRow


def small(folder: Path) -> Database:
    """A database that may not grow."""
    database = open_database(f"sqlite:///{folder / 'small.sqlite3'}")
    with database.connect() as connection:
        pages = connection.execute(text("PRAGMA page_count")).scalar_one()

    @event.listens_for(database, "checkout")
    def bound(connection, record, proxy) -> None:  # type: ignore[no-untyped-def]
        connection.execute(f"PRAGMA max_page_count = {pages}")

    return database


def test_sqlite_without_room(tmp_path: Path) -> None:
    database = small(tmp_path)
    jobs = JobStore(database)
    with pytest.raises(InputError) as raised:
        jobs.create(Plan("quality", {}, [(1, {"x": str(list(range(50_000)))})]))
    assert raised.value.code == "disk-full" and is_disk_full(raised.value)
    assert jobs.list() == []
    with database.connect() as connection:
        assert connection.execute(text("PRAGMA integrity_check")).scalar_one() == "ok"


def test_postgresql_without_room(database: Database) -> None:
    if database.dialect.name == "sqlite":
        pytest.skip("this is about PostgreSQL")
    with pytest.raises(InputError, match="nothing of this was stored") as raised, database.begin() as connection:
        connection.execute(text("DO $$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = '53100'; END $$"))
    assert raised.value.code == "disk-full"


def test_other_errors_stay_what_they_are(database: Database) -> None:
    with pytest.raises(Exception, match="nowhere") as raised, database.connect() as connection:
        connection.execute(text("SELECT 1 FROM nowhere"))
    assert not isinstance(raised.value, InputError)


def test_a_key_opens_where_its_use_cannot_be_noted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    database = open_database(f"sqlite:///{tmp_path / 'x.sqlite3'}")
    keys = KeyStore(database)
    _, token = keys.create("a", ["score"])

    @event.listens_for(database, "before_cursor_execute")
    def full(connection, cursor, statement, *rest) -> None:  # type: ignore[no-untyped-def]
        if statement.startswith(f"UPDATE {KeyRow.__tablename__}"):
            raise InputError("disk-full", "")

    key = keys.find(token)
    assert key is not None and key.name == "a" and key.valid(time.time())
    event.remove(database, "before_cursor_execute", full)
    assert keys.list()[0].used is None
    assert keys.find(token) is not None and keys.list()[0].used is not None
