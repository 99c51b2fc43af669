"""Deliveries: once where they are taken, again with growing pauses where not, and an end to it."""

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import anyio
import httpx2
import pytest
from sqlalchemy import Engine as Database
from sqlalchemy import select, update
from sqlalchemy.orm import Session

from app.operations.operation import Plan
from app.server.jobs import WebhookSender
from app.server.jobs.webhooks import PAUSES
from app.server.store import JobOrigin, JobStore, open_database
from app.server.store.tables import JobRow


def deliver_one(sender: WebhookSender, client: httpx2.AsyncClient) -> bool:
    delivery = sender.claim()
    if delivery is not None:
        anyio.run(sender.deliver, client, delivery)
    return delivery is not None


def test_deliveries_end(tmp_path: Path) -> None:
    database = open_database(f"sqlite:///{tmp_path / 'x.sqlite3'}")
    store = JobStore(database)
    told: list[httpx2.Request] = []
    statuses: list[int | None] = [500, None, 204]

    def answer(request: httpx2.Request) -> httpx2.Response:
        told.append(request)
        status = statuses.pop(0) if statuses else 500
        if status is None:
            raise httpx2.ConnectError("refused")
        return httpx2.Response(status)

    def due() -> float | None:
        with Session(database) as session:
            return session.scalars(select(JobRow.webhook_due)).one()

    def now() -> None:
        with Session(database) as session, session.begin():
            session.execute(update(JobRow).values(webhook_due=time.time() - 1))

    sender = WebhookSender(database, "secret", lambda job: {"id": job})
    client = httpx2.AsyncClient(transport=httpx2.MockTransport(answer))
    store.create(Plan("quality", {}, [(1, {})]), JobOrigin(webhook="http://hook/x"))
    assert not deliver_one(sender, client), "the job has not ended"
    job = store.list()[0].id
    store.cancel(job)
    for pause in PAUSES[:2]:
        assert deliver_one(sender, client)
        assert due() == pytest.approx(time.time() + pause, abs=1.5)
        assert not deliver_one(sender, client), "it waits"
        now()
    assert deliver_one(sender, client) and due() == 0.0
    assert not deliver_one(sender, client) and len(told) == 3
    assert [request.headers["assay-delivery"] for request in told] == [f"{job}-{k}" for k in (1, 2, 3)]
    # One that is never taken is given up.
    other = store.create(Plan("quality", {}, [(1, {})]), JobOrigin(webhook="http://hook/y")).id
    store.cancel(other)
    for _ in range(len(PAUSES) + 1):
        assert deliver_one(sender, client)
        with Session(database) as session, session.begin():
            session.execute(update(JobRow).where(JobRow.webhook_due > 0).values(webhook_due=time.time() - 1))
    assert not deliver_one(sender, client) and len(told) == 3 + len(PAUSES) + 1


@pytest.mark.parametrize(
    "url", ["http://hook/\n\0", "http://hook:0/", "http://hook:99999/", "http://[", "\x01", "http://hook/\ud800", "nothing"]
)
def test_an_address_that_cannot_be_called_is_given_up_at_once(tmp_path: Path, url: str) -> None:
    database = open_database(f"sqlite:///{tmp_path / 'x.sqlite3'}")
    store = JobStore(database)
    try:
        bad = store.create(Plan("quality", {}, [(1, {})]), JobOrigin(webhook=url)).id
    except UnicodeEncodeError:
        return
    good = store.create(Plan("quality", {}, [(1, {})]), JobOrigin(webhook="http://hook/x")).id
    for job in (bad, good):
        store.cancel(job)
    told: list[str] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        if request.url.host != "hook" or request.url.port is not None:
            raise httpx2.ConnectError("refused")
        told.append(str(request.url))
        return httpx2.Response(204)

    sender = WebhookSender(database, "secret", lambda job: {"id": job})
    client = httpx2.AsyncClient(transport=httpx2.MockTransport(answer))
    assert deliver_one(sender, client) and deliver_one(sender, client)
    assert told[-1] == "http://hook/x"
    for _ in range(len(PAUSES) + 1):
        deliver_one(sender, client)
        with Session(database) as session, session.begin():
            session.execute(update(JobRow).where(JobRow.webhook_due > 0).values(webhook_due=time.time() - 1))
    assert not deliver_one(sender, client)


def test_a_job_that_cannot_be_described_is_given_up(tmp_path: Path) -> None:
    database = open_database(f"sqlite:///{tmp_path / 'x.sqlite3'}")
    store = JobStore(database)
    store.cancel(store.create(Plan("quality", {}, [(1, {})]), JobOrigin(webhook="http://hook/x")).id)

    def describe(job: str) -> dict[str, object]:
        raise ValueError("its params are no JSON any more")

    sender = WebhookSender(database, "secret", describe)
    client = httpx2.AsyncClient(transport=httpx2.MockTransport(lambda request: httpx2.Response(204)))
    assert deliver_one(sender, client) and not deliver_one(sender, client)


@contextmanager
def receiver(host: str, answer: Callable[[socket.socket], object]) -> Iterator[str]:
    """Address of a host that reads a request and then does as `answer` does."""
    listener = socket.create_server((host, 0))

    def serve() -> None:
        with suppress(OSError):
            while True:
                connection, _ = listener.accept()
                threading.Thread(target=converse, args=[connection], daemon=True).start()

    def converse(connection: socket.socket) -> None:
        with connection, suppress(OSError):
            connection.recv(65536)
            answer(connection)

    threading.Thread(target=serve, daemon=True).start()
    with listener:
        yield f"http://{host}:{listener.getsockname()[1]}/x"
        listener.shutdown(socket.SHUT_RDWR)


def test_a_host_that_hangs_drips_or_floods_delays_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.server.jobs.webhooks.DEADLINE_SECONDS", 1.0)
    requests, flood_bytes, end = [], [0], threading.Event()

    def drip(connection: socket.socket) -> None:
        for byte in b"HTTP/1.1 204 No Content\r\n":
            connection.sendall(bytes([byte]))
            end.wait(0.2)

    def flood(connection: socket.socket) -> None:
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n")
        while not end.is_set():
            flood_bytes[0] += connection.send(bytes(1 << 16))

    def answer(connection: socket.socket) -> None:
        requests.append(time.monotonic())
        connection.sendall(b"HTTP/1.1 204 No Content\r\n\r\n")

    database = open_database(f"sqlite:///{tmp_path / 'x.sqlite3'}")
    store = JobStore(database)
    with (
        receiver("127.0.0.2", lambda connection: end.wait(20)) as hanging,
        receiver("127.0.0.3", drip) as dripping,
        receiver("127.0.0.4", flood) as flooding,
        # Another port of the host that hangs.
        receiver("127.0.0.2", answer) as answering,
    ):
        jobs: dict[str, list[str]] = {}
        for url in (hanging, dripping, flooding, answering):
            for _ in range(3):
                jobs.setdefault(url, []).append(store.create(Plan("quality", {}, [(1, {})]), JobOrigin(webhook=url)).id)
                store.cancel(jobs[url][-1])
        sender = WebhookSender(database, "secret", lambda job: {"id": job})
        begin = time.monotonic()
        sender.start()
        while time.monotonic() - begin < 10 and not (len(requests) == 3 and flood_bytes[0] and due(database, jobs[dripping][0])):
            time.sleep(0.02)
        sender.stop()
        end.set()
    assert len(requests) == 3 and max(requests) - begin < 0.9
    assert 0 < flood_bytes[0] < 20_000_000 and due(database, jobs[flooding][0]) == 0
    for url in (hanging, dripping):
        assert 0 < (due(database, jobs[url][0]) or 0) <= time.time() + PAUSES[0]
        assert due(database, jobs[url][2]) is None, "one at a time"


def due(database: Database, job: str) -> float | None:
    with Session(database) as session:
        return session.scalars(select(JobRow.webhook_due).where(JobRow.id == job)).one()


def test_new_ends_of_jobs_go_before_repeated_ones_and_busy_hosts_wait(tmp_path: Path) -> None:
    database = open_database(f"sqlite:///{tmp_path / 'x.sqlite3'}")
    store = JobStore(database)
    urls = ("http://a.example/1", "http://A.example:8080?2", "http://b.example")
    jobs = [store.create(Plan("quality", {}, [(1, {})]), JobOrigin(webhook=url)).id for url in urls]
    for job in jobs:
        store.cancel(job)
    with Session(database) as session, session.begin():
        session.execute(update(JobRow).where(JobRow.id == jobs[0]).values(webhook_attempts=1, webhook_due=time.time() - 1))
    sender = WebhookSender(database, "secret", lambda job: {"id": job})
    busy_ports = ["a.example:80", "a.example:8080"]
    claims = [sender.claim(busy) for busy in (busy_ports, busy_ports, [], [], [])]
    assert [claim and claim.job for claim in claims] == [jobs[2], None, jobs[1], jobs[0], None]
