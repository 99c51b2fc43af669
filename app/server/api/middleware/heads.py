"""Heads of requests: their bytes and the time in which they come are bounded before anything looks at them; and bodies' pieces.

The parser of HTTP keeps whatever comes until a head ends; a caller could send for ever, or hold a socket by never ending one. It
calls for every chunk of a body, and one read may hold tens of thousands; and it takes in what nobody reads any more.
"""

import asyncio
from typing import Final

from uvicorn._types import ASGI3Application
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

__all__ = ["HEAD_SECONDS", "MOST_HEAD_BYTES", "BoundedHeads"]

MOST_HEAD_BYTES: Final = 1 << 16
HEAD_SECONDS: Final = 20.0
# Pieces of a body: after the first ones, pieces have at least this many bytes on average. A trailer after the last piece counts
# as a piece.
FREE_PIECES: Final = 10_000
LEAST_PIECE: Final = 64
# Seconds for which an unread body may still arrive, so that its sender reads the answer and not a reset.
LINGER_SECONDS: Final = 30.0
TOO_LARGE: Final = b"431 Request Header Fields Too Large", f"a request's line and headers may have {MOST_HEAD_BYTES} bytes"
TOO_SLOW: Final = b"408 Request Timeout", f"a request's line and headers must come within {HEAD_SECONDS:g} s"


class BoundedHeads(HttpToolsProtocol):
    """uvicorn's protocol; 431 for a head that is too large, 408 for one that does not end. One connection."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """A connection that sends nothing ends as well."""
        super().connection_made(transport)
        self._is_refused = False
        self._active_cycle: RequestResponseCycle | None = None
        self._await_head()

    def _await_head(self) -> None:
        self._head_bytes, self._in_head = 0, True
        self._pieces, self._piece_bytes, self._is_complete = 0, 0, False
        self._ending = self.loop.call_later(HEAD_SECONDS, self._refuse, *TOO_SLOW)

    def connection_lost(self, exc: Exception | None) -> None:
        """The connection awaits nothing more, and drops requests behind the active one.

        Uvicorn tells only the last of several requests, so the active one would fail at its answer.
        """
        self._ending.cancel()
        self.pipeline.clear()
        if self._active_cycle is not None and not self._active_cycle.response_complete:
            self._active_cycle.disconnected = True
            self._active_cycle.message_event.set()
        super().connection_lost(exc)

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: ASGI3Application) -> None:
        self._active_cycle = cycle
        super()._start_asgi_task(cycle, app)

    def data_received(self, data: bytes) -> None:
        """Receive bytes, and count those of an unfinished head."""
        if self._is_refused:
            return
        super().data_received(data)
        if self._in_head:
            self._head_bytes += len(data)
            if self._head_bytes > MOST_HEAD_BYTES:
                self._refuse(*TOO_LARGE)

    def on_message_begin(self) -> None:
        """A head begins, perhaps after another request on this connection."""
        self._ending.cancel()
        self._await_head()
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """Pass on a finished head."""
        self._ending.cancel()
        self._in_head = False
        size = len(self.url) + sum(len(name) + len(value) + 4 for name, value in self.headers)
        if size > MOST_HEAD_BYTES:
            self._refuse(*TOO_LARGE)
            raise ValueError(TOO_LARGE[1])
        super().on_headers_complete()

    def on_header(self, name: bytes, value: bytes) -> None:
        """Receive a header; headers behind a body are ignored."""
        if self._in_head:
            super().on_header(name, value)
        else:
            self._count_piece(0)

    def on_body(self, body: bytes) -> None:
        """A piece of a body."""
        self._count_piece(len(body))
        super().on_body(body)

    def _count_piece(self, size: int) -> None:
        self._pieces += 1
        self._piece_bytes += size
        if self._pieces > FREE_PIECES + self._piece_bytes // LEAST_PIECE:
            # An answer may be under way: nothing can be said any more.
            self._is_refused = True
            self.transport.close()
            raise ValueError("a body comes in pieces that are too small")

    def on_message_complete(self) -> None:
        """A request has ended."""
        self._is_complete = True
        self._ending.cancel()
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """An answer has been given; perhaps before its request has ended."""
        super().on_response_complete()
        if not (self._is_complete or self._in_head or self.transport.is_closing()):
            self._ending.cancel()
            self._ending = self.loop.call_later(LINGER_SECONDS, self.transport.close)

    def send_400_response(self, msg: str) -> None:
        """A head that cannot be parsed; a refused head has its answer already."""
        if not self._is_refused:
            super().send_400_response(msg)

    def _refuse(self, status: bytes, detail: str) -> None:
        if self._is_refused or self.transport is None or self.transport.is_closing():
            return
        self._is_refused = True
        body = detail.encode("ascii")
        head = b"HTTP/1.1 %s\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: %d\r\nconnection: close\r\n\r\n"
        self.transport.write(head % (status, len(body)) + body)
        self.transport.close()
