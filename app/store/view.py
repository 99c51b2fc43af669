"""A job as others see it, and who asked for it."""

import json
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from app.store.tables import JobRow

__all__ = ["FINAL_STATES", "NOBODY", "JobView", "Origin", "job_answer", "view_of"]

FINAL_STATES: Final = ("succeeded", "failed", "cancelled")
Json = dict[str, Any]


@dataclass(frozen=True)
class JobView:
    """A job as it was at one moment. `step` is what is being done inside a chunk or at the end, `step_share` (0 to 1) how far."""

    id: str
    kind: str
    state: str
    params: Json
    done: int
    total: int
    created: float
    started: float | None
    finished: float | None
    error: Json | None
    summary: Json | None
    rate: float | None
    cancel_requested: bool
    owner: str = ""
    step: str | None = None
    step_share: float | None = None

    @property
    def eta(self) -> float | None:
        """Seconds to the end at the present rate."""
        return (self.total - self.done) / self.rate if self.rate and self.state == "running" else None


def view_of(row: JobRow) -> JobView:
    """The row as it is now, with its present rate."""
    rate = None
    if row.state == "running" and row.taken is not None and row.done > row.done_when_taken:
        rate = (row.done - row.done_when_taken) / max(time.time() - row.taken, 1e-3)
    elif row.state == "succeeded" and row.finished and row.taken is not None:
        rate = (row.done - row.done_when_taken) / max(row.finished - row.taken, 1e-3)
    return JobView(
        id=row.id,
        kind=row.kind,
        state=row.state,
        params=json.loads(row.params),
        done=row.done,
        total=row.total,
        created=row.created,
        started=row.started,
        finished=row.finished,
        error=json.loads(row.error) if row.error else None,
        summary=json.loads(row.summary) if row.summary else None,
        rate=rate,
        cancel_requested=bool(row.cancel_requested),
        owner=row.owner,
        step=row.step,
        step_share=row.step_share,
    )


@dataclass(frozen=True)
class Origin:
    """Who asks for a job, a key under which the owner's same request makes no second job, and an address to be told."""

    owner: str = ""
    key: str | None = None
    digest: str | None = None
    webhook: str | None = None


NOBODY: Final = Origin()


def job_answer(job: JobView) -> Json:
    """A job as JSON; times are of the whole world's clock (ISO 8601, UTC)."""
    return {
        "id": job.id,
        "kind": job.kind,
        "state": job.state,
        "owner": job.owner or None,
        "done": job.done,
        "total": job.total,
        "rate": None if job.rate is None else round(job.rate, 1),
        "eta": None if job.eta is None else round(job.eta, 1),
        "progress": None if job.step is None else {"step": job.step, "share": job.step_share},
        "created": _time(job.created),
        "started": _time(job.started),
        "finished": _time(job.finished),
        "error": job.error,
        "summary": job.summary,
        "params": job.params,
    }


def _time(seconds: float | None) -> str | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")
