"""Deliveries: once where they are taken, again with growing pauses where not, and an end to it."""

import time
from pathlib import Path

import httpx2
import pytest
from sqlalchemy import select, update
from sqlalchemy.orm import Session

from app.jobs import WebhookSender
from app.jobs.webhooks import PAUSES
from app.operations.operation import Plan
from app.store import JobStore, Origin, open_database
from app.store.tables import JobRow


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
        store.create(Plan("quality", {}, [(1, {})]), Origin(webhook="http://hook/x"))
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
        other = store.create(Plan("quality", {}, [(1, {})]), Origin(webhook="http://hook/y")).id
        store.cancel(other)
        for _ in range(len(PAUSES) + 1):
            assert sender.deliver_one(client)
            with Session(database) as session, session.begin():
                session.execute(update(JobRow).where(JobRow.webhook_due > 0).values(webhook_due=time.time() - 1))
        assert not sender.deliver_one(client) and len(told) == 3 + len(PAUSES) + 1
