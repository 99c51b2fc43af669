"""What callers see of jobs, on SQLite and on PostgreSQL."""

import io
import os
import zlib

import pytest
from sqlalchemy import Engine as Database
from sqlalchemy import update
from sqlalchemy.orm import Session

from app.errors import InputError
from app.operations.operation import Plan
from app.server.store import JobOrigin, JobQueue, JobStore, job_answer
from app.server.store.queue import Batch, Progress
from app.server.store.tables import ChunkRow, JobRow

CHUNKS = [(3, {"x": [1, 2, 3]}), (2, {"x": [4, 5]})]
PLAN = Plan("quality", {"a": "ă\ud800"}, CHUNKS)


def test_a_job_from_queue_to_result(store: JobStore, queue: JobQueue) -> None:
    job = store.create(PLAN).id
    assert store.get(job).state == "queued"
    taken = queue.take("a")
    assert taken is not None
    assert taken.params == PLAN.params
    assert queue.take("b") is None
    assert queue.next_chunk(job) == (0, {"x": [1, 2, 3]})
    queue.save_chunk(job, "a", 0, {"rows": ["one"]})
    assert store.get(job).done == 3
    assert queue.next_chunk(job) == (1, {"x": [4, 5]})
    queue.save_chunk(job, "a", 1, {"rows": ["two"]})
    assert queue.next_chunk(job) is None
    queue.succeed(job, "a", {"fine": True})
    assert [output["rows"] for output in store.outputs(job)] == [["one"], ["two"]]
    assert (store.get(job).state, store.get(job).done) == ("succeeded", 5)
    assert store.counts()["succeeded"] == 1


def test_states_only_move_forward(store: JobStore, queue: JobQueue) -> None:
    job = store.create(PLAN).id
    queue.take("a")
    queue.stop(job, "a")
    assert store.get(job).state == "cancelled"
    assert store.cancel(job).state == "cancelled"
    assert queue.take("b") is None
    store.remove(job)
    with pytest.raises(InputError):
        store.get(job)


def test_what_nobody_works_on_is_cancelled_at_once(store: JobStore, queue: JobQueue) -> None:
    waiting, running, released = (store.create(PLAN).id for _ in range(3))
    assert store.cancel(waiting).state == "cancelled"
    for worker in ("a", "b"):
        queue.take(worker)
    queue.release(released, "b")
    assert (store.cancel(running).state, store.cancel(released).state) == ("running", "cancelled")
    assert queue.cancel_requested(running, "a")
    assert queue.cancelling(["a", "b"]) == ["a"]


def test_one_key_of_one_owner_is_one_job_and_files_come_back(store: JobStore) -> None:
    raw = os.urandom(3_000_000)
    plan = Plan("quality", {"a": 1}, CHUNKS, {"file": io.BytesIO(raw), "source": io.BytesIO(b"")})
    origin = JobOrigin("Ana", "key", "digest", None)
    job = store.create(plan, origin)
    assert (job.owner, store.file(job.id, "file"), store.file(job.id, "source")) == ("Ana", raw, None)
    assert store.repeated(origin) == job
    # Two that were planned at the same moment: the second is told of the first.
    again = store.create(Plan("quality", {"a": 1}, [(1, {})]), origin)
    assert again.id == job.id and len(store.list()) == 1
    for owner in ("Bo", ""):
        other = JobOrigin(owner, "key", "other", None)
        assert store.repeated(other) is None
        assert store.create(Plan("quality", {"a": 1}, [(1, {})]), other).id != job.id
    with pytest.raises(InputError, match="another request"):
        store.create(Plan("quality", {"a": 2}, [(1, {})]), JobOrigin("Ana", "key", "other", None))
    store.cancel(job.id)
    assert store.remove(job.id).id == job.id and store.file(job.id, "file") is None


def test_a_job_whose_chunks_cannot_be_made_is_not_there(store: JobStore) -> None:
    def chunks():  # type: ignore[no-untyped-def]
        yield 1, {}
        raise InputError("invalid-table", "no", ())

    for plan in (Plan("quality", {}, chunks()), Plan("quality", {}, [])):
        with pytest.raises(InputError):
            store.create(plan)
    assert store.list() == []


def test_another_try_goes_on_where_the_first_ended(store: JobStore, queue: JobQueue, database: Database) -> None:
    job = store.create(
        Plan("quality", {"a": 1}, [(3, {"x": 1}), (2, {"x": 2})], {"file": io.BytesIO(b"abc")}),
        JobOrigin("Ana", webhook="http://hook"),
    )
    with pytest.raises(InputError, match="queued"):
        store.retry(job.id)
    assert queue.take("w") is not None
    queue.save_chunk(job.id, "w", 0, {"rows": [1]})
    queue.publish(job.id, "w", "curve", [1, 2])
    queue.advance(job.id, "w", None, Batch("chunk-1", 0, b"abc"))
    queue.fail(job.id, "w", {"detail": "no"})
    again = store.retry(job.id)
    assert (again.state, again.done, again.total, again.id != job.id) == ("queued", 3, 5, True)
    assert queue.next_chunk(again.id) == (1, {"x": 2}) and store.file(again.id, "file") == b"abc"
    assert queue.recorded(again.id, "chunk-1") == [b"abc"] and store.published(again.id, "curve") == [1, 2]
    with Session(database) as session:
        row = session.get(JobRow, again.id)
        assert row is not None and (row.owner, row.webhook) == ("Ana", "http://hook")
    assert store.get(job.id).state == "failed" and list(store.outputs(again.id)) == [{"rows": [1]}]


def test_jobs_are_paged_and_chosen(store: JobStore) -> None:
    kinds = ("quality", "rank", "quality", "quality")
    made = [store.create(Plan(kind, {}, [(1, {})]), JobOrigin(owner)).id for kind, owner in zip(kinds, "aabb", strict=True)]
    first = [job.id for job in store.list(limit=3)]
    assert first + [job.id for job in store.list(limit=3, after=first[-1])] == made[::-1]
    assert [job.id for job in store.list(kind="rank")] == [made[1]]
    assert [job.id for job in store.list(kind="quality", owner="a")] == [made[0]]
    assert store.list(owner="") == []
    store.cancel(made[0])
    assert [job.id for job in store.list(state="cancelled")] == [made[0]]


def test_what_a_job_looks_like(store: JobStore, queue: JobQueue) -> None:
    job = store.create(PLAN)
    answer = job_answer(job)
    assert list(answer) == [
        "id", "kind", "state", "owner", "priority", "ahead", "done", "total", "rate", "eta", "progress", "created", "started", "finished", "error",
        "summary", "params",
    ]  # fmt: skip
    assert (answer["owner"], answer["progress"]) == (None, None)
    queue.take("a")
    queue.advance(job.id, "a", Progress("learning", 0.25), None)
    assert job_answer(store.get(job.id))["progress"] == {"step": "learning", "share": 0.25}
    queue.save_chunk(job.id, "a", 0, {"rows": []})
    assert job_answer(store.get(job.id))["progress"] is None


@pytest.mark.parametrize("raw", [b"", b"no zlib", zlib.compress(b"{")], ids=["empty", "no zlib", "no JSON"])
def test_a_damaged_output_is_named(database: Database, store: JobStore, queue: JobQueue, raw: bytes) -> None:
    job = store.create(PLAN).id
    queue.take("a")
    queue.save_chunk(job, "a", 0, {"rows": [1]})
    with Session(database) as session, session.begin():
        session.execute(update(ChunkRow).where(ChunkRow.job_id == job, ChunkRow.number == 0).values(output=raw))
    for read in (lambda: list(store.outputs(job)), lambda: store.row(job, 0)):
        with pytest.raises(InputError, match="stored data cannot be read") as refused:
            read()
        assert refused.value.code == "database-damaged"


def test_a_list_leaves_out_what_is_long(database: Database) -> None:
    store = JobStore(database)
    short = store.create(Plan("quality", {"a": "b"}, [(1, {})]))
    long = store.create(Plan("quality", {"a": "b" * 30_000}, [(1, {})]))
    assert {job.id: job.params for job in store.list()} == {short.id: {"a": "b"}, long.id: {}}
    assert store.get(long.id).params == {"a": "b" * 30_000}


def test_what_is_left_of_a_job(database: Database) -> None:
    store, queue = JobStore(database), JobQueue(database, 30.0)
    job = store.create(Plan("quality", {}, [(1, {"n": number}) for number in range(3)])).id
    queue.take("w")
    queue.save_chunk(job, "w", 1, {"rows": []})
    assert list(store.left(job)) == [{"n": 0}, {"n": 2}]
