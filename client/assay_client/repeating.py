"""Repetition of calls: conditions and pauses."""

from typing import Any, Final

import httpx2

from assay_client.errors import retry_after, unreachable
from assay_client.requests import Call

__all__ = ["FAILURES", "pause_after_answer", "pause_after_failure"]

# Exceptions of a request without an answer.
FAILURES: Final = (httpx2.HTTPError, httpx2.InvalidURL)
# Errors of an open connection, as of a stopping server. A refused connection means that no server runs.
BROKEN: Final = (httpx2.ReadError, httpx2.WriteError, httpx2.RemoteProtocolError)
OVERLOAD_STATUSES: Final = (429, 503)
# Seconds. A server that asks for a longer pause is an error.
LONGEST_PAUSE: Final = 120.0
FIRST_PAUSE: Final = 0.5


def pause_after_answer(answer: httpx2.Response, attempt: int, attempts: int) -> float | None:
    """Seconds before the next attempt; None if this answer is final."""
    if answer.status_code not in OVERLOAD_STATUSES or attempt >= attempts:
        return None
    if "ratelimit" in answer.headers and "retry-after" not in answer.headers:
        # The request exceeds a quota at any time.
        return None
    pause = retry_after(answer.headers.get("retry-after", ""))
    pause = FIRST_PAUSE * 2 ** (attempt - 1) if pause is None else pause
    return pause if pause <= LONGEST_PAUSE else None


def pause_after_failure(call: Call[Any], address: str, error: Exception, attempt: int, attempts: int) -> float:
    """Seconds before the next attempt; AssayError if this attempt was the last."""
    if isinstance(error, BROKEN) and call.repeatable and attempt < attempts:
        return FIRST_PAUSE * 2.0 ** (attempt - 1)
    raise unreachable(address, error) from error
