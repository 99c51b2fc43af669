"""Context of the request or job of a thread, for logs, the audit and traces; without texts and tokens."""

import re
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Final
from uuid import uuid4

__all__ = ["RequestContext", "begin_request", "job_here", "request_here", "work_for_job"]

# Ids go into logs, so they may not begin like a token.
REQUEST_ID: Final = re.compile(r"(?!assay_)[A-Za-z0-9._:-]{8,64}")
TRACEPARENT: Final = re.compile(r"[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}")


@dataclass
class RequestContext:
    """One request. `key` and `owner` are those of its caller, empty if the caller is unknown.

    `traceparent` is the trace of the caller (W3C), and `segments` their number in the request. `call_time` is the time of the call
    of its operation, `wait_seconds` the time until a thread was free.
    """

    id: str
    address: str
    traceparent: str | None = None
    key: str = ""
    owner: str = ""
    segments: int | None = None
    call_time: float | None = None
    wait_seconds: float | None = None


REQUEST: Final[ContextVar[RequestContext | None]] = ContextVar("assay_request", default=None)
JOB: Final[ContextVar[str | None]] = ContextVar("assay_job", default=None)


def begin_request(address: str, request_id: str, traceparent: str) -> RequestContext:
    """Set the request of this task and of the threads that it starts.

    Its id is the id of the caller if that is well-formed, else the id of the trace, else a new one.
    """
    trace = _trace_of(traceparent)
    id = request_id if REQUEST_ID.fullmatch(request_id) else trace or uuid4().hex
    context = RequestContext(id, address, traceparent if trace else None)
    REQUEST.set(context)
    return context


def _trace_of(traceparent: str) -> str | None:
    match = TRACEPARENT.fullmatch(traceparent)
    # Ids of zeros and version ff are invalid.
    if match is None or traceparent.startswith("ff") or not match[1].strip("0") or not match[2].strip("0"):
        return None
    return match[1]


def request_here() -> RequestContext | None:
    """Request of this task, or None."""
    return REQUEST.get()


def work_for_job(job: str | None) -> None:
    """Set the job of this thread; None ends it."""
    JOB.set(job)


def job_here() -> str | None:
    """Id of the job of this thread, or None."""
    return JOB.get()
