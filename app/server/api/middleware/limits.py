"""Limits that protect other callers: sizes of bodies, slow bodies, and the number of requests at once.

The server refuses a body by its announced size before it reads a byte, and answers the problem that docs/use/http.md describes.
(Starlette also stops bodies without a true size, but in plain text.) A request counts from the moment its body has arrived, so a
socket that announces a body and never sends it costs nothing.
"""

import time
from dataclasses import dataclass
from typing import Final

import anyio
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.running.sharing import Sharing
from app.server.api.middleware.holdings import Holdings, LocalHoldings, SharedHoldings
from app.server.api.problems import Refusal, problem_response
from app.server.service import POWERLESS_CALLER, Caller
from app.server.service.turns import Client, client_of

__all__ = ["Admission", "AdmissionLimits", "AnnouncedSizeLimit"]

# Part of an even share that a client may hold beyond a limit.
SMALL_SHARE: Final = 4
# Bodies that are held in memory, over all callers; forms are not counted, since their files wait on disk.
MOST_HELD_BYTES: Final = 256_000_000


class AnnouncedSizeLimit:
    """ASGI middleware: 413 when Content-Length is above the limit of the address."""

    def __init__(self, app: ASGIApp, limit: int, upload_limit: int, upload_paths: frozenset[str]) -> None:
        self.app = app
        self.limit = limit
        self.upload_limit = upload_limit
        self.upload_paths = upload_paths

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or answer 413."""
        if scope["type"] == "http":
            announced_size = dict(scope["headers"]).get(b"content-length", b"0")
            limit = self.upload_limit if scope["path"] in self.upload_paths else self.limit
            if announced_size.isdigit() and int(announced_size[:20]) > limit:
                response = problem_response("body-too-large", f"the body may have at most {limit} bytes; larger work goes to a job")
                await response(scope, receive, send)
                return
        await self.app(scope, receive, send)


@dataclass(frozen=True)
class AdmissionLimits:
    """The most requests that are answered at once, of all callers and of one address with one key, and how slow a body may come.

    A body may take `seconds` and what its bytes take at `bytes_per_second`.
    """

    requests: int
    requests_per_client: int
    seconds: float
    bytes_per_second: int


class Admission:
    """ASGI middleware: 408 for a body that comes too slowly, 429 or 503 with Retry-After where too much is being answered.

    Requests in progress hold memory and threads. Above some number every caller would wait in vain. Streams of events are counted
    apart: they wait for long, and cost little.
    """

    def __init__(self, app: ASGIApp, limits: AdmissionLimits, sharing: Sharing | None = None) -> None:
        """`sharing` is the state of several processes, over which all limits hold together."""
        self.app = app
        self.limits = limits
        self.held_bytes, self.requests, self.streams = (
            _Shares(limit, LocalHoldings() if sharing is None else SharedHoldings(sharing))
            for limit in (MOST_HELD_BYTES, limits.requests, limits.requests)
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, with a body that is waited for within bounds."""
        path = scope.get("path", "")
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        places = self.streams if path.endswith("/events") else self.requests
        arrival = _Arrival(self, places, scope, receive)
        if not arrival.has_body and not path.startswith(("/v1/", "/translate/", "/plots/")):
            await self.app(scope, receive, send)
            return
        try:
            if not arrival.has_body:
                arrival.admit()
            await self.app(scope, arrival.receive, send)
        except Refusal as refusal:
            # Only where nothing has begun to answer: inside, the handlers of the application answer it.
            await problem_response(refusal.code, refusal.detail)(scope, receive, send)
        finally:
            arrival.leave()


class _Shares:
    """Holdings of clients in something limited.

    A client with a small share may exceed the limit, up to twice as much, so that a flood alone is refused.
    """

    def __init__(self, limit: int, holdings: Holdings) -> None:
        self._limit, self._holdings = limit, holdings

    def count(self, client: Client) -> int:
        return self._holdings.of(client)

    def take(self, client: Client, count: int = 1) -> bool:
        """Hold more, and return True; False if there is no room for it."""
        holdings = self._holdings
        total = holdings.total + count
        if total > self._limit and (total > 2 * self._limit or not self._is_small(client, count)):
            return False
        holdings.add(client, count)
        return True

    def _is_small(self, client: Client, count: int) -> bool:
        own = self._holdings.of(client)
        clients = self._holdings.clients + (own == 0)
        return own + count <= max(1, self._limit // (SMALL_SHARE * clients))

    def give_back(self, client: Client, count: int = 1) -> None:
        self._holdings.add(client, -count)


class _Arrival:
    """One request from its first byte to its answer."""

    def __init__(self, admission: Admission, places: _Shares, scope: Scope, receive: Receive) -> None:
        headers = dict(scope["headers"])
        self.has_body = b"transfer-encoding" in headers or headers.get(b"content-length", b"0") != b"0"
        self._in_memory = not headers.get(b"content-type", b"").startswith(b"multipart/")
        self._admission = admission
        self._places = places
        caller: Caller = scope.get("caller", POWERLESS_CALLER)
        self._client = client_of(scope, caller.name)
        self._receive = receive
        self._begin_time = time.monotonic()
        self._bytes = self._held_bytes = 0
        self._is_admitted = False

    def admit(self) -> None:
        """Occupy a slot for a request; Refusal if none is free."""
        limits = self._admission.limits
        if self._places.count(self._client) >= limits.requests_per_client:
            raise Refusal("too-many-requests", f"{limits.requests_per_client} requests of yours are being answered")
        if not self._places.take(self._client):
            raise Refusal("overloaded", f"{limits.requests} requests are being answered")
        self._is_admitted = True

    async def receive(self) -> Message:
        """The next part of the body within its time, and a place with the last."""
        if self._is_admitted:
            return await self._receive()
        limits = self._admission.limits
        deadline = self._begin_time + limits.seconds + self._bytes / limits.bytes_per_second
        try:
            with anyio.fail_after(max(deadline - time.monotonic(), 0)):
                message = await self._receive()
        except TimeoutError:
            raise Refusal("body-too-slow", f"the body did not come within {limits.seconds:g} s and its length") from None
        if message["type"] == "http.request":
            self._bytes += len(message.get("body", b""))
            self._hold(len(message.get("body", b"")))
            if not message.get("more_body", False):
                self.admit()
        return message

    def _hold(self, count: int) -> None:
        if not self._in_memory or not count:
            return
        if not self._admission.held_bytes.take(self._client, count):
            raise Refusal("overloaded", "too much is being sent at this moment")
        self._held_bytes += count

    def leave(self) -> None:
        """Give everything back."""
        if self._held_bytes:
            self._admission.held_bytes.give_back(self._client, self._held_bytes)
        if self._is_admitted:
            self._places.give_back(self._client)
