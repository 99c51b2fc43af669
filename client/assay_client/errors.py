"""Errors of this package: AssayError and its subclass QuotaError."""

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

import httpx2

__all__ = ["AssayError", "QuotaError", "check_answer", "retry_after", "unreachable"]


class AssayError(Exception):
    """A refusal by the server, or a server that does not answer.

    `code` is a code of docs/reference/errors.md, `unreachable` without an answer (`__cause__` has the failure), or `job-failed` or
    `job-cancelled` for a job that ended so without an error of its own. `status` is the HTTP status, or 0. `detail` describes the
    error; `place` is its place in the request, if the server names one.
    """

    def __init__(self, code: str, status: int, detail: str, place: str = "") -> None:
        super().__init__(f"{place}: {detail}" if place else detail)
        self.code, self.status, self.detail, self.place = code, status, detail, place

    def __reduce__(self) -> tuple[type["AssayError"], tuple[str, int, str, str]]:
        """Keep all four parts when a process sends the error to another."""
        return (AssayError, (self.code, self.status, self.detail, self.place))


class QuotaError(AssayError):
    """A refusal because of a limit: an equal request may succeed later, or after a deletion.

    `retry_after` is the pause in seconds, or None if waiting does not help. `limits` are the server's names of the limits.
    """

    def __init__(
        self, code: str, status: int, detail: str, place: str = "", retry_after: float | None = None, limits: tuple[str, ...] = ()
    ) -> None:
        super().__init__(code, status, detail, place)
        self.retry_after, self.limits = retry_after, limits

    def __reduce__(self) -> Any:
        """Keep all parts when a process sends the error to another."""
        return (QuotaError, (self.code, self.status, self.detail, self.place, self.retry_after, self.limits))


def unreachable(address: str, error: Exception) -> AssayError:
    """The error of a server that gave no answer, because of `error`."""
    return AssayError("unreachable", 0, f"{address} did not answer: {error}")


def check_answer(answer: httpx2.Response) -> httpx2.Response:
    """The answer; AssayError if it is a problem."""
    if answer.is_success:
        return answer
    problem = _problem(answer)
    code = str(problem.get("type", "/problems/http-error")).rpartition("/")[2]
    detail, place = str(problem.get("detail", answer.reason_phrase)), str(problem.get("where", ""))
    limits = problem.get("violated-policies")
    if isinstance(limits, list):
        after = retry_after(answer.headers.get("retry-after", ""))
        raise QuotaError(code, answer.status_code, detail, place, after, tuple(map(str, limits)))
    raise AssayError(code, answer.status_code, detail, place)


def retry_after(value: str) -> float | None:
    """Seconds of a Retry-After header, from a number or an HTTP date; None for other values."""
    if value.isascii() and value.isdigit():
        return float(value)
    try:
        until = parsedate_to_datetime(value)
    except ValueError:
        return None
    return max((until.replace(tzinfo=until.tzinfo or UTC) - datetime.now(UTC)).total_seconds(), 0.0)


def _problem(answer: httpx2.Response) -> dict[str, Any]:
    try:
        body = answer.json()
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}
