"""Facts about a call for logs and traces: operation, number of segments, and waiting time."""

import time
from collections.abc import Iterator, Sized
from contextlib import contextmanager
from typing import Any, Final

from app.operations.operation import Body, Operation
from app.running.request_context import request_here
from app.running.tracing import span
from app.server.service.authentication import Caller

__all__ = ["name_caller", "note_begin", "note_segments", "watched"]

# Where requests have what they are about: a list of segments, or named lists of them.
LISTS: Final = ("segments", "systems", "system", "human")


def name_caller(caller: Caller) -> None:
    """Say whose request is being answered."""
    context = request_here()
    if context is not None:
        context.key, context.owner = caller.name, caller.owner


def note_segments(count: int) -> None:
    """Say how many segments the request is about."""
    context = request_here()
    if context is not None:
        context.segments = count


@contextmanager
def watched(operation: Operation[Any, Any], request: Body) -> Iterator[None]:
    """Time an operation."""
    context, count = request_here(), _segments_of(request)
    if context is not None:
        context.segments, context.call_time = count, time.monotonic()
    with span(f"operation {operation.name}", operation=operation.name, segments=count):
        yield


def note_begin() -> None:
    """Say that a call has a thread now; what was before was waiting."""
    context = request_here()
    if context is not None and context.call_time is not None:
        context.wait_seconds = time.monotonic() - context.call_time


def _segments_of(request: Body) -> int | None:
    """Number of segments, over all systems where there are several."""
    for name in LISTS:
        value = getattr(request, name, None)
        if isinstance(value, dict):
            return sum(len(part) for part in value.values() if isinstance(part, Sized))
        if isinstance(value, list):
            return len(value)
    return None
