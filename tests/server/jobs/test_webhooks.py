"""Deliveries: once where they are taken, again with growing pauses where not, and an end to it."""

import time
from pathlib import Path

import httpx2
import pytest
from sqlalchemy import select, update
from sqlalchemy.orm import Session

from app.operations.operation import Plan
from app.server.jobs import WebhookSender
from app.server.jobs.webhooks import PAUSES
from app.server.store import JobOrigin, JobStore, open_database
from app.server.store.tables import JobRow


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
    with httpx2.Client(transport=httpx2.MockTransport(answer)) as client:
        store.create(Plan("quality", {}, [(1, {})]), JobOrigin(webhook="http://hook/x"))
        assert not sender.deliver_one(client), "the job has not ended"
        job = store.list()[0].id
        store.cancel(job)
        for pause in PAUSES[:2]:
            assert sender.deliver_one(client)
            assert due() == pytest.approx(time.time() + pause, abs=1.5)
            assert not sender.deliver_one(client), "it waits"
            now()
        assert sender.deliver_one(client) and due() == 0.0
        assert not sender.deliver_one(client) and len(told) == 3
        assert [request.headers["assay-delivery"] for request in told] == [f"{job}-{k}" for k in (1, 2, 3)]
        # One that is never taken is given up.
        other = store.create(Plan("quality", {}, [(1, {})]), JobOrigin(webhook="http://hook/y")).id
        store.cancel(other)
        for _ in range(len(PAUSES) + 1):
            assert sender.deliver_one(client)
            with Session(database) as session, session.begin():
                session.execute(update(JobRow).where(JobRow.webhook_due > 0).values(webhook_due=time.time() - 1))
        assert not sender.deliver_one(client) and len(told) == 3 + len(PAUSES) + 1


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
    with httpx2.Client(transport=httpx2.MockTransport(answer)) as client:
        assert sender.deliver_one(client) and sender.deliver_one(client)
        assert told[-1] == "http://hook/x"
        for _ in range(len(PAUSES) + 1):
            sender.deliver_one(client)
            with Session(database) as session, session.begin():
                session.execute(update(JobRow).where(JobRow.webhook_due > 0).values(webhook_due=time.time() - 1))
        assert not sender.deliver_one(client)


def test_a_job_that_cannot_be_described_is_given_up(tmp_path: Path) -> None:
    database = open_database(f"sqlite:///{tmp_path / 'x.sqlite3'}")
    store = JobStore(database)
    store.cancel(store.create(Plan("quality", {}, [(1, {})]), JobOrigin(webhook="http://hook/x")).id)

    def describe(job: str) -> dict[str, object]:
        raise ValueError("its params are no JSON any more")

    sender = WebhookSender(database, "secret", describe)
    with httpx2.Client(transport=httpx2.MockTransport(lambda request: httpx2.Response(204))) as client:
        assert sender.deliver_one(client) and not sender.deliver_one(client)
