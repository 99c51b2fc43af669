"""What has expired is deleted, and nothing else; the job stays on record and says so."""

import io
import time
import zlib
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine as Database
from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from app.errors import InputError, disk_full
from app.operations.judgements.corrections import Change
from app.operations.judgements.feedback import FeedbackItem
from app.operations.operation import Plan
from app.server.store import CorrectionStore, FeedbackStore, JobOrigin, JobQueue, JobStore, job_answer, open_database
from app.server.store.tables import ChunkRow, CorrectionRow, FeedbackRow, FileRow, JobRow, PublicationRow
from app.server.upkeep import retention as retention_module
from app.server.upkeep.retention import Expired, Retention, Sweeper
from app.server.upkeep.slices import rewrite
from app.settings import Settings

DAY = 86400.0


class House:
    """Jobs and feedback of several ages."""

    def __init__(self, database: Database, **settings: Any) -> None:
        self.database = database
        self.jobs, self.queue, self.feedback = JobStore(database), JobQueue(database, 30.0), FeedbackStore(database)
        self.retention = Retention(database, Settings(**settings))

    def job(self, state: str = "succeeded", days: float = 0.0, key: str | None = None, text: str = "text") -> str:
        """A job that ended so many days ago."""
        plan = Plan("quality", {"label": "hter"}, [(1, {"x": text}), (1, {"x": 2})], {"file": io.BytesIO(text.encode())})
        job = self.jobs.create(plan, JobOrigin("Ana", key, key and "d")).id
        if state != "queued":
            taken = self.queue.take("w")
            assert taken is not None and taken.id == job
            self.queue.publish(job, "w", "curve", [text])
            self.queue.save_chunk(job, "w", 0, {"rows": [text]})
        if state == "succeeded":
            self.queue.save_chunk(job, "w", 1, {"rows": [2]})
            self.queue.succeed(job, "w", {"mean": 0.5})
        elif state == "failed":
            self.queue.fail(job, "w", {})
        with Session(self.database) as session, session.begin():
            values = {"created": JobRow.created - days * DAY, "finished": JobRow.finished - days * DAY}
            session.execute(update(JobRow).where(JobRow.id == job).values(**values))
        return job

    def judgement(self, days: float = 0.0, source: str = "a") -> str:
        item = FeedbackItem("ro-en", "hter", 0.5, None, "", {"source": source, "translation": "b"})
        [id] = self.feedback.of("Ana").add([item])
        with Session(self.database) as session, session.begin():
            session.execute(update(FeedbackRow).where(FeedbackRow.id == id).values(created=time.time() - days * DAY))
        return id

    def count(self, row: Any, *where: Any) -> int:
        with Session(self.database) as session:
            return int(session.scalar(select(func.count()).select_from(row).where(*where)) or 0)


def test_results_expire_and_running_jobs_do_not(database: Database) -> None:
    house = House(database, keep_results_days=10)
    old, failed, new = house.job(days=11, key="k"), house.job("failed", days=11), house.job(days=9)
    running, queued = house.job("running", days=100), house.job("queued", days=100)
    CorrectionStore(database).change(old, Change(1, "better", 0))
    assert house.retention.due() == Expired(2, 0, 0)
    assert house.retention.expire() == Expired(2, 0, 0) and house.retention.due() == Expired(0, 0, 0)
    view = house.jobs.get(old)
    answer = job_answer(view)
    assert (view.state, view.owner, view.summary, view.params, view.total) == ("succeeded", "Ana", None, {}, 2)
    assert answer["expired"][:4] == time.strftime("%Y") and "expired" not in job_answer(house.jobs.get(new))
    for job in (old, failed):
        with pytest.raises(InputError) as raised:
            list(house.jobs.outputs(job))
        assert raised.value.code == "result-expired"
        for row in (ChunkRow, CorrectionRow, FileRow, PublicationRow):
            assert house.count(row, row.job_id == job) == 0
    with pytest.raises(InputError, match="deleted at"):
        house.jobs.retry(failed)
    assert len(list(house.jobs.outputs(new))) == 2 and house.jobs.file(new, "file") == b"text"
    assert [house.jobs.get(job).state for job in (running, queued)] == ["running", "queued"]
    assert house.count(ChunkRow, ChunkRow.job_id.in_([running, queued])) == 4
    # The key is free again, and what has expired can be removed.
    assert house.jobs.repeated(JobOrigin("Ana", "k", "d")) is None
    house.jobs.remove(old)
    assert house.retention.expire() == Expired(0, 0, 0)


def test_what_jobs_came_with_expires_alone(database: Database) -> None:
    house = House(database, keep_uploads_days=1)
    old, failed, new = house.job(days=2), house.job("failed", days=2), house.job()
    CorrectionStore(database).change(old, Change(1, "better", 0))
    alike = house.job(days=2)
    assert house.retention.expire() == Expired(0, 3, 0)
    with Session(database) as session:
        sizes = [session.get_one(JobRow, job).stored_bytes for job in (old, alike)]
    assert sizes[0] == sizes[1] + len("better")
    assert [each.text for each in CorrectionStore(database).all(old)] == ["better"]
    assert [output["rows"] for output in house.jobs.outputs(old)] == [["text"], [2]]
    assert house.jobs.file(old, "file") is None and house.jobs.file(new, "file") == b"text"
    assert house.count(ChunkRow, func.length(ChunkRow.input) == 0) == 6
    house.jobs.get(old).check_kept()
    with pytest.raises(InputError, match="came with"):
        house.jobs.get(old).check_kept(with_input=True)
    with pytest.raises(InputError, match="came with"):
        house.jobs.retry(failed)
    assert house.retention.expire() == Expired(0, 0, 0)


def test_files_that_steps_made_are_results(database: Database) -> None:
    """They outlive what the job came with, and count to what its owner keeps as long as they are there."""
    house = House(database, keep_uploads_days=1, keep_results_days=10)
    job = house.job("running")
    for number in range(2):
        house.queue.keep_piece(job, "w", "made-0-0", number, b"made" * 100, None)
    house.queue.save_chunk(job, "w", 1, {"rows": [2]})
    house.queue.succeed(job, "w", {})

    def age(days: float) -> None:
        with Session(database) as session, session.begin():
            session.execute(update(JobRow).values(finished=time.time() - days * DAY))

    def stored() -> int:
        with Session(database) as session:
            return int(session.scalar(select(JobRow.stored_bytes)) or 0)

    before = stored()
    age(2)
    house.retention.expire()
    assert house.jobs.file(job, "file") is None and b"".join(house.jobs.pieces(job, "made-0-0")) == b"made" * 200
    assert 2 * len(zlib.compress(b"made" * 100, 1)) < stored() < before
    age(11)
    house.retention.expire()
    assert not house.count(FileRow) and stored() == 0
    with pytest.raises(InputError, match="deleted"):
        list(house.jobs.pieces(job, "made-0-0"))


def test_feedback_expires(database: Database) -> None:
    house = House(database, keep_feedback_days=30)
    house.judgement(days=31)
    kept = house.judgement(days=29)
    assert house.retention.due() == house.retention.expire() == Expired(0, 0, 1)
    assert house.count(FeedbackRow) == house.count(FeedbackRow, FeedbackRow.id == kept) == 1


def test_without_settings_everything_is_kept(database: Database) -> None:
    house = House(database)
    house.job(days=10_000)
    house.judgement(days=10_000)
    assert house.retention.due() == house.retention.expire() == Expired(0, 0, 0)
    assert house.count(ChunkRow) == 2 and house.count(FeedbackRow) == 1


def test_what_was_cut_off_is_ended_by_the_next(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    house = House(database, keep_results_days=1, keep_uploads_days=1)
    job = house.job(days=2)

    def full(*args: Any, **named: Any) -> int:
        raise disk_full()

    with monkeypatch.context() as patch, pytest.raises(InputError):
        patch.setattr(retention_module, "delete_rows", full)
        house.retention.expire()
    # It is said before anything goes, so nobody reads a half.
    with pytest.raises(InputError, match="deleted at"):
        list(house.jobs.outputs(job))
    assert house.count(ChunkRow) == 2
    house.retention.expire()
    assert house.count(ChunkRow) == house.count(FileRow) == 0
    # Whoever must stop does nothing more.
    house.job(days=2)
    assert house.retention.expire(lambda: True) == Expired(0, 0, 0)


def test_a_result_that_expires_while_it_is_read_is_no_whole_result(database: Database) -> None:
    house = House(database, keep_results_days=1)
    job = house.job(days=2)
    outputs = house.jobs.outputs(job)
    next(outputs)
    house.retention.expire()
    with pytest.raises(InputError, match="deleted at"):
        list(outputs)


def test_many_are_deleted_in_slices(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.server.upkeep.slices.SLICE", 3)
    house = House(database, keep_feedback_days=1)
    for _ in range(10):
        house.judgement(days=2)
    assert house.retention.expire() == Expired(0, 0, 10)


def test_a_sweeper_sweeps_until_it_is_stopped(database: Database) -> None:
    house = House(database, keep_feedback_days=1)
    sweeper = Sweeper(house.retention)
    sweeper._pause = 0.05
    sweeper.start()
    for _ in range(2):
        house.judgement(days=2)
        deadline = time.monotonic() + 60
        while house.count(FeedbackRow):
            assert time.monotonic() < deadline
            time.sleep(0.02)
    sweeper.stop()
    assert not sweeper._thread.is_alive()
    idle = Sweeper(House(database).retention)
    idle.start()
    idle.stop()


def in_files(folder: Path, *needles: bytes) -> list[str]:
    return [f"{path.name}: {needle[:20]!r}" for path in folder.rglob("*") if path.is_file() for needle in needles if needle in path.read_bytes()]  # fmt: skip


@pytest.mark.parametrize("secure", [True, False])
def test_deleted_texts_are_in_no_file(tmp_path: Path, secure: bool) -> None:
    database = open_database(f"sqlite:///{tmp_path / 'x.sqlite3'}", secure_delete=secure)
    house = House(database, keep_results_days=1, keep_feedback_days=1, secure_delete=secure)
    # Texts that compression leaves as they are, of several lengths: in a page of the table, and in pages of their own.
    texts = [f"Secret{number}: " + "".join(chr(33 + (i * i + number) % 90) for i in range(length)) for number, length in enumerate((20, 30_000))]  # fmt: skip
    jobs = [house.job(days=2, text=text) for text in texts]
    for text in texts:
        house.judgement(days=2, source=text)
    with Session(database) as session:
        raw = [bytes(value) for value in session.scalars(select(ChunkRow.input).where(ChunkRow.job_id.in_(jobs)))]
        raw += [bytes(value) for value in session.scalars(select(FileRow.content))]
        raw += [bytes(value) for value in session.scalars(select(FeedbackRow.content))]
    raw = [value[8:40] for value in raw if b"Secret" in zlib.decompress(value)]
    assert len(raw) == 6 and len({line.rpartition(":")[2] for line in in_files(tmp_path, *raw)}) >= 4
    house.retention.expire()
    if not secure:
        assert in_files(tmp_path, *raw)
        rewrite(database)
    assert in_files(tmp_path, *raw) == []
    database.dispose()
