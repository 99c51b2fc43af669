"""The one error of this package."""

from typing import Any

import httpx2

__all__ = ["AssayError", "check_answer", "unreachable"]


class AssayError(Exception):
    """What a server refused, or that it did not answer.

    `code` is one of docs/problems.md; `unreachable` where there was no answer (what failed is the `__cause__`), and `job-failed` or
    `job-cancelled` where a job ended so and says no more. `status` is that of HTTP, 0 where there is none. `detail` says what is
    wrong, and `place` where in the request, if the server says it.
    """

    def __init__(self, code: str, status: int, detail: str, place: str = "") -> None:
        super().__init__(f"{place}: {detail}" if place else detail)
        self.code, self.status, self.detail, self.place = code, status, detail, place

    def __reduce__(self) -> tuple[type["AssayError"], tuple[str, int, str, str]]:
        """Keep all four parts when a process sends the error to another."""
        return (AssayError, (self.code, self.status, self.detail, self.place))


def unreachable(address: str, error: Exception) -> AssayError:
    """The error of a server that gave no answer, because of `error`."""
    return AssayError("unreachable", 0, f"{address} did not answer: {error}")


def check_answer(answer: httpx2.Response) -> httpx2.Response:
    """The answer; AssayError where it is a problem."""
    if answer.is_success:
        return answer
    problem = _problem(answer)
    code = str(problem.get("type", "/problems/http-error")).rpartition("/")[2]
    raise AssayError(code, answer.status_code, str(problem.get("detail", answer.reason_phrase)), str(problem.get("where", "")))


def _problem(answer: httpx2.Response) -> dict[str, Any]:
    try:
        body = answer.json()
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}
