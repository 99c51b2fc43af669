"""Jobs as workers know them: taken under a lease, advanced, ended; every change requires the lease and is one transaction."""

import json
import re
import time
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import ColumnElement, delete, func, insert, or_, select, update
from sqlalchemy import Engine as Database
from sqlalchemy.orm import Session

from app.server.store.database.clock import database_now, lease_over
from app.server.store.files import drop_pieces, pieces_of, put_piece
from app.server.store.outputs import read_outputs, read_publication
from app.server.store.packing import pack, unpack
from app.server.store.tables import CheckpointRow, ChunkRow, JobRow, PublicationRow
from app.server.store.turns import LEAST_CHARGE_SECONDS, Turns, announce, charge, forget_idle_owners, rank_after
from app.server.store.usage import check_stored
from app.server.store.view import JobView, view_of

__all__ = ["LARGEST_CHECKPOINT", "LARGEST_PUBLICATIONS", "Batch", "JobQueue", "LeaseLostError", "Progress"]

Json = dict[str, Any]
# Between two looks of a worker for owners who have had no job for long.
FORGET_EVERY_SECONDS: Final = 60.0
# Workers that are woken at once choose the same job, which one of them gets.
MOST_CHOICES: Final = 8
# A job that kills its worker this often without recording anything is given up.
MOST_ATTEMPTS: Final = 3
# Bytes that one job may record in a step, and publish in all.
LARGEST_CHECKPOINT: Final = 64 << 20
LARGEST_PUBLICATIONS: Final = 64 << 20
NAME: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")
NO_PROGRESS: Final = {"step": None, "step_share": None}


class LeaseLostError(Exception):
    """Error of a worker that has lost its job: the job ended, or another worker runs it."""


@dataclass(frozen=True)
class Progress:
    """Action of a step, and its share (0 to 1) that is done."""

    step: str
    share: float


@dataclass(frozen=True)
class Batch:
    """Recorded arrays of the checkpoint `name`, as bytes; the next `number` goes on behind them."""

    name: str
    number: int
    content: bytes


class JobQueue:
    """Jobs for workers; safe to use from any thread and process.

    Other processes take jobs of the kinds in `avoid`, and those of other language pairs than `pairs`, if any are named.
    """

    def __init__(self, database: Database, lease_seconds: float, avoid: Sequence[str] = (), pairs: Sequence[str] = ()) -> None:
        self._database = database
        self.lease_seconds = lease_seconds
        self._turns = Turns(avoid, pairs)
        self._promised_job: str | None = None
        self._forget_at = 0.0

    @property
    def database(self) -> Database:
        """The database that the jobs are in."""
        return self._database

    def take(self, worker: str) -> JobView | None:
        """Lease the next job among waiting jobs and jobs with a silent worker; None without one."""
        for _ in range(MOST_CHOICES):
            with Session(self._database) as session:
                job, self._promised_job = self._promised_job or self._turns.next(session), None
                if job is None:
                    return None
                row = self._lease(session, job, worker)
                if row is None:
                    continue
                if row.attempts <= MOST_ATTEMPTS:
                    return view_of(row)
            self.fail(job, worker, {"type": "/problems/internal-error", "detail": "the job ended its worker three times"})
        return None

    def _lease(self, session: Session, job: str, worker: str) -> JobRow | None:
        """The job, if it was still free."""
        now = time.time()
        row = session.get(JobRow, job)
        if row is None:
            return None
        # A job handed over between two chunks shows its pace over all turns.
        was_handed_over = row.state == "running" and row.worker is None and row.taken is not None
        begin = {} if was_handed_over else {"taken": now, "done_when_taken": row.done}
        free = or_(JobRow.state == "queued", (JobRow.state == "running") & lease_over())
        leased_rows = session.execute(
            update(JobRow)
            .where(JobRow.id == job, free)
            .values(
                state="running",
                worker=worker,
                lease_expires=self._expiry(),
                attempts=JobRow.attempts + 1,
                started=row.started or now,
                **begin,
                **NO_PROGRESS,
            )
            .execution_options(synchronize_session=False)
        )
        if leased_rows.rowcount == 1:  # type: ignore[attr-defined]
            charge(session, row.owner, LEAST_CHARGE_SECONDS)
        session.commit()
        if leased_rows.rowcount != 1:  # type: ignore[attr-defined]
            return None
        session.refresh(row)
        return row

    def charge(self, owner: str, seconds: float) -> None:
        """Note that a worker was busy for an owner."""
        with Session(self._database) as session, session.begin():
            charge(session, owner, seconds)
            if time.monotonic() >= self._forget_at:
                self._forget_at = time.monotonic() + FORGET_EVERY_SECONDS
                forget_idle_owners(session)

    def comes_before(self, job: str, fairly: bool = False) -> bool:
        """Return True if another job than the worker's has its turn now; with `fairly`, regardless of that job's age."""
        with Session(self._database) as session:
            first = self._turns.next(session, job, fairly)
        # A worker that makes way takes the other job next, if it still waits.
        self._promised_job = first if first != job else None
        return self._promised_job is not None

    def hand_over(self, job: str, worker: str) -> None:
        """Give the job back between two turns, to go on when it is its turn again; this was not a failed attempt."""
        self._give_back(job, worker)

    def renew(self, job: str, worker: str) -> None:
        """Say that the worker lives."""
        self._change(job, worker, lease_expires=self._expiry())

    def cancel_requested(self, job: str, worker: str) -> bool:
        """Return True if the job is to be cancelled; LeaseLostError if the worker no longer holds it."""
        query = select(JobRow.cancel_requested).where(JobRow.id == job, JobRow.worker == worker, JobRow.state == "running")
        with Session(self._database) as session:
            requested_row = session.scalars(query).first()
        if requested_row is None:
            raise LeaseLostError(job)
        return bool(requested_row)

    def next_chunk(self, job: str, omitted_numbers: Collection[int] = ()) -> tuple[int, Any] | None:
        """Number and input of the first chunk without output beside those of `omitted_numbers`."""
        query = (
            select(ChunkRow.number, ChunkRow.input)
            .where(ChunkRow.job_id == job, ChunkRow.output.is_(None), ChunkRow.number.not_in(omitted_numbers))
            .order_by(ChunkRow.number)
            .limit(1)
        )
        with Session(self._database) as session:
            row = session.execute(query).first()
        return None if row is None else (row[0], unpack(row[1]))

    def save_chunk(self, job: str, worker: str, number: int, output: object) -> None:
        """Keep a chunk's output, packed or not, and count its rows, once; the checkpoint goes."""
        chunk = (ChunkRow.job_id == job, ChunkRow.number == number)
        content = output if isinstance(output, bytes) else pack(output)
        with Session(self._database) as session, session.begin():
            rows = session.scalars(select(ChunkRow.rows).where(*chunk, ChunkRow.output.is_(None))).first()
            if rows is None:
                raise LeaseLostError(job)
            progress = {
                "done": JobRow.done + rows,
                "progressed": time.time(),
                "rank": rank_after(rows),
                "attempts": 0,
                **NO_PROGRESS,
            }
            sizes = {"stored_bytes": JobRow.stored_bytes + len(content), "checkpoint_bytes": 0}
            _change_in(session, job, worker, **progress, **sizes, lease_expires=self._expiry())
            session.execute(update(ChunkRow).where(*chunk).values(output=content))
            session.execute(delete(CheckpointRow).where(CheckpointRow.job_id == job))

    def outputs(self, job: str) -> Iterator[Any]:
        """Outputs of all finished chunks in order, one in memory at a time."""
        return read_outputs(self._database, job)

    def advance(self, job: str, worker: str, progress: Progress | None, batch: Batch | None) -> None:
        """Store progress inside a step, and its recorded arrays; arrays also renew the lease."""
        values: Json = {} if progress is None else {"step": progress.step, "step_share": progress.share}
        with Session(self._database) as session, session.begin():
            if batch is None:
                _change_in(session, job, worker, **values)
                return
            size = JobRow.checkpoint_bytes + len(batch.content)
            _change_in(session, job, worker, **values, attempts=0, lease_expires=self._expiry(), checkpoint_bytes=size)
            row = {"job_id": job, "name": batch.name, "number": batch.number, "content": batch.content}
            session.execute(insert(CheckpointRow).values(**row))

    def recorded(self, job: str, name: str) -> list[bytes]:
        """The contents of all batches of a checkpoint, in order."""
        query = select(CheckpointRow.content).where(CheckpointRow.job_id == job, CheckpointRow.name == name)
        with Session(self._database) as session:
            return list(session.scalars(query.order_by(CheckpointRow.number)))

    def publish(self, job: str, worker: str, name: str, value: object) -> None:
        """Publish a part of the answer under a name, in place of an earlier value; ValueError for an invalid name or size."""
        if not NAME.fullmatch(name):
            raise ValueError("a publication's name is made of small letters, digits and hyphens")
        content = pack(value)
        with Session(self._database) as session, session.begin():
            query = select(PublicationRow.name, func.length(PublicationRow.content)).where(PublicationRow.job_id == job)
            sizes = {name_published: int(size) for name_published, size in session.execute(query)}
            growth = len(content) - sizes.get(name, 0)
            _change_in(session, job, worker, lease_expires=self._expiry(), stored_bytes=JobRow.stored_bytes + growth)
            if sum(sizes.values()) + growth > LARGEST_PUBLICATIONS:
                raise ValueError(f"a job publishes at most {LARGEST_PUBLICATIONS} bytes")
            session.merge(PublicationRow(job_id=job, name=name, content=content, updated=time.time()))

    def published(self, job: str, name: str) -> Any:
        """Value that the job last published under a name, or None."""
        return read_publication(self._database, job, name)

    def pieces(self, job: str, role: str) -> Iterator[bytes]:
        """A file of the job, piece by piece."""
        return pieces_of(self._database, job, role)

    def keep_piece(self, job: str, worker: str, role: str, number: int, piece: bytes, most: int | None) -> None:
        """Keep a piece of a file that a step made; QuotaError where the job's owner then keeps more than `most` bytes."""
        with Session(self._database) as session, session.begin():
            growth = put_piece(session, job, role, number, piece)
            _change_in(session, job, worker, lease_expires=self._expiry(), stored_bytes=JobRow.stored_bytes + growth)
            owner = session.scalars(select(JobRow.owner).where(JobRow.id == job)).one()
            if most is not None:
                session.flush()
                check_stored(session.connection(), owner, most)

    def drop_pieces(self, job: str, worker: str, role: str, begin: int) -> None:
        """Delete the pieces of a file from one on."""
        with Session(self._database) as session, session.begin():
            size = drop_pieces(session, job, role, begin)
            _change_in(session, job, worker, lease_expires=self._expiry(), stored_bytes=JobRow.stored_bytes - size)

    def succeed(self, job: str, worker: str, summary: object) -> None:
        """Mark a job as succeeded, and delete the records of its steps."""
        content = json.dumps(summary, allow_nan=False)
        stored = JobRow.stored_bytes + len(content)
        self._end(job, worker, "succeeded", summary=content, stored_bytes=stored, checkpoint_bytes=0)

    def fail(self, job: str, worker: str, error: Json) -> None:
        """The job cannot be done; its input, finished chunks and checkpoint stay."""
        self._end(job, worker, "failed", error=json.dumps(error))

    def stop(self, job: str, worker: str) -> None:
        """The job was cancelled while it ran."""
        self._end(job, worker, "cancelled")

    def _end(self, job: str, worker: str, state: str, **values: object) -> None:
        with Session(self._database) as session, session.begin():
            _change_in(session, job, worker, state=state, finished=time.time(), lease_expires=0.0, **NO_PROGRESS, **values)
            if state == "succeeded":
                session.execute(delete(CheckpointRow).where(CheckpointRow.job_id == job))

    def release(self, job: str, worker: str) -> None:
        """Give the job back, to be taken at once; this was not a failed attempt."""
        self._give_back(job, worker, taken=None)

    def _give_back(self, job: str, worker: str, **values: object) -> None:
        with Session(self._database) as session, session.begin():
            _change_in(session, job, worker, worker=None, lease_expires=0.0, attempts=0, **values)
            announce(session)

    def release_workers(self, workers: Sequence[str]) -> None:
        """Free the jobs of ended workers, and cancel those with a request for it."""
        held_jobs = (JobRow.state == "running", JobRow.worker.in_(workers))
        cancelled = {"state": "cancelled", "finished": time.time(), **NO_PROGRESS}
        with Session(self._database) as session, session.begin():
            session.execute(update(JobRow).where(*held_jobs, JobRow.cancel_requested == 1).values(**cancelled))
            session.execute(update(JobRow).where(*held_jobs).values(lease_expires=0.0))
            announce(session)

    def cancelling(self, workers: Sequence[str]) -> list[str]:
        """Workers among these that hold a job to be cancelled."""
        query = select(JobRow.worker).where(JobRow.state == "running", JobRow.worker.in_(workers), JobRow.cancel_requested == 1)
        with Session(self._database) as session:
            return [worker for worker in session.scalars(query) if worker]

    def _change(self, job: str, holder: str, **values: object) -> None:
        with Session(self._database) as session, session.begin():
            _change_in(session, job, holder, **values)

    def _expiry(self) -> ColumnElement[float]:
        return database_now() + self.lease_seconds


def _change_in(session: Session, job: str, holder: str, **values: object) -> None:
    changed_rows = session.execute(
        update(JobRow)
        .where(JobRow.id == job, JobRow.worker == holder, JobRow.state == "running")
        .values(**values)
        .execution_options(synchronize_session=False)
    )
    if changed_rows.rowcount != 1:  # type: ignore[attr-defined]
        raise LeaseLostError(job)
