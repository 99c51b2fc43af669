"""Jobs as callers know them: made, looked at, cancelled, tried again, removed; every change of state is one transaction."""

import json
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from tempfile import TemporaryFile
from typing import Any, BinaryIO, Final
from uuid import uuid4

from sqlalchemy import Connection, Select, Table, case, delete, func, insert, literal, or_, select, update
from sqlalchemy import Engine as Database
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session, defer
from sqlalchemy.orm.attributes import set_committed_value

from app.errors import InputError
from app.operations.operation import Plan
from app.running.versions import VERSION_NUMBER
from app.server.store.audit import Actor, record
from app.server.store.database.clock import lease_over
from app.server.store.files import pieces_of, read_file_of, write_files
from app.server.store.outputs import read_outputs, read_publication, read_row
from app.server.store.packing import pack, unpack
from app.server.store.tables import CheckpointRow, ChunkRow, CorrectionRow, FileRow, JobRow, PublicationRow
from app.server.store.turns import PRIORITIES, Priority, announce, jobs_ahead, know_owner, rank_of
from app.server.store.view import FINAL_STATES, NO_ORIGIN, JobOrigin, JobView, view_of

__all__ = ["JobStore", "no_job"]

# Characters of parameters, and of a summary, beyond which a list of jobs leaves them out.
CHARACTER_LIMIT: Final = 20_000
LONGEST_PAIR: Final = 64
# Jobs that are read at once in a search for visible ones.
BATCH: Final = 500
# Check at the end of the transaction that queues a job; its error rolls everything back.
Admit = Callable[[Connection], None]
# Tables of a job's data, which are deleted or copied with it.
BELONGINGS: Final = (ChunkRow, FileRow, CheckpointRow, PublicationRow, CorrectionRow)


def no_job() -> InputError:
    """The error about an unknown job, or a job of another owner."""
    return InputError("unknown-job", "no job has this id; GET /v1/jobs lists the jobs", ("id",))


def _pair_of(params: dict[str, Any]) -> str | None:
    """The language pair in parameters of a job, if they name one."""
    languages = params.get("source_language"), params.get("target_language")
    pair = params.get("pair") or ("-".join(map(str, languages)) if all(languages) else None)
    return pair if isinstance(pair, str) and len(pair) <= LONGEST_PAIR else None


def _view(session: Session, row: JobRow) -> JobView:
    return view_of(row, jobs_ahead(session, row) if row.state == "queued" else None)


class JobStore:
    """Jobs for callers; safe to use from any thread and process."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def create(self, plan: Plan, origin: JobOrigin = NO_ORIGIN, admit: Admit | None = None) -> JobView:
        """Queue a job with all of its input, or none of it where making its chunks fails, or it is not admitted.

        Chunks are packed into a temporary file first, so that neither memory nor the time of the transaction grows with them
        more than it must. A second request of one owner with one key and one digest gets the job of the first.
        """
        with TemporaryFile() as spool:
            sizes = [(rows, spool.write(pack(content))) for rows, content in plan.chunks]
            if not sizes:
                raise InputError("empty-input", "a job needs at least one segment", ("segments",))
            spool.seek(0)
            try:
                return self.get(self._insert(plan, origin, sizes, spool, admit))
            except IntegrityError:
                first = self.repeated(origin)
                if first is None:
                    raise
                return first

    def _insert(self, plan: Plan, origin: JobOrigin, sizes: Sequence[tuple[int, int]], spool: BinaryIO, admit: Admit | None) -> str:
        total = sum(rows for rows, _ in sizes)
        row = JobRow(
            id=uuid4().hex, kind=plan.kind, state="queued", params=json.dumps(plan.params), created=time.time(), total=total,
            done=0, priority=PRIORITIES.index(origin.priority), rank=rank_of(total), done_when_taken=0, lease_expires=0.0,
            attempts=0, cancel_requested=0, pair=_pair_of(plan.params), version=VERSION_NUMBER,
            owner=origin.owner, idempotency_key=origin.key, request_digest=origin.digest,
            webhook=origin.webhook, webhook_attempts=0, checkpoint_bytes=0, traceparent=origin.traceparent,
        )  # fmt: skip
        row.stored_bytes = len(row.params) + sum(size for _, size in sizes)
        with Session(self.database, expire_on_commit=False) as session, session.begin():
            session.add(row)
            session.flush()
            for number, (rows, size) in enumerate(sizes):
                values = {"job_id": row.id, "number": number, "rows": rows, "input": spool.read(size)}
                session.execute(insert(ChunkRow).values(**values))
            row.stored_bytes += write_files(session, row.id, plan.files)
            session.flush()
            if admit is not None:
                admit(session.connection())
            know_owner(session, origin.owner)
            announce(session)
            record(session, origin.by, "created", "job", row.id, {"kind": plan.kind, "owner": row.owner, "segments": row.total})
        return row.id

    def get(self, job: str) -> JobView:
        """One job, or InputError."""
        with Session(self.database) as session:
            row = session.get(JobRow, job)
            if row is None:
                raise no_job()
            return _view(session, row)

    def repeated(self, origin: JobOrigin) -> JobView | None:
        """The owner's job with the same idempotency key; InputError if its request differs."""
        if origin.key is None:
            return None
        query = select(JobRow).where(JobRow.owner == origin.owner, JobRow.idempotency_key == origin.key)
        with Session(self.database) as session:
            row = session.scalars(query).first()
            if row is not None and row.request_digest != origin.digest:
                detail = "this Idempotency-Key came with another request before; use a new key"
                raise InputError("idempotency-conflict", detail, ("Idempotency-Key",))
            return None if row is None else _view(session, row)

    def list(
        self,
        limit: int = 100,
        after: str | None = None,
        state: str | None = None,
        kind: str | None = None,
        owner: str | None = None,
        visible: Callable[[str, dict[str, Any]], bool] | None = None,
    ) -> Sequence[JobView]:
        """The newest jobs first: those older than the job `after`; of one state, kind or owner where one is given.

        With `visible`, only jobs whose kind and parameters it accepts.

        Parameters and summaries that are long, as the texts that were selected, are left out; `get` has them.
        """
        query = select(JobRow).order_by(JobRow.created.desc(), JobRow.id)
        if after is not None:
            last = self.get(after)
            query = query.where(or_(JobRow.created < last.created, (JobRow.created == last.created) & (JobRow.id > last.id)))
        for column, value in ((JobRow.state, state), (JobRow.kind, kind), (JobRow.owner, owner)):
            if value is not None:
                query = query.where(column == value)
        if visible is not None:
            query = query.where(JobRow.id.in_(self._ids(query, limit, visible)))
        fields = (JobRow.params, JobRow.summary)
        short = [case((func.length(field) <= CHARACTER_LIMIT, field)) for field in fields]
        listed_rows = query.limit(limit).options(*map(defer, fields)).add_columns(*short)
        jobs = []
        with Session(self.database) as session:
            for row, params, summary in map(tuple, session.execute(listed_rows).all()):
                set_committed_value(row, "params", params or "{}")
                set_committed_value(row, "summary", summary)
                jobs.append(_view(session, row))
        return jobs

    def _ids(self, query: Select[JobRow], limit: int, visible: Callable[[str, dict[str, Any]], bool]) -> Sequence[str]:
        """Ids of the first jobs of a query that `visible` accepts."""
        columns = query.with_only_columns(JobRow.id, JobRow.kind, JobRow.params).execution_options(yield_per=BATCH)
        with Session(self.database) as session:
            jobs = (id for id, kind, params in session.execute(columns) if visible(kind, json.loads(params)))
            return list(islice(jobs, limit))

    def file(self, job: str, role: str) -> bytes | None:
        """A file that a job came in."""
        return read_file_of(self.database, job, role)

    def pieces(self, job: str, role: str) -> Iterator[bytes]:
        """Content of a file in pieces; InputError if it is deleted meanwhile."""
        yield from pieces_of(self.database, job, role)
        self.get(job).check_kept()

    def outputs(self, job: str) -> Iterator[Any]:
        """Outputs of all finished chunks in order, one in memory at a time; InputError where they were deleted meanwhile."""
        yield from read_outputs(self.database, job)
        # A part would look like the whole.
        self.get(job).check_kept()

    def row(self, job: str, place: int) -> Any:
        """One row of a result, counted from 0, of a job with one output row per input row; None without such a row."""
        return read_row(self.database, job, place)

    def left(self, job: str) -> Iterator[Any]:
        """Inputs of the chunks that are not worked on yet, in order, one in memory at a time."""
        query = select(ChunkRow.number).where(ChunkRow.job_id == job, ChunkRow.output.is_(None)).order_by(ChunkRow.number)
        with Session(self.database) as session:
            for number in list(session.scalars(query)):
                raw = session.scalar(select(ChunkRow.input).where(ChunkRow.job_id == job, ChunkRow.number == number))
                if raw:
                    yield unpack(raw)

    def published(self, job: str, name: str) -> Any:
        """A part of the answer that can be seen before the end, or None."""
        return read_publication(self.database, job, name)

    def retry(
        self,
        job: str,
        admit: Admit | None = None,
        by: Actor | None = None,
        traceparent: str | None = None,
        priority: Priority | None = None,
    ) -> JobView:
        """Create a job of the same input that continues a failed or cancelled job, with the same webhook."""
        with Session(self.database) as session:
            first = session.get(JobRow, job)
            if first is None:
                raise no_job()
        view = view_of(first)
        view.check_kept(with_input=True)
        if view.state not in ("failed", "cancelled"):
            raise InputError("job-not-finished", f"the job is {view.state}; only a failed or cancelled job can be retried", ("id",))
        new = uuid4().hex
        with Session(self.database) as session, session.begin():
            session.add(
                JobRow(
                    id=new, kind=view.kind, state="queued", params=json.dumps(view.params), total=view.total, done=view.done,
                    created=time.time(), done_when_taken=view.done, lease_expires=0.0, attempts=0, cancel_requested=0,
                    priority=PRIORITIES.index(priority or view.priority), rank=rank_of(view.total - view.done), owner=view.owner,
                    webhook=first.webhook, webhook_attempts=0, stored_bytes=first.stored_bytes,
                    checkpoint_bytes=first.checkpoint_bytes, traceparent=traceparent, pair=first.pair, version=first.version,
                )
            )  # fmt: skip
            session.flush()
            for belonging in BELONGINGS:
                table = belonging.__table__
                assert isinstance(table, Table)
                names = [column.name for column in table.columns]
                columns = (literal(new) if name == "job_id" else table.c[name] for name in names)
                session.execute(insert(table).from_select(names, select(*columns).where(table.c.job_id == job)))
            if admit is not None:
                admit(session.connection())
            know_owner(session, view.owner)
            announce(session)
            record(session, by, "retried", "job", new, {"kind": view.kind, "owner": view.owner, "of": job})
        return self.get(new)

    def cancel(self, job: str, by: Actor | None = None) -> JobView:
        """Cancel a waiting job at once; its worker cancels a running one soon. A finished job stays unchanged."""
        now = time.time()
        idle = or_(JobRow.state == "queued", (JobRow.state == "running") & lease_over())
        with Session(self.database) as session, session.begin():
            changes = (
                update(JobRow).where(JobRow.id == job, idle).values(state="cancelled", finished=now, cancel_requested=1),
                update(JobRow).where(JobRow.id == job, JobRow.state == "running").values(cancel_requested=1),
            )
            if sum(session.execute(change).rowcount for change in changes):  # type: ignore[attr-defined]
                record(session, by, "cancelled", "job", job)
        return self.get(job)

    def remove(self, job: str, by: Actor | None = None) -> JobView:
        """Delete a finished job with all it holds."""
        view = self.get(job)
        if view.state not in FINAL_STATES:
            raise InputError("job-not-finished", "cancel the job before removing it", ("id",))
        with Session(self.database) as session, session.begin():
            for belonging in BELONGINGS:
                session.execute(delete(belonging).where(belonging.job_id == job))
            session.execute(delete(JobRow).where(JobRow.id == job))
            record(session, by, "deleted", "job", job, {"kind": view.kind, "owner": view.owner})
        return view

    def counts(self) -> dict[str, int]:
        """Number of jobs per state."""
        with Session(self.database) as session:
            rows = session.execute(select(JobRow.state, func.count()).group_by(JobRow.state))
            counts = {state: int(count) for state, count in rows}
        return {state: counts.get(state, 0) for state in ("queued", "running", *FINAL_STATES)}
