"""Requests to a service over HTTP: time limits, repetition, bounded answers, and no other host than the service's own."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, Final, TypeVar

import httpx2

from app.running.deadline import check_deadline
from app.server.translation.protocols import Message
from app.server.translation.services import HttpService

__all__ = ["NoAnswerError", "RefusalError", "client_of", "post", "repeated", "run_watched"]

T = TypeVar("T")
# Bytes of an answer: 25 texts of 20,000 characters, which JSON may escape, need less.
LARGEST_ANSWER: Final = 8 << 20
# Seconds between two looks for the end of a call or job.
LOOK_SECONDS: Final = 0.2
FIRST_PAUSE: Final = 0.5
LONGEST_PAUSE: Final = 10.0
OK: Final = 200
# Statuses of a service that may answer later.
RETRY_STATUSES: Final = frozenset({408, 429, 500, 502, 503, 504})


class NoAnswerError(Exception):
    """An attempt without a usable answer; `is_final` where another attempt would end alike."""

    def __init__(self, reason: str, is_final: bool = False, pause: float | None = None) -> None:
        super().__init__(reason)
        self.is_final, self.pause = is_final, pause


class RefusalError(NoAnswerError):
    """An attempt whose texts the service has not translated, by its status or for want of a connection."""


def client_of(service: HttpService) -> httpx2.AsyncClient:
    """A client that follows no redirects, and knows no proxies and keys of the environment."""
    return httpx2.AsyncClient(timeout=service.timeout_seconds, follow_redirects=False, trust_env=False)


async def post(client: httpx2.AsyncClient, service: HttpService, message: Message) -> bytes:
    """Body of the answer to one attempt; NoAnswerError without one, RefusalError if nothing was translated."""
    # Bytes that a program unpacks have no limit.
    headers = {**message.headers, "Accept": "application/json", "Accept-Encoding": "identity"}
    try:
        async with (
            asyncio.timeout(service.timeout_seconds),
            client.stream("POST", service.url, content=message.body, headers=headers, params=message.query or None) as answer,
        ):
            _check_head(answer)
            return await _body(answer)
    except TimeoutError:
        raise NoAnswerError(f"did not answer within {service.timeout_seconds:g} s") from None
    except (httpx2.ConnectError, httpx2.ConnectTimeout) as error:
        raise RefusalError("could not be reached") from error
    except httpx2.HTTPError as error:
        raise NoAnswerError("broke the connection off") from error


def _check_head(answer: httpx2.Response) -> None:
    status = answer.status_code
    if answer.is_redirect:
        raise RefusalError(f"answered {status}, and redirects are not followed", is_final=True)
    if status != OK:
        raise RefusalError(f"answered {status}", status not in RETRY_STATUSES, _seconds(answer.headers.get("retry-after", "")))
    kind = answer.headers.get("content-type", "").partition(";")[0].strip().lower()
    if not kind.endswith(("/json", "+json")):
        raise NoAnswerError("answered with something else than JSON", is_final=True)


def _seconds(retry_after: str) -> float | None:
    return float(retry_after) if retry_after.isascii() and retry_after.isdigit() and len(retry_after) < len("1000000") else None


async def _body(answer: httpx2.Response) -> bytes:
    parts: list[bytes] = []
    size = 0
    async for part in answer.aiter_raw():
        size += len(part)
        if size > LARGEST_ANSWER:
            raise NoAnswerError(f"answered with more than {LARGEST_ANSWER >> 20} megabytes", is_final=True)
        parts.append(part)
    return b"".join(parts)


async def repeated(attempts: int, attempt: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Result of the first attempt that succeeds; NoAnswerError of the last one."""
    pause = FIRST_PAUSE
    for _ in range(attempts - 1):
        try:
            return await attempt()
        except NoAnswerError as failure:
            wait = pause if failure.pause is None else failure.pause
            if failure.is_final or wait > LONGEST_PAUSE:
                raise
            await asyncio.sleep(wait)
            pause = min(2 * pause, LONGEST_PAUSE)
    return await attempt()


def run_watched(work: Coroutine[Any, Any, T]) -> T:
    """Result of `work`, which ends with the deadline of this thread's call or job."""
    return asyncio.run(_watched(work))


async def _watched(work: Coroutine[Any, Any, T]) -> T:
    task = asyncio.ensure_future(work)
    try:
        while not task.done():
            await asyncio.wait({task}, timeout=LOOK_SECONDS)
            check_deadline()
        return task.result()
    finally:
        task.cancel()
