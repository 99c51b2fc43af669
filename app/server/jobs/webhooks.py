"""Webhooks: a signed message at the end of a job, to allowed hosts, repeated until its delivery or the last attempt."""

import hashlib
import hmac
import json
import logging
import re
import threading
import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

import anyio
import anyio.to_thread
import httpx2
from sqlalchemy import Engine as Database
from sqlalchemy import or_, select, update
from sqlalchemy.orm import Session

from app.errors import InputError, is_disk_full
from app.running.tracing import span, traceparent_here
from app.server.jobs.waiting import Pauses
from app.server.store.tables import JobRow
from app.server.store.view import FINAL_STATES

__all__ = ["Delivery", "WebhookSender", "check_webhook", "signature"]

log = logging.getLogger("assay")
LOOK_SECONDS: Final = 0.5
# From the first look for the host's address to the status of its answer.
DEADLINE_SECONDS: Final = 5.0
VISIBLE: Final = re.compile(r"[\x21-\x5b\x5d-\x7e]{1,2000}")
PORTS: Final = {"http": 80, "https": 443}
# Pauses before the next attempts; after the last the job is left alone.
PAUSES: Final = (2.0, 10.0, 60.0, 600.0, 3600.0)
# While one process delivers, no other begins.
HOLD_SECONDS: Final = 60.0


def check_webhook(url: str, hosts: str) -> None:
    """InputError unless the host of an address is in the comma-separated `hosts`.

    Only visible characters are accepted: parsers drop line ends and tabs, and disagree about other invisible characters.
    """
    allowed_hosts = {host.strip().lower() for host in hosts.split(",") if host.strip()}
    if not VISIBLE.fullmatch(url):
        raise InputError("invalid-request", "a webhook is an address of at most 2000 visible characters of ASCII", ("webhook",))
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
        parsed_url = httpx2.URL(url)
    except (ValueError, httpx2.InvalidURL):
        raise InputError("invalid-request", "the webhook is no valid address", ("webhook",)) from None
    if port == 0 or (parsed_url.host, parsed_url.port) != (host, None if port == PORTS.get(parts.scheme) else port):
        raise InputError("invalid-request", "the webhook is no valid address; a port is from 1 to 65535", ("webhook",))
    host_port = f"{host}:{port}" if port else host
    plain = parts.scheme in PORTS and "@" not in parts.netloc and not parts.fragment
    if not plain or (host not in allowed_hosts and host_port not in allowed_hosts):
        detail = (
            "webhooks go to http(s) addresses of the hosts in ASSAY_WEBHOOK_HOSTS"
            if allowed_hosts
            else "this server sends no webhooks; its operator sets ASSAY_WEBHOOK_HOSTS and ASSAY_WEBHOOK_SECRET"
        )
        raise InputError("invalid-request", detail, ("webhook",))


def signature(secret: str, when: int, body: bytes) -> str:
    """``t=SECONDS,v1=HEX``: HMAC-SHA256 of ``SECONDS.BODY`` by the shared secret; old times show that a message is a repetition."""
    digest = hmac.new(secret.encode(), f"{when}.".encode() + body, hashlib.sha256).hexdigest()
    return f"t={when},v1={digest}"


@dataclass(frozen=True)
class Delivery:
    """A claimed attempt to tell of the end of a job."""

    job: str
    url: str
    attempt: int
    traceparent: str | None

    @property
    def host(self) -> str:
        """Host and port of the address, which take one delivery at a time."""
        return _host_of(self.url)


def _host_of(url: str) -> str:
    """Host with its port: receivers behind one name do not delay each other."""
    try:
        parts = urlsplit(url)
        return f"{parts.hostname or ''}:{parts.port or PORTS.get(parts.scheme, 0)}"
    except ValueError:
        return ""


class WebhookSender:
    """Posts ended jobs, to several hosts beside each other; any process repeats a failed delivery."""

    def __init__(self, database: Database, secret: str, describe: Callable[[str], Mapping[str, object]]) -> None:
        self._database = database
        self._secret = secret
        self._describe = describe
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=lambda: anyio.run(self.run), name="webhooks", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self) -> None:
        """End the thread after the deliveries at hand."""
        self._stopping.set()
        if self._thread.is_alive():
            self._thread.join(DEADLINE_SECONDS + LOOK_SECONDS)

    async def run(self) -> None:
        """Deliver until stopped, to each host in a task of its own."""
        pauses, busy_hosts = Pauses(), set[str]()
        # Set as soon as a host is free again.
        free = anyio.Event()

        async def deliver(delivery: Delivery) -> None:
            nonlocal free
            try:
                await self.deliver(client, delivery)
            except Exception as error:
                _log_failure(error)
            busy_hosts.discard(delivery.host)
            free.set()

        async with _client() as client, anyio.create_task_group() as tasks:
            while not self._stopping.is_set():
                free = anyio.Event()
                try:
                    delivery = await anyio.to_thread.run_sync(self.claim, frozenset(busy_hosts))
                    pauses.begin_again()
                except Exception as error:
                    _log_failure(error)
                    await anyio.to_thread.run_sync(self._stopping.wait, next(pauses))
                    continue
                if delivery is not None:
                    busy_hosts.add(delivery.host)
                    tasks.start_soon(deliver, delivery)
                else:
                    with anyio.move_on_after(LOOK_SECONDS):
                        await free.wait()

    def claim(self, busy_hosts: Collection[str] = ()) -> Delivery | None:
        """Claim the next delivery: first attempts before repetitions, none to `busy_hosts`; None if none is due."""
        now = time.time()
        due = (
            JobRow.webhook.is_not(None),
            JobRow.state.in_(FINAL_STATES),
            or_(JobRow.webhook_due.is_(None), (JobRow.webhook_due > 0) & (JobRow.webhook_due < now)),
        )
        columns = select(JobRow.id, JobRow.webhook, JobRow.webhook_attempts, JobRow.traceparent)
        query = columns.where(*due).order_by(JobRow.webhook_attempts > 0, JobRow.finished)
        with Session(self._database) as session, session.begin():
            with session.execute(query.execution_options(yield_per=100)) as rows:
                row = next((row for row in rows if _host_of(row.webhook) not in busy_hosts), None)
            if row is None:
                return None
            claim = session.execute(
                update(JobRow)
                .where(JobRow.id == row.id, *due)
                .values(webhook_due=now + HOLD_SECONDS, webhook_attempts=JobRow.webhook_attempts + 1)
                .execution_options(synchronize_session=False)
            )
            # Another process may have claimed it.
            if claim.rowcount != 1:  # type: ignore[attr-defined]
                return None
        return Delivery(row.id, row.webhook, row.webhook_attempts + 1, row.traceparent)

    async def deliver(self, client: httpx2.AsyncClient, delivery: Delivery) -> None:
        """Post a claimed delivery, and note its next attempt."""
        pause = PAUSES[delivery.attempt - 1] if delivery.attempt <= len(PAUSES) else None
        with span("webhook", "client", delivery.traceparent, job=delivery.job, attempt=delivery.attempt):
            try:
                body = await anyio.to_thread.run_sync(self._body, delivery.job)
                is_delivered = await self._post(client, delivery, body)
            except Exception:
                # An invalid address of an older version, or an unreadable job: no later attempt would do better.
                log.exception("the webhook of job %s cannot be called", delivery.job)
                is_delivered, pause = False, None
        # 0 means delivered or given up.
        after = 0.0 if is_delivered or pause is None else time.time() + pause
        await anyio.to_thread.run_sync(self._note, delivery.job, after)

    def _note(self, job: str, after: float) -> None:
        with Session(self._database) as session, session.begin():
            session.execute(update(JobRow).where(JobRow.id == job).values(webhook_due=after))

    def _body(self, job: str) -> bytes:
        return json.dumps({"event": "job.ended", "job": self._describe(job)}, ensure_ascii=True, allow_nan=False).encode()

    async def _post(self, client: httpx2.AsyncClient, delivery: Delivery, body: bytes) -> bool:
        job, attempt, traceparent = delivery.job, delivery.attempt, traceparent_here() or delivery.traceparent
        headers = {
            "Accept-Encoding": "identity",
            "Content-Type": "application/json",
            "Assay-Signature": signature(self._secret, int(time.time()), body),
            "Assay-Delivery": f"{job}-{attempt}",
            **({"traceparent": traceparent} if traceparent is not None else {}),
        }
        try:
            # The answer's body is not read: it may have any length.
            with anyio.fail_after(DEADLINE_SECONDS):
                async with client.stream("POST", delivery.url, content=body, headers=headers) as answer:
                    status = answer.status_code
        except (httpx2.HTTPError, TimeoutError) as error:
            log.warning("the webhook of job %s was not taken (attempt %d): %s", job, attempt, type(error).__name__)
            return False
        if not 200 <= status < 300:
            log.warning("the webhook of job %s was answered %d (attempt %d)", job, status, attempt)
        return 200 <= status < 300


def _client() -> httpx2.AsyncClient:
    return httpx2.AsyncClient(timeout=None, follow_redirects=False, trust_env=False)


def _log_failure(error: Exception) -> None:
    if is_disk_full(error):
        log.warning("webhooks wait: there is no room on the disk")
    else:
        log.error("webhooks could not be sent", exc_info=error)
