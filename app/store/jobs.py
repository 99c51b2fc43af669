"""Jobs in the database: every change of state is one transaction."""

import json
import socket
import time
from collections.abc import Iterator, Sequence
from tempfile import TemporaryFile
from typing import Any, Final
from uuid import uuid4

from sqlalchemy import Engine, delete, func, insert, literal, or_, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from app.errors import InputError
from app.jobs.kinds import JobPlan
from app.store.files import read_file_of, write_files
from app.store.packing import pack, unpack
from app.store.tables import ChunkRow, FileRow, JobRow
from app.store.view import JobView, Origin, view_of

__all__ = ["FINAL_STATES", "JobStore", "LeaseLostError", "worker_name"]

FINAL_STATES = ("succeeded", "failed", "cancelled")
# A job that kills its worker this often without finishing a chunk is given up.
MOST_ATTEMPTS = 3
Json = dict[str, Any]


class LeaseLostError(Exception):
    """Another worker has taken the job, or it is no longer running."""


def worker_name(pid: int) -> str:
    """``host:pid``: what a lease says about its holder."""
    return f"{socket.gethostname()}:{pid}"


NOBODY: Final = Origin()


class JobStore:
    """All reading and writing of jobs; safe to use from any thread and process."""

    def __init__(self, engine: Engine, lease_seconds: float) -> None:
        self._engine = engine
        self._lease_seconds = lease_seconds

    def create(self, plan: JobPlan, origin: Origin = NOBODY) -> JobView:
        """Queue a job with all of its input, or none of it where making its chunks fails.

        Chunks are packed into a temporary file first, so that neither memory nor the time of the transaction grows with them
        more than it must. A second request with one key and one digest gets the job of the first.
        """
        job = uuid4().hex
        with TemporaryFile() as spool:
            sizes: list[tuple[int, int]] = []
            for rows, content in plan.chunks:
                sizes.append((rows, spool.write(pack(content))))
            if not sizes:
                raise InputError("empty-input", "a job needs at least one segment", ("segments",))
            spool.seek(0)
            total = sum(rows for rows, _ in sizes)
            row = JobRow(
                id=job, kind=plan.kind, state="queued", params=json.dumps(plan.params), total=total, done=0, created=time.time(),
                done_when_taken=0, lease_expires=0.0, attempts=0, cancel_requested=0, owner=origin.owner, webhook_attempts=0,
                idempotency_key=origin.key, request_digest=origin.digest, webhook=origin.webhook,
            )  # fmt: skip
            try:
                with Session(self._engine) as session, session.begin():
                    session.add(row)
                    session.flush()
                    for number, (rows, size) in enumerate(sizes):
                        values = {"job_id": job, "number": number, "rows": rows, "input": spool.read(size)}
                        session.execute(insert(ChunkRow).values(**values))
                    write_files(session, job, plan.files)
            except IntegrityError:
                found = self.repeated(origin)
                if found is None:
                    raise
                return found
        return self.get(job)

    def get(self, job: str) -> JobView:
        """One job, or InputError."""
        with Session(self._engine) as session:
            row = session.get(JobRow, job)
            if row is None:
                raise InputError("unknown-job", "no job has this id; GET /v1/jobs lists those there are", ("id",))
            return view_of(row)

    def repeated(self, origin: Origin) -> JobView | None:
        """The job that was made under the same key; InputError where the request was another."""
        if origin.key is None:
            return None
        with Session(self._engine) as session:
            row = session.scalars(select(JobRow).where(JobRow.idempotency_key == origin.key)).first()
            if row is not None and row.request_digest != origin.digest:
                detail = "this Idempotency-Key came with another request before; use a new key"
                raise InputError("idempotency-conflict", detail, ("Idempotency-Key",))
            return None if row is None else view_of(row)

    def list(
        self, limit: int = 100, after: str | None = None, state: str | None = None, kind: str | None = None
    ) -> Sequence[JobView]:
        """The newest jobs first: those older than the job `after`, of one state or kind where that is asked."""
        query = select(JobRow).order_by(JobRow.created.desc(), JobRow.id).limit(limit)
        if after is not None:
            last = self.get(after)
            older = (JobRow.created == last.created) & (JobRow.id > last.id)
            query = query.where((JobRow.created < last.created) | older)
        if state is not None:
            query = query.where(JobRow.state == state)
        if kind is not None:
            query = query.where(JobRow.kind == kind)
        with Session(self._engine) as session:
            return [view_of(row) for row in session.scalars(query)]

    def file(self, job: str, role: str) -> bytes | None:
        """A file that a job came in."""
        return read_file_of(self._engine, job, role)

    def retry(self, job: str) -> JobView:
        """A new job of the same input that goes on where this one failed or was cancelled."""
        view = self.get(job)
        if view.state not in ("failed", "cancelled"):
            raise InputError(
                "job-not-finished", f"the job is {view.state}; one that failed or was cancelled is tried again", ("id",)
            )
        new = uuid4().hex
        chunk, file = ChunkRow.__table__, FileRow.__table__
        with Session(self._engine) as session, session.begin():
            session.add(
                JobRow(
                    id=new, kind=view.kind, state="queued", params=json.dumps(view.params), total=view.total, done=view.done,
                    created=time.time(), done_when_taken=view.done, lease_expires=0.0, attempts=0, cancel_requested=0,
                    owner=view.owner, webhook_attempts=0,
                )
            )  # fmt: skip
            session.flush()
            for table in (chunk, file):
                names = [column.name for column in table.columns]
                copied = select(*(literal(new) if name == "job_id" else table.c[name] for name in names)).where(
                    table.c.job_id == job
                )
                session.execute(insert(table).from_select(names, copied))  # type: ignore[arg-type]
        return self.get(new)

    def cancel(self, job: str) -> JobView:
        """Cancel at once what waits, and at its next chunk what runs; a finished job stays as it is."""
        with Session(self._engine) as session, session.begin():
            session.execute(
                update(JobRow)
                .where(JobRow.id == job, JobRow.state == "queued")
                .values(state="cancelled", finished=time.time(), cancel_requested=1)
            )
            session.execute(update(JobRow).where(JobRow.id == job, JobRow.state == "running").values(cancel_requested=1))
        return self.get(job)

    def remove(self, job: str) -> JobView:
        """Delete a finished job with all it holds."""
        view = self.get(job)
        if view.state not in FINAL_STATES:
            raise InputError("job-not-finished", "cancel the job before removing it", ("id",))
        with Session(self._engine) as session, session.begin():
            session.execute(delete(ChunkRow).where(ChunkRow.job_id == job))
            session.execute(delete(FileRow).where(FileRow.job_id == job))
            session.execute(delete(JobRow).where(JobRow.id == job))
        return view

    def take(self, owner: str) -> JobView | None:
        """Lease the oldest job that waits or whose worker is silent; None if there is none."""
        now = time.time()
        free = or_(JobRow.state == "queued", (JobRow.state == "running") & (JobRow.lease_expires < now))
        with Session(self._engine) as session:
            query = select(JobRow).where(free).order_by(JobRow.created, JobRow.id).limit(1)
            row = session.scalars(query.with_for_update(skip_locked=True)).first()
            if row is None:
                return None
            taken = session.execute(
                update(JobRow)
                .where(JobRow.id == row.id, free)
                .values(
                    state="running",
                    lease_owner=owner,
                    lease_expires=now + self._lease_seconds,
                    attempts=JobRow.attempts + 1,
                    started=row.started or now,
                    taken=now,
                    done_when_taken=row.done,
                )
                .execution_options(synchronize_session=False)
            )
            session.commit()
            if taken.rowcount != 1:  # type: ignore[attr-defined]
                return None
            session.refresh(row)
            if row.attempts > MOST_ATTEMPTS:
                self.fail(row.id, owner, {"type": "/problems/internal-error", "detail": "the job ended its worker three times"})
                return None
            return view_of(row)

    def _update_owned(self, session: Session, job: str, owner: str, **values: object) -> None:
        changed = session.execute(
            update(JobRow)
            .where(JobRow.id == job, JobRow.lease_owner == owner, JobRow.state == "running")
            .values(**values)
            .execution_options(synchronize_session=False)
        )
        if changed.rowcount != 1:  # type: ignore[attr-defined]
            raise LeaseLostError(job)

    def renew(self, job: str, owner: str) -> None:
        """Say that the worker lives."""
        with Session(self._engine) as session, session.begin():
            self._update_owned(session, job, owner, lease_expires=time.time() + self._lease_seconds)

    def next_chunk(self, job: str) -> tuple[int, Any] | None:
        """Number and input of the first chunk without output."""
        with Session(self._engine) as session:
            query = (
                select(ChunkRow.number, ChunkRow.input)
                .where(ChunkRow.job_id == job, ChunkRow.output.is_(None))
                .order_by(ChunkRow.number)
                .limit(1)
            )
            row = session.execute(query).first()
            return None if row is None else (row[0], unpack(row[1]))

    def save_chunk(self, job: str, owner: str, number: int, output: object) -> None:
        """Keep a chunk's output and count its rows, once."""
        with Session(self._engine) as session, session.begin():
            rows = session.scalars(
                select(ChunkRow.rows).where(ChunkRow.job_id == job, ChunkRow.number == number, ChunkRow.output.is_(None))
            ).first()
            if rows is None:
                raise LeaseLostError(job)
            self._update_owned(
                session, job, owner, done=JobRow.done + rows, attempts=0, lease_expires=time.time() + self._lease_seconds
            )
            session.execute(update(ChunkRow).where(ChunkRow.job_id == job, ChunkRow.number == number).values(output=pack(output)))

    def outputs(self, job: str) -> Iterator[Any]:
        """Outputs of all chunks in order, one in memory at a time."""
        number = 0
        while True:
            with Session(self._engine) as session:
                query = select(ChunkRow.output).where(ChunkRow.job_id == job, ChunkRow.number == number)
                raw = session.scalars(query).first()
            if raw is None:
                return
            yield unpack(raw)
            number += 1

    def succeed(self, job: str, owner: str, summary: Json) -> None:
        """The job is done."""
        self._end(job, owner, "succeeded", summary=json.dumps(summary, allow_nan=False))

    def fail(self, job: str, owner: str, error: Json) -> None:
        """The job cannot be done; its input and finished chunks stay."""
        self._end(job, owner, "failed", error=json.dumps(error))

    def stop(self, job: str, owner: str) -> None:
        """The job was cancelled while it ran."""
        self._end(job, owner, "cancelled")

    def _end(self, job: str, owner: str, state: str, **values: object) -> None:
        with Session(self._engine) as session, session.begin():
            self._update_owned(session, job, owner, state=state, finished=time.time(), lease_expires=0.0, **values)

    def release(self, job: str, owner: str) -> None:
        """Give the job back, to be taken at once; this was not a failed attempt."""
        with Session(self._engine) as session, session.begin():
            self._update_owned(session, job, owner, lease_owner=None, lease_expires=0.0, attempts=0)

    def release_owned_by(self, dead: Sequence[str]) -> None:
        """Free the jobs of workers that are known to be gone."""
        with Session(self._engine) as session, session.begin():
            session.execute(update(JobRow).where(JobRow.state == "running", JobRow.lease_owner.in_(dead)).values(lease_expires=0.0))

    def owners(self) -> Sequence[str]:
        """Workers that hold a lease."""
        with Session(self._engine) as session:
            query = select(JobRow.lease_owner).where(JobRow.state == "running", JobRow.lease_owner.is_not(None))
            return [owner for owner in session.scalars(query) if owner]

    def counts(self) -> dict[str, int]:
        """Number of jobs per state."""
        with Session(self._engine) as session:
            rows = session.execute(select(JobRow.state, func.count()).group_by(JobRow.state))
            found = {state: int(count) for state, count in rows}
        return {state: found.get(state, 0) for state in ("queued", "running", *FINAL_STATES)}
