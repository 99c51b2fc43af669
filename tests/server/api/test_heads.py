"""Heads of requests that are too large, that never end, or that were made to keep a reader busy."""

import asyncio
import contextlib
import socket
from typing import Any

import pytest
from uvicorn import Config
from uvicorn.server import ServerState

from app.server.api.middleware import heads
from app.server.api.middleware.heads import MOST_HEAD_BYTES, BoundedHeads
from app.server.service import session_in
from tests.growth import PIECES, assert_grows_evenly
from tests.servers import Server

REQUEST = b"GET /health/live HTTP/1.1\r\nHost: 127.0.0.1\r\n"


def answers(server: Server, *pieces: bytes) -> bytes:
    """All that comes back for what is sent, until the server ends the connection."""
    received = b""
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as opened:
        # It may be ended before all is sent.
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            for piece in pieces:
                opened.sendall(piece)
        with contextlib.suppress(ConnectionResetError):
            while part := opened.recv(65536):
                received += part
    return received


@pytest.mark.parametrize(
    "pieces",
    [
        (REQUEST, b"Cookie: " + b"a" * (MOST_HEAD_BYTES + 1), b"\r\n\r\n"),
        (REQUEST, *[b"A: %s\r\n" % (b"a" * 8000)] * 10, b"\r\n"),
        (b"GET /" + b"a" * (MOST_HEAD_BYTES + 1) + b" HTTP/1.1\r\n\r\n",),
        (REQUEST, *[b"A: b\r\n" * 1000] * 200),
    ],
)
def test_a_head_that_is_too_large_is_refused(server: Server, pieces: tuple[bytes, ...]) -> None:
    received = answers(server, *pieces)
    # Nothing may come back where the connection ended with bytes unread.
    assert received == b"" or b" 431 " in received.split(b"\r\n")[0] or b" 400 " in received.split(b"\r\n")[0]


def test_a_large_head_and_several_requests_are_answered(server: Server) -> None:
    cookie = b"Cookie: assay_session=" + b"\\1" * 20_000 + b"\r\n"
    last = REQUEST + b"Connection: close\r\n\r\n"
    received = answers(server, REQUEST + cookie + b"\r\n" + REQUEST[:9], REQUEST[9:] + b"\r\n" + last)
    assert received.count(b"HTTP/1.1 200") == 3


@pytest.mark.parametrize("name", ["assay_session", "other"])
@pytest.mark.parametrize("piece", PIECES)
def test_cookies_are_read_in_even_time(piece: str, name: str) -> None:
    assert_grows_evenly(lambda size: [f'{name}="{PIECES[piece] * size}"'], session_in, 20_000)


def test_our_cookie_is_found_among_others() -> None:
    assert session_in(['a="b; assay_session=x"', " b=c;assay_session=0f ; d"]) == 'x"'
    assert session_in(["b=c;assay_session=0f ; d"]) == "0f"
    assert (
        session_in(["assay_session=x; __Host-assay_session=y"], "https") == "y" and session_in(["assay_session=x"], "https") is None
    )
    assert session_in(["assay_sessions=1; Assay_session=2", ""]) is None


class Wire(asyncio.Transport):
    """A transport that keeps what is written to it."""

    def __init__(self) -> None:
        super().__init__({"peername": ("127.0.0.1", 1), "sockname": ("127.0.0.1", 2)})
        self.written, self.ended = b"", False

    def write(self, data: Any) -> None:
        self.written += bytes(data)

    def close(self) -> None:
        self.ended = True

    def pause_reading(self) -> None:
        pass

    def resume_reading(self) -> None:
        pass

    def is_closing(self) -> bool:
        return self.ended


def test_a_head_that_never_ends_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(heads, "HEAD_SECONDS", 0.05)

    async def wait(*pieces: bytes) -> Wire:
        async def app(scope: Any, receive: Any, send: Any) -> None:
            await asyncio.sleep(60)

        wire, protocol = Wire(), BoundedHeads(Config(app), ServerState(), {})
        protocol.connection_made(wire)
        for piece in pieces:
            protocol.data_received(piece)
        await asyncio.sleep(0.3)
        protocol.connection_lost(None)
        return wire

    for pieces in ((), (b"GET",), (REQUEST, b"A: b\r\n")):
        wire = asyncio.run(wait(*pieces))
        assert wire.ended and wire.written.startswith(b"HTTP/1.1 408 ")
    wire = asyncio.run(wait(REQUEST, b"\r\n"))
    assert not wire.written


def test_pipelined_requests_that_are_reset_fail_silently(caplog: pytest.LogCaptureFixture) -> None:
    begun: list[str] = []

    class Reset(Wire):
        def write(self, data: Any) -> None:
            raise RuntimeError("unable to perform operation; the handler is closed")

    async def app(scope: Any, receive: Any, send: Any) -> None:
        begun.append(scope["path"])
        assert [(await receive())["type"], (await receive())["type"]] == ["http.request", "http.disconnect"]
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    async def run() -> None:
        protocol = BoundedHeads(Config(app), ServerState(), {})
        protocol.connection_made(Reset())
        protocol.data_received((REQUEST + b"\r\n") * 3)
        await asyncio.sleep(0)
        protocol.connection_lost(ConnectionResetError())
        await asyncio.wait_for(asyncio.gather(*protocol.tasks), 10)

    asyncio.run(run())
    assert begun == ["/health/live"] and caplog.records == []
