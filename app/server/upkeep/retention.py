"""Retention of data: results, input of jobs, feedback. Expired data are deleted; running jobs are not touched."""

import logging
import threading
from dataclasses import asdict, dataclass
from typing import Final

from sqlalchemy import ColumnElement, func, select
from sqlalchemy import Engine as Database
from sqlalchemy.orm import Session

from app.errors import is_disk_full
from app.server.store.database.clock import database_now
from app.server.store.files import OUTPUT_PREFIX
from app.server.store.tables import ChunkRow, CorrectionRow, FeedbackRow, FeedbackUseRow, FileRow, JobRow, TranslationRow
from app.server.store.view import FINAL_STATES
from app.server.upkeep.slices import BELONGINGS, MustStop, delete_rows, empty_log, no_stop, update_rows
from app.settings import Settings

__all__ = ["Expired", "Retention", "Sweeper"]

log = logging.getLogger("assay")
DAY: Final = 86400.0
LONGEST_PAUSE: Final = 3600.0
SHORTEST_PAUSE: Final = 1.0
# A job stays on record with its owner, its times and its size, without content from callers and answers.
EMPTY: Final = {
    "params": "{}", "summary": None, "idempotency_key": None, "request_digest": None, "webhook": None, "stored_bytes": 0,
    "checkpoint_bytes": 0,
}  # fmt: skip


@dataclass(frozen=True)
class Expired:
    """Counts of expired data: jobs with expired results, jobs with expired texts and files, judgements, and translations."""

    results: int
    uploads: int
    feedback: int
    translations: int = 0


class Retention:
    """Retention by the settings, applied to a database; several processes may apply it at once."""

    def __init__(self, database: Database, settings: Settings) -> None:
        self._database = database
        self._settings = settings

    @property
    def days(self) -> list[float]:
        """Retention periods in days, of the settings with one."""
        retention_days = (self._settings.keep_results_days, self._settings.keep_uploads_days, self._settings.keep_feedback_days)
        # Without services there are no new translations; the last ones expire beside other data.
        translation_days = [] if self._settings.translation_services is None else [self._settings.keep_translations_days]
        return [*(days for days in retention_days if days is not None), *translation_days]

    def due(self) -> Expired:
        """Counts of data that a run would delete now."""
        return Expired(
            self._count(JobRow, self._results_due()),
            self._count(JobRow, self._uploads_due()),
            self._count(FeedbackRow, self._feedback_due()),
            self._count(TranslationRow, self._translations_due()),
        )

    def _count(self, row: type[JobRow | FeedbackRow | TranslationRow], conditions: list[ColumnElement[bool]] | None) -> int:
        if conditions is None:
            return 0
        with Session(self._database) as session:
            return int(session.scalar(select(func.count()).select_from(row).where(*conditions)) or 0)

    def expire(self, must_stop: MustStop = no_stop) -> Expired:
        """Delete expired data, a few rows at a time; the next call continues an interrupted one."""
        results, uploads, feedback = self._results_due(), self._uploads_due(), self._feedback_due()
        expired = Expired(
            0 if results is None else self._mark(results, must_stop, expired=database_now(), **EMPTY),
            0 if uploads is None else self._mark(uploads, must_stop, input_expired=database_now(), stored_bytes=_without_input()),
            0 if feedback is None else delete_rows(self._database, FeedbackRow, *feedback, must_stop=must_stop),
            delete_rows(self._database, TranslationRow, *self._translations_due(), must_stop=must_stop),
        )
        self._empty(must_stop)
        if expired.feedback:
            has_no_judgement = FeedbackUseRow.feedback.not_in(select(FeedbackRow.id))
            delete_rows(self._database, FeedbackUseRow, has_no_judgement, must_stop=must_stop)
        if self._settings.secure_delete and not empty_log(self._database):
            log.warning("the log of the database could not be emptied, since somebody reads it; deleted texts may be in it still")
        return expired

    def _mark(self, conditions: list[ColumnElement[bool]], must_stop: MustStop, **values: object) -> int:
        # The mark comes first, so that no caller reads half-deleted data.
        return update_rows(self._database, JobRow, values, *conditions, must_stop=must_stop)

    def _empty(self, must_stop: MustStop) -> None:
        """Delete data of marked jobs, marked by this call or by an interrupted one."""
        expired = select(JobRow.id).where(JobRow.expired.is_not(None))
        for belonging in BELONGINGS:
            delete_rows(self._database, belonging, belonging.job_id.in_(expired), must_stop=must_stop)
        without_input = select(JobRow.id).where(JobRow.input_expired.is_not(None))
        came = FileRow.role.not_like(f"{OUTPUT_PREFIX}%")
        delete_rows(self._database, FileRow, FileRow.job_id.in_(without_input), came, must_stop=must_stop)
        has_input = (ChunkRow.job_id.in_(without_input), func.length(ChunkRow.input) > 0)
        update_rows(self._database, ChunkRow, {"input": b""}, *has_input, must_stop=must_stop)

    def _results_due(self) -> list[ColumnElement[bool]] | None:
        days = self._settings.keep_results_days
        return None if days is None else [*_ended(days), JobRow.expired.is_(None)]

    def _uploads_due(self) -> list[ColumnElement[bool]] | None:
        days = self._settings.keep_uploads_days
        return None if days is None else [*_ended(days), JobRow.expired.is_(None), JobRow.input_expired.is_(None)]

    def _feedback_due(self) -> list[ColumnElement[bool]] | None:
        days = self._settings.keep_feedback_days
        return None if days is None else [FeedbackRow.created < database_now() - days * DAY]

    def _translations_due(self) -> list[ColumnElement[bool]]:
        return [TranslationRow.created < database_now() - self._settings.keep_translations_days * DAY]


def _without_input() -> ColumnElement[int]:
    """Bytes that a job keeps when the texts and files that it came with are gone."""
    outputs = select(func.coalesce(func.sum(func.length(ChunkRow.output)), 0)).where(ChunkRow.job_id == JobRow.id).scalar_subquery()
    sizes = select(func.coalesce(func.sum(func.length(FileRow.content)), 0))
    output_size = sizes.where(FileRow.job_id == JobRow.id, FileRow.role.like(f"{OUTPUT_PREFIX}%")).scalar_subquery()
    corrections = select(func.coalesce(func.sum(CorrectionRow.stored_bytes), 0)).where(CorrectionRow.job_id == JobRow.id)
    row_size = func.length(JobRow.params) + func.coalesce(func.length(JobRow.summary), 0)
    return row_size + outputs + output_size + corrections.scalar_subquery()


def _ended(days: float) -> list[ColumnElement[bool]]:
    return [JobRow.state.in_(FINAL_STATES), JobRow.finished < database_now() - days * DAY]


class Sweeper:
    """A thread that deletes expired data every hour, or more often for retention below ten hours."""

    def __init__(self, retention: Retention) -> None:
        self._retention = retention
        shortest = min(retention.days, default=None)
        self._pause = None if shortest is None else min(max(shortest * DAY / 10, SHORTEST_PAUSE), LONGEST_PAUSE)
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._sweep, name="retention", daemon=True)

    def start(self) -> None:
        """Begin, if the settings have a retention period."""
        if self._pause is not None:
            self._thread.start()

    def stop(self) -> None:
        """End behind the slice at hand."""
        self._stopping.set()
        if self._thread.is_alive():
            self._thread.join()

    def _sweep(self) -> None:
        while True:
            try:
                expired = self._retention.expire(self._stopping.is_set)
                if any(asdict(expired).values()):
                    log.info("expired: %s", ", ".join(f"{count} {name}" for name, count in asdict(expired).items()))
            except Exception as error:
                if is_disk_full(error):
                    log.warning("what has expired cannot be deleted: there is no room on the disk")
                else:
                    log.exception("what has expired could not be deleted")
            if self._stopping.wait(self._pause):
                return
