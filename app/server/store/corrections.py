"""Corrections of jobs' translations: each change is one transaction with its judgement, the job's size and the audit."""

import time
from collections.abc import Callable, Iterator
from typing import Final

from sqlalchemy import Connection, func, select, update
from sqlalchemy import Engine as Database
from sqlalchemy.orm import Session

from app.errors import InputError
from app.operations.judgements.corrections import Change, Correction, CorrectionConflictError, not_correctable
from app.running.rates import Room
from app.server.store.audit import Actor, record
from app.server.store.feedback import put_judgement, withdraw_judgement
from app.server.store.jobs import no_job
from app.server.store.packing import pack, unpack
from app.server.store.tables import CorrectionRow, JobRow
from app.server.store.usage import check_room
from app.server.store.view import view_of

__all__ = ["CorrectionStore"]

# Corrections that are fetched at once where all are wanted.
PAGE_SIZE: Final = 500


class CorrectionStore:
    """All reading and writing of corrections; safe to use from any thread and process."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def page(self, job: str, limit: int, after: int = 0) -> list[Correction]:
        """At most `limit` corrections that stand, in the order of segments, from behind one of them."""
        query = (
            select(CorrectionRow)
            .where(CorrectionRow.job_id == job, CorrectionRow.segment > after, CorrectionRow.text.is_not(None))
            .order_by(CorrectionRow.segment)
            .limit(limit)
        )
        with Session(self._database) as session:
            return [_correction(row) for row in session.scalars(query)]

    def all(self, job: str) -> Iterator[Correction]:
        """Corrections in force, in the order of segments, a few in memory at a time."""
        after = 0
        while batch := self.page(job, PAGE_SIZE, after):
            yield from batch
            after = batch[-1].segment

    def version(self, job: str) -> int:
        """A number that grows with every change of a job's corrections; 0 before the first."""
        with Session(self._database) as session:
            return int(session.scalar(select(func.sum(CorrectionRow.revision)).where(CorrectionRow.job_id == job)) or 0)

    def change(
        self,
        job: str,
        change: Change,
        by: Actor | None = None,
        most_bytes: int | None = None,
        check: Callable[[Connection], None] | None = None,
    ) -> Correction:
        """Put a text in a segment's place, or take it back, with the judgement that it is.

        CorrectionConflictError if another caller changed it since the base revision; taking back a missing correction does
        nothing. InputError where the job is gone or has no result, or there is no correction to take back; QuotaError where its
        owner would keep more than `most_bytes`. `check` raises where nothing may be written any more.
        """
        now = time.time()
        with Session(self._database, expire_on_commit=False) as session, session.begin():
            # A write first: SQLite has its one writer from then on, PostgreSQL whoever holds this row.
            session.execute(update(JobRow).where(JobRow.id == job).values(stored_bytes=JobRow.stored_bytes))
            owning = session.get(JobRow, job)
            _check_job(owning)
            assert owning is not None
            row = session.get(CorrectionRow, (job, change.segment))
            _check_revision(row, change)
            if row is None:
                row = CorrectionRow(
                    job_id=job, segment=change.segment, revision=0, created=now, author="", author_owner="", changed=now,
                    stored_bytes=0,
                )  # fmt: skip
                session.add(row)
            if change.judgement is None:
                withdraw_judgement(session, row.feedback)
                row.feedback = None
            else:
                row.feedback = put_judgement(session, row.feedback, owning.owner, change.judgement)
            content = None if change.assessment is None else pack(change.assessment)
            size = len((change.text or "").encode()) + len(content or b"")
            grows = size > row.stored_bytes
            owning.stored_bytes += size - row.stored_bytes
            row.text, row.stored_bytes, row.revision, row.changed = change.text, size, row.revision + 1, now
            row.author, row.author_owner, row.assessment = change.author, change.author_owner, content
            session.flush()
            if check is not None:
                check(session.connection())
            if grows:
                check_room(session.connection(), owning.owner, Room(stored_bytes=most_bytes))
            action = "corrected" if change.text is not None else "reverted"
            record(session, by, action, "segment", job, {"segment": change.segment, "revision": row.revision})
            return _correction(row)


def _check_job(row: JobRow | None) -> None:
    if row is None:
        raise no_job()
    view = view_of(row)
    view.check_kept()
    refusal = not_correctable(view.state)
    if refusal is not None:
        raise refusal


def _check_revision(row: CorrectionRow | None, change: Change) -> None:
    stands = row is not None and row.text is not None
    if change.text is None and not stands:
        raise InputError("not-found", "this segment has no correction to undo", ("segment",))
    if row is None and change.revision == 0:
        return
    if row is None:
        raise InputError("invalid-request", "there is no correction of this segment yet; send revision 0", ("revision",))
    # Nothing is lost of what was taken back by whoever saw nothing.
    if change.revision != row.revision and (stands or change.revision != 0):
        raise CorrectionConflictError(_correction(row))


def _correction(row: CorrectionRow) -> Correction:
    assessment = None if row.assessment is None else unpack(row.assessment)
    return Correction(row.segment, row.text, row.revision, row.author, row.created, row.changed, row.feedback, assessment)
