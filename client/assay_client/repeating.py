"""When a call is made again, and after how long."""

from typing import Any, Final

import httpx2

from assay_client.errors import retry_after, unreachable
from assay_client.requests import Call

__all__ = ["FAILURES", "pause_after_answer", "pause_after_failure"]

# Whatever keeps a request from being answered.
FAILURES: Final = (httpx2.HTTPError, httpx2.InvalidURL)
# The connection was there and broke: a server that stops, or a proxy before it. One that refuses it is not there.
BROKEN: Final = (httpx2.ReadError, httpx2.WriteError, httpx2.RemoteProtocolError)
OVERLOADED: Final = (429, 503)
# Seconds; who asks for more is told of, not waited for.
LONGEST_PAUSE: Final = 120.0
FIRST_PAUSE: Final = 0.5


def pause_after_answer(answer: httpx2.Response, attempt: int, attempts: int) -> float | None:
    """Seconds before another attempt; None where this answer is the last."""
    if answer.status_code not in OVERLOADED or attempt >= attempts:
        return None
    if "ratelimit" in answer.headers and "retry-after" not in answer.headers:
        # More than a quota allows whenever it comes.
        return None
    pause = retry_after(answer.headers.get("retry-after", ""))
    pause = FIRST_PAUSE * 2 ** (attempt - 1) if pause is None else pause
    return pause if pause <= LONGEST_PAUSE else None


def pause_after_failure(call: Call[Any], address: str, error: Exception, attempt: int, attempts: int) -> float:
    """Seconds before another attempt; AssayError where there is to be none."""
    if isinstance(error, BROKEN) and call.repeatable and attempt < attempts:
        return FIRST_PAUSE * 2.0 ** (attempt - 1)
    raise unreachable(address, error) from error
