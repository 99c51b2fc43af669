"""What is known of the request or the job that a thread works for, for logs, the audit and traces: no texts, no tokens."""

import re
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Final
from uuid import uuid4

__all__ = ["RequestContext", "begin_request", "job_here", "request_here", "work_for_job"]

# What begins like a token is none of the ids that go into logs.
REQUEST_ID: Final = re.compile(r"(?!assay_)[A-Za-z0-9._:-]{8,64}")
TRACEPARENT: Final = re.compile(r"[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}")


@dataclass
class RequestContext:
    """One request. `key` and `owner` are those of its caller, empty while nobody is named.

    `traceparent` is the trace that it came with (W3C), `segments` how many it is about, `waited` the seconds that it waited for a
    thread, `called` when it was handed to an operation.
    """

    id: str
    address: str
    traceparent: str | None = None
    key: str = ""
    owner: str = ""
    segments: int | None = None
    called: float | None = None
    waited: float | None = None


REQUEST: Final[ContextVar[RequestContext | None]] = ContextVar("assay_request", default=None)
JOB: Final[ContextVar[str | None]] = ContextVar("assay_job", default=None)


def begin_request(address: str, request_id: str, traceparent: str) -> RequestContext:
    """From here on this task, and the threads it asks, work for a request.

    Its id is the caller's where that is well-formed, else that of the trace it came with, else a new one.
    """
    trace = _trace_of(traceparent)
    id = request_id if REQUEST_ID.fullmatch(request_id) else trace or uuid4().hex
    context = RequestContext(id, address, traceparent if trace else None)
    REQUEST.set(context)
    return context


def _trace_of(traceparent: str) -> str | None:
    match = TRACEPARENT.fullmatch(traceparent)
    # What is all zeros, or of the version that never will be, is no trace.
    if match is None or traceparent.startswith("ff") or not match[1].strip("0") or not match[2].strip("0"):
        return None
    return match[1]


def request_here() -> RequestContext | None:
    """The request that is being answered."""
    return REQUEST.get()


def work_for_job(job: str | None) -> None:
    """From here on this thread works for a job, or for none."""
    JOB.set(job)


def job_here() -> str | None:
    """The id of the job that is being worked on."""
    return JOB.get()
