"""Databases of earlier versions become those of this one with all that is in them, on SQLite and on PostgreSQL."""

import json
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Engine as Database
from sqlalchemy import inspect, text

from app.operations.operation import Plan
from app.server.store import FeedbackStore, FeedbackUses, JobOrigin, JobQueue, JobStore, UsageStore, open_database
from app.server.store.database import migrate_database
from app.server.store.packing import pack
from app.server.store.tables import Tables
from app.settings import ROOT

JOBS = {
    # id: state, owner, key, lease_owner, done, summary
    "a" * 32: ("succeeded", "Ana", "k1", "host:1", 2, {"model": "m"}),
    "b" * 32: ("running", None, "k2", "host.with-a-long.name:4194303", 1, None),
    "c" * 32: ("queued", None, None, None, 0, None),
}
# What a job of version 0.1 takes, in bytes.
SIZE = """length(params) + coalesce(length(summary), 0)
    + (SELECT sum(length(input) + coalesce(length(output), 0)) FROM chunks WHERE job_id = jobs.id)
    + (SELECT sum(length(content)) FROM job_files WHERE job_id = jobs.id)"""


@pytest.fixture
def former(empty_database_url: str) -> Iterator[Database]:
    """A database of version 0.1 with something in every table."""
    database = open_database(empty_database_url, migrate=False)
    migrate_database(database, "0003")
    now = time.time()
    with database.begin() as connection:
        for id, (state, owner, key, worker, done, summary) in JOBS.items():
            values = {
                "id": id, "kind": "quality", "state": state, "params": json.dumps({"a": 1}), "total": 2, "done": done, "created": now,
                "done_when_taken": 0, "lease_owner": worker, "lease_expires": now + 1000, "attempts": 1, "cancel_requested": 0,
                "owner": owner, "idempotency_key": key, "request_digest": key and "d", "webhook_attempts": 0,
                "summary": json.dumps(summary) if summary else None,
            }  # fmt: skip
            names = ", ".join(values)
            connection.execute(text(f"INSERT INTO jobs ({names}) VALUES ({', '.join(':' + name for name in values)})"), values)
            for number in range(2):
                output = pack({"rows": [number]}) if number < done else None
                connection.execute(
                    text("INSERT INTO chunks VALUES (:id, :number, 1, :input, :output)"),
                    {"id": id, "number": number, "input": pack({"x": number}), "output": output},
                )
            connection.execute(
                text("INSERT INTO job_files VALUES (:id, 'file', 0, :raw)"), {"id": id, "raw": b"x\x9c\x03\0\0\0\0\1"}
            )
        connection.execute(
            text("INSERT INTO feedback VALUES ('f', 1.0, 'ro-en', 'hter', 0.5, 0, 'm', 'tests', :content)"),
            {"content": pack({"source": "a", "translation": "b"})},
        )
    yield database
    database.dispose()


def test_migrations_make_the_declared_tables(database: Database) -> None:
    with database.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True, "compare_server_default": False})
        assert compare_metadata(context, Tables.metadata) == []
    # A second start changes nothing.
    open_database(database.url.render_as_string(hide_password=False)).dispose()


def test_what_version_0_1_kept_survives(former: Database) -> None:
    migrate_database(former)
    store, queue = JobStore(former), JobQueue(former, 30.0)
    views = {id: store.get(id) for id in JOBS}
    assert {id: (view.state, view.owner, view.done) for id, view in views.items()} == {
        id: (state, owner or "", done) for id, (state, owner, _, _, done, _) in JOBS.items()
    }
    done, running, waiting = JOBS
    assert views[done].summary == {"model": "m"} and list(store.outputs(done)) == [{"rows": [0]}, {"rows": [1]}]
    assert all(store.file(id, "file") == b"" for id in JOBS)
    assert store.repeated(JobOrigin("Ana", "k1", "d")) == views[done]
    assert store.repeated(JobOrigin("", "k2", "d")) == views[running]
    # Nobody of version 0.1 holds a job any more: they are taken at once, and go on where they were.
    taken = [queue.take("w") for _ in range(2)]
    assert {job.id for job in taken if job} == {running, waiting}
    assert queue.next_chunk(running) == (1, {"x": 1})
    [kept] = FeedbackStore(former).judgements("ro-en", "hter")
    assert (kept.id, kept.value, kept.content) == ("f", 0.5, {"source": "a", "translation": "b"})
    assert FeedbackUses(former).models("f") == []


def test_what_was_kept_before_is_counted(former: Database) -> None:
    with former.begin() as connection:
        sizes = {
            id: int(connection.execute(text(f"SELECT {SIZE} FROM jobs WHERE id = :id"), {"id": id}).scalar_one()) for id in JOBS
        }
    migrate_database(former)
    usage, feedback = UsageStore(former), len(pack({"source": "a", "translation": "b"}))
    done, running, waiting = JOBS
    assert usage.stored("Ana") == sizes[done]
    assert usage.stored("") == sizes[running] + sizes[waiting] + feedback


def test_a_migrated_database_is_as_a_new_one(former: Database, tmp_path_factory: pytest.TempPathFactory) -> None:
    migrate_database(former)
    with former.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, Tables.metadata) == []
    for table in ("chunks", "job_files", "checkpoints", "publications", "corrections"):
        [key] = inspect(former).get_foreign_keys(table)
        assert (key["referred_table"], key["options"].get("ondelete")) == ("jobs", "CASCADE")
    # What refers to a job still goes with it.
    with former.begin() as connection:
        connection.execute(text("DELETE FROM jobs"))
        assert connection.execute(text("SELECT count(*) FROM chunks")).scalar_one() == 0


@pytest.mark.parametrize(
    ("empty_database_url", "from_earlier"), [("sqlite", True), ("postgres", False)], indirect=["empty_database_url"]
)
def test_servers_that_start_at_once_migrate_once(
    from_earlier: bool, empty_database_url: str, request: pytest.FixtureRequest
) -> None:
    if from_earlier:
        request.getfixturevalue("former")
    program = f"from app.server.store import open_database; print(flush=True); input(); open_database({empty_database_url!r})"
    command = [sys.executable, "-c", program]
    servers = [
        subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(2)
    ]
    for server in servers:
        # It has loaded what it needs.
        assert server.stdout is not None
        server.stdout.readline()
    for server in servers:
        assert server.stdin is not None
        server.stdin.write(b"\n")
        server.stdin.flush()
    ends = [(server.communicate(timeout=120)[1], server.returncode) for server in servers]
    assert [code for _, code in ends] == [0, 0], ends
    database = open_database(empty_database_url, migrate=False)
    assert len(JobStore(database).list()) == (len(JOBS) if from_earlier else 0)
    database.dispose()


def test_kinds_may_have_long_names(database: Database) -> None:
    store = JobStore(database)
    kind = "phrase-extraction"
    assert store.get(store.create(Plan(kind, {}, [(1, {})])).id).kind == kind


def test_a_migration_that_fails_changes_nothing(former: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    before = {
        table: [column["name"] for column in inspect(former).get_columns(table)] for table in inspect(former).get_table_names()
    }
    # Its last statement fails: the table is there already.
    with former.begin() as connection:
        connection.execute(text("CREATE TABLE publications (x INTEGER)"))
    with pytest.raises(Exception, match="publications"):
        migrate_database(former)
    with former.begin() as connection:
        connection.execute(text("DROP TABLE publications"))
    after = {
        table: [column["name"] for column in inspect(former).get_columns(table)] for table in inspect(former).get_table_names()
    }
    assert after == before
    migrate_database(former)
    assert len(JobStore(former).list()) == 3
