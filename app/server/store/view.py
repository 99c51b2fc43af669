"""A job as callers see it, and its origin."""

import json
import time
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from typing import Annotated, Any, Final, Literal, NotRequired

from pydantic import Field
from typing_extensions import TypedDict

from app.errors import InputError
from app.server.store.audit import Actor
from app.server.store.tables import JobRow
from app.server.store.turns import NORMAL, PRIORITIES, Priority

__all__ = ["FINAL_STATES", "NO_ORIGIN", "JobAnswer", "JobList", "JobOrigin", "JobState", "JobView", "job_answer", "view_of"]

FINAL_STATES: Final = ("succeeded", "failed", "cancelled")
Json = dict[str, Any]
JobState = Literal["queued", "running", "succeeded", "failed", "cancelled"]


class JobProgress(TypedDict):
    """Action inside a chunk or at the end, and its share that is done."""

    step: str
    share: float | None


class JobAnswer(TypedDict):
    """A job and how far it is; times are of the whole world's clock (ISO 8601, UTC)."""

    id: str
    kind: str
    state: JobState
    owner: str | None
    priority: Priority
    ahead: Annotated[
        int | None,
        Field(description="For a queued job: jobs of higher priority, and the owner's jobs, that come before it; at most 1000"),
    ]
    done: int
    total: int
    rate: Annotated[float | None, Field(description="Segments per second")]
    eta: Annotated[float | None, Field(description="Seconds to the end, estimated")]
    progress: JobProgress | None
    created: str
    started: str | None
    finished: str | None
    error: Json | None
    summary: Json | None
    params: Json
    expired: NotRequired[Annotated[str, Field(description="Time of deletion of the job's data, if deleted")]]


class JobList(TypedDict):
    """Jobs, the newest first."""

    jobs: list[JobAnswer]
    next: Annotated[str | None, Field(description="Value of `after` for the next page; null on the last")]


@dataclass(frozen=True)
class JobView:
    """A job as it was at one moment.

    `rate` is what it did a second until it last got on, `idle` for how many seconds it has not. `step` is what is being done inside
    a chunk or at the end, `step_share` (0 to 1) how far; `ahead` is how many jobs come before a queued one.
    """

    id: str
    kind: str
    state: JobState
    params: Json
    done: int
    total: int
    created: float
    started: float | None
    finished: float | None
    error: Json | None
    summary: Json | None
    rate: float | None
    idle: float
    cancel_requested: bool
    owner: str = ""
    step: str | None = None
    step_share: float | None = None
    priority: Priority = NORMAL
    ahead: int | None = None
    traceparent: str | None = None
    input_expired: float | None = None
    expired: float | None = None

    def check_kept(self, with_input: bool = False) -> None:
        """InputError if the job's output is deleted; `with_input` also if its input is."""
        if self.expired is not None:
            raise InputError("result-expired", f"what this job held was deleted at {_time_of(self.expired)}", ("id",))
        if with_input and self.input_expired is not None:
            raise InputError("result-expired", f"what this job came with was deleted at {_time_of(self.input_expired)}", ("id",))

    @property
    def eta(self) -> float | None:
        """Seconds to the end at the present rate; they fall between two parts of the work, too."""
        if not self.rate or self.state != "running":
            return None
        return max(0.0, (self.total - self.done) / self.rate - self.idle)


def view_of(row: JobRow, ahead: int | None = None) -> JobView:
    """The row as it is now, with its present rate, and how many come before it."""
    rate, idle = None, 0.0
    if row.state == "running" and row.taken is not None and row.done > row.done_when_taken:
        now = time.time()
        progress_time = now if row.progressed is None else row.progressed
        rate, idle = (row.done - row.done_when_taken) / max(progress_time - row.taken, 1e-3), max(0.0, now - progress_time)
    elif row.state == "succeeded" and row.finished and row.taken is not None:
        rate = (row.done - row.done_when_taken) / max(row.finished - row.taken, 1e-3)
    values: dict[str, Any] = {
        "rate": rate,
        "idle": idle,
        "ahead": ahead,
        "priority": PRIORITIES[row.priority],
        "cancel_requested": bool(row.cancel_requested),
        "params": json.loads(row.params),
        "error": json.loads(row.error) if row.error else None,
        "summary": json.loads(row.summary) if row.summary else None,
    }
    # The other fields are columns.
    return JobView(**{field.name: getattr(row, field.name) for field in fields(JobView) if field.name not in values}, **values)


@dataclass(frozen=True)
class JobOrigin:
    """Origin of a job: owner, priority, an idempotency key that identifies a repeated request, and a webhook.

    `by` is who is recorded to have made it, and `traceparent` the trace that it belongs to.
    """

    owner: str = ""
    key: str | None = None
    digest: str | None = None
    webhook: str | None = None
    priority: Priority = NORMAL
    by: Actor | None = None
    traceparent: str | None = None


NO_ORIGIN: Final = JobOrigin()


def job_answer(job: JobView) -> JobAnswer:
    """A job as it is answered."""
    answer: JobAnswer = {
        "id": job.id,
        "kind": job.kind,
        "state": job.state,
        "owner": job.owner or None,
        "priority": job.priority,
        "ahead": job.ahead,
        "done": job.done,
        "total": job.total,
        "rate": None if job.rate is None else round(job.rate, 1),
        "eta": None if job.eta is None else round(job.eta, 1),
        "progress": None if job.step is None else {"step": job.step, "share": job.step_share},
        "created": _time_of(job.created),
        "started": _time(job.started),
        "finished": _time(job.finished),
        "error": job.error,
        "summary": job.summary,
        "params": _with_glossary_size(job.params),
    }
    if job.expired is not None:
        answer["expired"] = _time_of(job.expired)
    return answer


def _with_glossary_size(params: Json) -> Json:
    """Parameters with the size of a glossary in its place, since it may be larger than the result."""
    glossary = params.get("glossary")
    if not glossary:
        return params
    return {**params, "glossary": {"name": glossary["name"]} if isinstance(glossary, dict) else {"terms": len(glossary)}}


def _time(seconds: float | None) -> str | None:
    return None if seconds is None else _time_of(seconds)


def _time_of(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")
