"""Webhooks: a signed message at the end of a job, to allowed hosts, repeated until its delivery or the last attempt."""

import hashlib
import hmac
import json
import logging
import re
import threading
import time
from collections.abc import Callable, Mapping
from typing import Final
from urllib.parse import urlsplit

import httpx2
from sqlalchemy import Engine as Database
from sqlalchemy import or_, select, update
from sqlalchemy.orm import Session

from app.errors import InputError, is_disk_full
from app.running.tracing import span, traceparent_here
from app.server.jobs.waiting import Pauses
from app.server.store.tables import JobRow
from app.server.store.view import FINAL_STATES

__all__ = ["WebhookSender", "check_webhook", "signature"]

log = logging.getLogger("assay")
LOOK_SECONDS: Final = 0.5
TIMEOUT_SECONDS: Final = 5.0
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
            else "this server sends no webhooks"
        )
        raise InputError("invalid-request", detail, ("webhook",))


def signature(secret: str, when: int, body: bytes) -> str:
    """``t=SECONDS,v1=HEX``: HMAC-SHA256 of ``SECONDS.BODY`` by the shared secret; old times show that a message is a repetition."""
    digest = hmac.new(secret.encode(), f"{when}.".encode() + body, hashlib.sha256).hexdigest()
    return f"t={when},v1={digest}"


class WebhookSender:
    """Posts ended jobs; any process repeats a failed delivery."""

    def __init__(self, database: Database, secret: str, describe: Callable[[str], Mapping[str, object]]) -> None:
        self._database = database
        self._secret = secret
        self._describe = describe
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="webhooks", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self) -> None:
        """End the thread after the delivery at hand."""
        self._stopping.set()
        if self._thread.is_alive():
            self._thread.join(TIMEOUT_SECONDS + LOOK_SECONDS)

    def _watch(self) -> None:
        with httpx2.Client(timeout=TIMEOUT_SECONDS, follow_redirects=False, trust_env=False) as client:
            pauses = Pauses()
            while not self._stopping.wait(LOOK_SECONDS):
                try:
                    while not self._stopping.is_set() and self.deliver_one(client):
                        pass
                    pauses.begin_again()
                except Exception as error:
                    if is_disk_full(error):
                        log.warning("webhooks wait: there is no room on the disk")
                    else:
                        log.exception("webhooks could not be sent")
                    self._stopping.wait(next(pauses))

    def deliver_one(self, client: httpx2.Client) -> bool:
        """Post the ended job that has waited longest; False where none is due."""
        now = time.time()
        due = (
            JobRow.webhook.is_not(None),
            JobRow.state.in_(FINAL_STATES),
            or_(JobRow.webhook_due.is_(None), (JobRow.webhook_due > 0) & (JobRow.webhook_due < now)),
        )
        with Session(self._database) as session, session.begin():
            row = session.scalars(
                select(JobRow).where(*due).order_by(JobRow.finished).limit(1).with_for_update(skip_locked=True)
            ).first()
            if row is None:
                return False
            claim = session.execute(
                update(JobRow)
                .where(JobRow.id == row.id, *due)
                .values(webhook_due=now + HOLD_SECONDS, webhook_attempts=JobRow.webhook_attempts + 1)
                .execution_options(synchronize_session=False)
            )
            if claim.rowcount != 1:  # type: ignore[attr-defined]
                return True
            job, url, attempts, traceparent = row.id, str(row.webhook), row.webhook_attempts + 1, row.traceparent
        pause = PAUSES[attempts - 1] if attempts <= len(PAUSES) else None
        with span("webhook", "client", traceparent, job=job, attempt=attempts):
            try:
                is_delivered = self._post(client, url, job, attempts, traceparent_here() or traceparent)
            except Exception:
                # An invalid address of an older version, or an unreadable job: no later attempt would do better.
                log.exception("the webhook of job %s cannot be called", job)
                is_delivered, pause = False, None
        # 0 means delivered or given up.
        after = 0.0 if is_delivered or pause is None else time.time() + pause
        with Session(self._database) as session, session.begin():
            session.execute(update(JobRow).where(JobRow.id == job).values(webhook_due=after))
        return True

    def _post(self, client: httpx2.Client, url: str, job: str, attempt: int, traceparent: str | None) -> bool:
        body = json.dumps({"event": "job.ended", "job": self._describe(job)}, ensure_ascii=True, allow_nan=False).encode()
        headers = {
            "Content-Type": "application/json",
            "Assay-Signature": signature(self._secret, int(time.time()), body),
            "Assay-Delivery": f"{job}-{attempt}",
            **({"traceparent": traceparent} if traceparent is not None else {}),
        }
        try:
            status = client.post(url, content=body, headers=headers).status_code
        except httpx2.HTTPError as error:
            log.warning("the webhook of job %s was not taken (attempt %d): %s", job, attempt, type(error).__name__)
            return False
        if not 200 <= status < 300:
            log.warning("the webhook of job %s was answered %d (attempt %d)", job, status, attempt)
        return 200 <= status < 300
