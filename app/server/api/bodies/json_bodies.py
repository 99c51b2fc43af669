"""Bodies of JSON: read and validated in bounded memory, and off the event loop where they are large.

An object with a repeated member is refused, as one of two systems with one name would vanish. Objects with more members, and
bodies with more values, than any request has are refused too.
"""

import json
from collections.abc import Callable, Coroutine
from typing import Annotated, Any, Final, TypeVar

import anyio.to_thread
from fastapi import Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from fastapi.routing import APIRoute
from pydantic import ValidationError, WrapValidator

from app.errors import InputError
from app.operations.operation import Body
from app.operations.validation import check_size
from app.text.reading.objects import LEAST_BYTES, MOST_SMALL, has_many_small

__all__ = ["REFUSALS", "REPEATED_MEMBER", "JsonRoute", "as_read", "read_json", "validated", "worked_on"]

REPEATED_MEMBER: Final = "a name occurs twice in one object"
MOST_NAMES: Final = 1000
TOO_MANY_NAMES: Final = f"an object has more than {MOST_NAMES} members"
MOST_VALUES: Final = 2_000_000
TOO_MANY_VALUES: Final = f"the body has more than {MOST_VALUES} values; send files"
TOO_MANY_SMALL: Final = f"the body has more than {MOST_SMALL} objects and lists, of under {LEAST_BYTES} bytes on average"
# Reasons to refuse a body of valid JSON.
REFUSALS: Final = frozenset({REPEATED_MEMBER, TOO_MANY_NAMES, TOO_MANY_VALUES, TOO_MANY_SMALL})
# Reading less than this takes under a millisecond or two, and a thread would cost more.
LARGE_BYTES: Final = 100_000
# Parsed large bodies take several times their memory. Two are parsed at a time, with small ones beside them; the largest one runs
# alone for a while.
LARGE_THREADS: Final = anyio.CapacityLimiter(2)
HUGE_BYTES: Final = 2_000_000
HUGE_THREADS: Final = anyio.CapacityLimiter(1)
BodyT = TypeVar("BodyT", bound=Body)
T = TypeVar("T")


class _JsonRequest(Request):
    async def json(self) -> Any:
        """The body; JSONDecodeError also for a refused body."""
        if not hasattr(self, "_json"):
            body = await self.body()
            threads = self.scope["body_threads"] = _threads_for(len(body))
            self._json = await anyio.to_thread.run_sync(_parse, body, limiter=threads) if threads is not None else _parse(body)
        return self._json


def _threads_for(size: int) -> anyio.CapacityLimiter | None:
    """Threads that parse a body of this many bytes; None if it needs no thread."""
    return HUGE_THREADS if size > HUGE_BYTES else LARGE_THREADS if size > LARGE_BYTES else None


def _parse(raw: bytes) -> Any:
    if raw.count(b",") > MOST_VALUES:
        raise json.JSONDecodeError(TOO_MANY_VALUES, "", 0)
    if has_many_small(raw):
        raise json.JSONDecodeError(TOO_MANY_SMALL, "", 0)
    return json.loads(raw, object_pairs_hook=_members)


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(pairs) > MOST_NAMES:
        raise json.JSONDecodeError(TOO_MANY_NAMES, "", 0)
    members = dict(pairs)
    if len(members) < len(pairs):
        raise json.JSONDecodeError(REPEATED_MEMBER, "", 0)
    return members


def read_json(raw: bytes, otherwise: str = "the body could not be read as JSON", where: tuple[str, ...] = ()) -> Any:
    """Error of an unread body, with the place `where`.

    InputError says `otherwise` where it is not JSON, and names the object where a name occurs twice in one.
    """
    try:
        return _parse(raw)
    except (ValueError, RecursionError) as error:
        refusal = error.msg if isinstance(error, json.JSONDecodeError) and error.msg in REFUSALS else None
        place = (*where, *_place_of_twins(raw)) if refusal == REPEATED_MEMBER else where
        raise InputError("invalid-json", refusal or otherwise, place) from None


class _Twins(dict[str, Any]):
    """An object in which a name occurs twice."""


def _place_of_twins(raw: bytes) -> tuple[str | int, ...]:
    """Place of the first object that repeats a member; it is searched only if one exists."""
    try:
        content = json.loads(raw, object_pairs_hook=lambda pairs: (dict if len(dict(pairs)) == len(pairs) else _Twins)(pairs))
    except (ValueError, RecursionError):
        return ()
    waiting: list[tuple[tuple[str | int, ...], Any]] = [((), content)]
    while waiting:
        place, value = waiting.pop()
        if isinstance(value, _Twins):
            return place
        inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        waiting += [((*place, name), member) for name, member in inside if isinstance(member, dict | list)]
    return ()


async def worked_on(request: Request, work: Callable[[], T]) -> T:
    """Result of `work` on the request's body, in a thread; a body that is large or of unknown length waits for its turn."""
    length = request.headers.get("content-length", "")
    threads = _threads_for(int(length[:20])) if length.isdigit() else HUGE_THREADS
    return await anyio.to_thread.run_sync(work, limiter=threads)


def as_read(body: type[Body]) -> Any:
    """The annotation of a route's body that FastAPI describes as `body` and passes on as it was read, for `validated`."""
    body.build()
    return Annotated[body, WrapValidator(lambda value, _: value)]


async def validated(request: Request, body: type[BodyT], content: Any, limit: int) -> BodyT:
    """A body as its type; RequestValidationError, or InputError where it has more entries than `limit`."""
    threads = request.scope.get("body_threads")
    if threads is not None:
        return await anyio.to_thread.run_sync(_validated, body, content, limit, limiter=threads)
    return _validated(body, content, limit)


def _validated(body: type[BodyT], content: Any, limit: int) -> BodyT:
    check_size(content, limit)
    try:
        return body.model_validate(content)
    except ValidationError as error:
        faults = error.errors(include_url=False, include_input=False)
        raise RequestValidationError([{**fault, "loc": ("body", *fault["loc"])} for fault in faults]) from None


class JsonRoute(APIRoute):
    """A route that reads its body so."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The handler, on the stricter request."""
        original = super().get_route_handler()

        scope = getattr(self.endpoint, "scope", None)

        async def handler(request: Request) -> Response:
            if scope is not None:
                # Before a body is taken in that is not for this caller.
                request.scope["caller"].require(scope)
            return await original(_JsonRequest(request.scope, request.receive))

        return handler
