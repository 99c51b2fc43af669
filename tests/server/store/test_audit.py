"""The audit only grows, whoever writes, and says where it was tampered with."""

import json
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from sqlalchemy import Engine as Database
from sqlalchemy import text
from sqlalchemy.exc import DatabaseError

from app.errors import InputError
from app.operations.judgements.feedback import FeedbackItem
from app.operations.operation import Plan
from app.server.store import Actor, AuditFilter, AuditLog, FeedbackStore, JobOrigin, JobStore, KeyStore, open_database

ANA = Actor("build", "Ana", "a1b2c3d4", "192.0.2.1")
PLAN = Plan("quality", {}, [(3, {})])
EVERYTHING = AuditFilter()


def filled(database: Database, rows: int) -> AuditLog:
    log = AuditLog(database)
    for number in range(1, rows + 1):
        log.add(ANA, "read", "job", f"j{number}", share=0.1 * number)
    return log


def tampered(database: Database, *statements: str) -> None:
    """What somebody does who may do everything with the database, without the triggers."""
    with database.begin() as connection:
        if database.dialect.name == "sqlite":
            for (name,) in connection.execute(text("SELECT name FROM sqlite_master WHERE type = 'trigger'")).all():
                connection.execute(text(f"DROP TRIGGER {name}"))
        else:
            for table in ("audit", "audit_head"):
                connection.execute(text(f"ALTER TABLE {table} DISABLE TRIGGER USER"))
        for statement in statements:
            connection.execute(text(statement))


def test_changes_of_keys_jobs_and_feedback_are_recorded_with_them(database: Database) -> None:
    keys, jobs, log = KeyStore(database, ANA), JobStore(database), AuditLog(database)
    key, _ = keys.create("cat", ["score", "jobs"], owner="Bo")
    keys.rotate("cat")
    keys.revoke("cat")
    job = jobs.create(PLAN, JobOrigin("Ana", by=ANA)).id
    jobs.cancel(job, ANA)
    jobs.cancel(job, ANA)
    again = jobs.retry(job, by=ANA).id
    jobs.remove(job, ANA)
    item = FeedbackItem("ro-en", "hter", 0.5, None, "", {"source": "a", "translation": "b"})
    [given, _] = FeedbackStore(database).of("Ana").changed_by(ANA).add([item, item])
    seen = [(entry.action, entry.thing, entry.id, entry.detail) for entry in log.list(EVERYTHING)]
    assert list(reversed(seen)) == [
        ("created", "key", "cat", {"key": key.id, "owner": "Bo", "scopes": "jobs,score"}),
        ("rotated", "key", "cat", {"key": key.id}),
        ("revoked", "key", "cat", {"key": key.id}),
        ("created", "job", job, {"kind": "quality", "owner": "Ana", "segments": 3}),
        # What was cancelled already is not cancelled again.
        ("cancelled", "job", job, {}),
        ("retried", "job", again, {"kind": "quality", "owner": "Ana", "of": job}),
        ("deleted", "job", job, {"kind": "quality", "owner": "Ana"}),
        ("given", "feedback", given, {"segments": 2, "pair": "ro-en", "label": "hter"}),
    ]
    first = log.list(EVERYTHING)[-1]
    assert (first.actor, first.owner, first.request, first.address) == ("build", "Ana", "a1b2c3d4", "192.0.2.1")
    assert abs(first.time - time.time()) < 600
    assert log.verify().fault is None


def test_what_is_undone_is_not_recorded(database: Database) -> None:
    keys, log = KeyStore(database, ANA), AuditLog(database)
    keys.create("cat", ["score"])
    with pytest.raises(InputError):
        keys.create("cat", ["score"])
    with pytest.raises(InputError):
        keys.rotate("nobody")
    jobs = JobStore(database)
    origin = JobOrigin("Ana", "k", "d", by=ANA)
    assert jobs.create(PLAN, origin) == jobs.create(PLAN, origin)
    assert [entry.thing for entry in log.list(EVERYTHING)] == ["job", "key"]
    assert log.verify().rows == 2


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE audit SET actor = 'nobody' WHERE number = 2",
        "DELETE FROM audit WHERE number = 2",
        "DELETE FROM audit",
        "UPDATE audit_head SET number = 1",
        "DELETE FROM audit_head",
        "TRUNCATE audit",
        "TRUNCATE audit_head",
        "INSERT OR REPLACE INTO audit SELECT number, time, 'nobody', owner, request, address, action, thing, thing_id, detail, hash "
        "FROM audit WHERE number = 2",
    ],
)
def test_the_database_refuses_to_change_or_delete(database: Database, statement: str) -> None:
    if (database.dialect.name == "sqlite") == statement.startswith("TRUNCATE") or (
        database.dialect.name != "sqlite" and "REPLACE" in statement
    ):
        pytest.skip("the other database's language")
    log = filled(database, 3)
    with pytest.raises(DatabaseError, match="append-only"), database.begin() as connection:
        connection.execute(text(statement))
    assert (log.verify().rows, log.verify().fault) == (3, None)


@pytest.mark.parametrize(
    ("statements", "fault"),
    [
        (["UPDATE audit SET actor = 'nobody' WHERE number = 3"], "row 3"),
        (["UPDATE audit SET time = time + 0.001 WHERE number = 3"], "row 3"),
        (["DELETE FROM audit WHERE number = 3"], "row 3 is missing"),
        (["DELETE FROM audit WHERE number = 1"], "row 1 is missing"),
        (["DELETE FROM audit WHERE number = 5"], "the last row is 4"),
        (["UPDATE audit SET number = 9 WHERE number = 3", "UPDATE audit SET number = 3 WHERE number = 4",
          "UPDATE audit SET number = 4 WHERE number = 9"], "row 3"),
        (["DELETE FROM audit WHERE number < 3", "UPDATE audit_head SET first = 3, anchor = (SELECT hash FROM audit WHERE number = 3)"],
         "row 3"),
    ],
)  # fmt: skip
def test_tampering_is_seen(database: Database, statements: list[str], fault: str) -> None:
    log = filled(database, 5)
    tampered(database, *statements)
    assert fault in str(log.verify().fault)


def test_rows_that_are_gone_must_have_expired(database: Database) -> None:
    log = filled(database, 5)
    second = log.list(EVERYTHING)[3].hash
    tampered(database, "DELETE FROM audit WHERE number < 3", f"UPDATE audit_head SET first = 3, anchor = '{second}'")
    assert "no row says that they expired" in str(log.verify().fault)


def test_a_hash_that_was_written_down_tells_a_chain_from_one_made_anew(database: Database) -> None:
    log = filled(database, 3)
    verdict = log.verify()
    witness = verdict.number, verdict.hash
    filled(database, 2)
    assert log.verify(witness).fault is None
    assert "row 2 had another hash" in str(log.verify((2, "0" * 64)).fault)
    assert "row 9" in str(log.verify((9, "0" * 64)).fault)
    tampered(database, "DELETE FROM audit", f"UPDATE audit_head SET number = 0, hash = '{'0' * 64}'")
    filled(database, 5)
    assert log.verify().fault is None and "row 3" in str(log.verify(witness).fault)


def test_old_rows_expire_by_the_one_way_there_is(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    now = time.time()
    log = AuditLog(database)
    for number, days in enumerate((40, 35, 31, 20, 33, 1)):
        monkeypatch.setattr("app.server.store.audit.time.time", lambda days=days: now - days * 86400)
        log.add(ANA, "read", "job", f"j{number}")
    monkeypatch.setattr("app.server.store.audit.time.time", lambda: now)
    third = log.list(EVERYTHING)[3]
    assert log.expire(30, Actor("command line", "root")) == 3
    # A row of a clock that was behind stays with those that are newer.
    entries = log.list(EVERYTHING)
    assert [entry.id for entry in entries] == ["3", "j5", "j4", "j3"]
    assert (entries[0].action, entries[0].thing, entries[0].detail) == ("expired", "audit", {"rows": 3, "hash": third.hash})
    assert log.verify().fault is None and log.expire(30, ANA) == 0
    assert log.verify((3, third.hash)).fault is None
    with pytest.raises(InputError, match="expired"):
        log.verify((2, "0" * 64))
    with pytest.raises(DatabaseError, match="append-only"), database.begin() as connection:
        connection.execute(text("DELETE FROM audit WHERE number = 4"))
    monkeypatch.setattr("app.server.store.audit.time.time", lambda: now + 100 * 86400)
    assert log.expire(30, ANA) == 4
    assert (log.verify().rows, log.verify().fault) == (1, None)


def test_one_chain_however_many_write(database: Database, database_url: str) -> None:
    others = [open_database(database_url) for _ in range(3)]

    def write(number: int) -> None:
        own = others[number % 3]
        if number % 2:
            AuditLog(own).add(ANA, "read", "job", str(number))
        else:
            JobStore(own).create(PLAN, JobOrigin("Ana", by=ANA))

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(write, range(60)))
    verdict = AuditLog(database).verify()
    assert (verdict.rows, verdict.number, verdict.fault) == (60, 60, None)
    for other in others:
        other.dispose()


def test_entries_are_chosen_and_paged(database: Database) -> None:
    log = filled(database, 5)
    middle = log.list(EVERYTHING)[2].time
    log.add(Actor("cat", "Bo"), "deleted", "key", "x")
    chosen: list[tuple[dict[str, Any], list[int]]] = [
        ({}, [6, 5, 4, 3, 2, 1]), ({"actor": "cat"}, [6]), ({"owner": "Ana"}, [5, 4, 3, 2, 1]), ({"action": "read", "id": "j2"}, [2]),
        ({"thing": "key"}, [6]), ({"since": middle}, [6, 5, 4, 3]), ({"until": middle}, [2, 1]), ({"actor": "x"}, []),
    ]  # fmt: skip
    for fields, numbers in chosen:
        assert [entry.number for entry in log.list(AuditFilter(**fields))] == numbers
    assert [entry.number for entry in log.list(EVERYTHING, 2)] == [6, 5]
    assert [entry.number for entry in log.list(EVERYTHING, 2, before=5)] == [4, 3]


@pytest.mark.parametrize(
    "add",
    [
        lambda log: log.add(ANA, "read", "job", "x", text="y" * 100_000),
        lambda log: log.add(Actor("n" * 1000, "o" * 1000, "r" * 1000, "a" * 1000), "read", "job", "i" * 1000),
    ],
)
def test_what_is_long_is_cut(database: Database, add: Callable[[AuditLog], None]) -> None:
    log = AuditLog(database)
    add(log)
    [entry] = log.list(EVERYTHING)
    assert len(json.dumps(entry.detail)) < 300 and len(entry.id) <= 200 and log.verify().fault is None
