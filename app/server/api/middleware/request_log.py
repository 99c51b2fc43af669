"""Every request has an id, which its answer says; where the settings ask for it, a line in the log and a span in the traces."""

import logging
import time
from typing import Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.running.logs import ACCESS
from app.running.request_context import RequestContext, begin_request
from app.running.tracing import is_tracing, set_attributes, span

__all__ = ["REQUEST_ID", "RequestLog"]

REQUEST_ID: Final = "X-Request-ID"
METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
FAILED: Final = 500
log = logging.getLogger(ACCESS)


class RequestLog:
    """ASGI middleware around all others; `lines` says whether there is a line per request.

    Routes are told by their template, never by the caller's path or query, and callers by the names of their keys.
    """

    def __init__(self, app: ASGIApp, lines: bool) -> None:
        self.app = app
        self._lines = lines

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Give the request its id, and tell of it when it is over."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        address = (scope.get("client") or ("",))[0]
        context = begin_request(address, headers.get(REQUEST_ID, ""), headers.get("traceparent", ""))
        exchange = _Exchange(context, receive, send)
        if not self._lines and not is_tracing():
            await self.app(scope, receive, exchange.send)
            return
        method = scope["method"] if scope["method"] in METHODS else "other"
        with span(method, "server", context.traceparent) as request_span:
            try:
                await self.app(scope, exchange.receive, exchange.send)
            finally:
                route = getattr(scope.get("route"), "path", "other")
                name, failed = f"{method} {route}", exchange.status >= FAILED
                set_attributes(request_span, name, failed, **exchange.attributes(method, route))
                if self._lines:
                    log.info("request", extra={"fields": exchange.fields(method, route)})


class _Exchange:
    """Messages in and out of one request."""

    def __init__(self, context: RequestContext, receive: Receive, send: Send) -> None:
        self._context = context
        self._receive = receive
        self._send = send
        self._begin_time = time.perf_counter()
        self._bytes_in = self._bytes_out = 0
        # Nothing was answered: it failed before it could.
        self.status = FAILED

    async def receive(self) -> Message:
        """Count received bytes."""
        message = await self._receive()
        self._bytes_in += len(message.get("body", b""))
        return message

    async def send(self, message: Message) -> None:
        """Add the id to the answer's headers, and count sent bytes."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
            MutableHeaders(scope=message)[REQUEST_ID] = self._context.id
        self._bytes_out += len(message.get("body", b""))
        await self._send(message)

    def fields(self, method: str, route: str) -> dict[str, str | int | float | None]:
        """Fields of the log; times are in seconds."""
        context = self._context
        return {
            "method": method,
            "route": route,
            "status": self.status,
            "seconds": round(time.perf_counter() - self._begin_time, 6),
            "waited": None if context.wait_seconds is None else round(context.wait_seconds, 6),
            "key": context.key,
            "owner": context.owner,
            "address": context.address,
            "segments": context.segments,
            "bytes_in": self._bytes_in,
            "bytes_out": self._bytes_out,
        }

    def attributes(self, method: str, route: str) -> dict[str, str | int | float | None]:
        """Attributes of a span, by OpenTelemetry's names if they exist."""
        context = self._context
        return {
            "http.request.method": method,
            "http.route": route,
            "http.response.status_code": self.status,
            "request_id": context.id,
            "key": context.key,
            "owner": context.owner,
            "segments": context.segments,
            "waited": context.wait_seconds,
        }
