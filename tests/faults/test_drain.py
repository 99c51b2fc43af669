"""A server that is told to stop answers what it was asked, takes nothing new, and ends with exit code 0; told twice, at once."""

import json
import os
import signal
import socket
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from tests.faults.test_kill import BODY, CHUNK, PAIR, until_done, workers
from tests.servers import Server, wait_for_job

pytestmark = pytest.mark.faults
SMALL = {**PAIR, "model": "ro-en-hter-gp-17", "segments": [{"source": "Casa este mare.", "translation": "The house is big."}]}


def begun_request(server: Server) -> tuple[socket.socket, bytes]:
    """A request whose body is half here, and the other half."""
    body = json.dumps(SMALL).encode()
    opened = socket.create_connection(("127.0.0.1", server.port), timeout=60)
    head = f"POST /v1/quality HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    opened.sendall(head.encode() + body[:20])
    time.sleep(0.5)
    return opened, body[20:]


def read_all(opened: socket.socket) -> bytes:
    parts = []
    while part := opened.recv(1 << 16):
        parts.append(part)
    return b"".join(parts)


def closed(server: Server) -> bool:
    try:
        socket.create_connection(("127.0.0.1", server.port), timeout=5).close()
    except OSError:
        return True
    return False


def test_what_was_asked_is_answered_and_nothing_new_taken(own_server: Server) -> None:
    own_server.environment = {**own_server.environment, "ASSAY_CHUNK_SEGMENTS": str(CHUNK)}
    own_server.start()
    assert own_server.process is not None
    with own_server.client() as client:
        job = client.post("/v1/jobs", json=BODY).json()["id"]
        until_done(client, job, CHUNK)
        # However fast the machine, the job is to be in its middle when the server is told to stop.
        [worker] = workers(own_server)
        os.kill(worker, signal.SIGSTOP)
    events: list[Any] = []

    def follow() -> None:
        with own_server.client() as other, other.stream("GET", f"/v1/jobs/{job}/events") as stream:
            events.extend(stream.iter_lines())

    following = threading.Thread(target=follow)
    following.start()
    opened, rest = begun_request(own_server)
    own_server.process.send_signal(signal.SIGTERM)
    deadline = time.monotonic() + 30
    while not closed(own_server):
        assert time.monotonic() < deadline
    os.kill(worker, signal.SIGCONT)
    # Streams of events end by themselves, and the request is still waited for.
    following.join(15)
    assert not following.is_alive() and events and own_server.process.poll() is None
    opened.sendall(rest)
    head, _, body = read_all(opened).partition(b"\r\n\r\n")
    assert b" 200 " in head.partition(b"\r\n")[0] and json.loads(body)["segments"][0]["score"] >= 0
    assert own_server.process.wait(60) == 0
    assert not Path(f"/proc/{worker}").exists()
    # The worker gave its job back, with whole chunks.
    own_server.environment = {**own_server.environment, "ASSAY_DRAIN_SECONDS": "1"}
    own_server.start()
    with own_server.client() as client:
        view = client.get(f"/v1/jobs/{job}").json()
        assert view["state"] == "running" and view["done"] % CHUNK == 0
        assert wait_for_job(client, job)["state"] == "succeeded"
    # A request that takes too long is given up.
    opened, _ = begun_request(own_server)
    begun = time.monotonic()
    assert own_server.stop() == 0
    assert time.monotonic() - begun < 30
    opened.close()


def test_a_second_signal_ends_at_once(own_server: Server) -> None:
    own_server.environment = {**own_server.environment, "ASSAY_WORKERS": "0", "ASSAY_DRAIN_SECONDS": "300"}
    own_server.start()
    assert own_server.process is not None
    opened, _ = begun_request(own_server)
    own_server.process.send_signal(signal.SIGTERM)
    with pytest.raises(Exception, match="timed out"):
        own_server.process.wait(1)
    own_server.process.send_signal(signal.SIGINT)
    assert own_server.process.wait(10) == 128 + signal.SIGINT
    opened.close()
