"""Audit of callers' actions: changes, reading of others' data, and refused keys."""

import logging
import threading
import time
from collections.abc import Callable, Sequence
from typing import Final

from app.errors import InputError
from app.running.request_context import request_here
from app.server.service.authentication import Caller
from app.server.store import Actor, AuditLog, JobView

__all__ = ["Auditing", "Refusals", "actor_of"]

log = logging.getLogger("assay")
# Actors without a key while no key is needed, and of refused requests.
KEYLESS_ACTOR: Final = "anybody"
UNKNOWN_ACTOR: Final = "nobody"
# Seconds between two records of reading one thing, since a page that follows a job reads it often.
READ_SECONDS: Final = 600.0
MOST_READ: Final = 10_000
# Window in seconds, and number of addresses whose refused keys are recorded singly in it; the rest are counted.
WINDOW_SECONDS: Final = 600.0
MOST_SINGLE: Final = 20


def actor_of(caller: Caller) -> Actor:
    """Actor of the request at hand."""
    context = request_here()
    return Actor(caller.name or KEYLESS_ACTOR, caller.owner, *((context.id, context.address) if context is not None else ("", "")))


class Auditing:
    """The audit as a server writes it; from any thread."""

    def __init__(self, window: float = WINDOW_SECONDS) -> None:
        self._log: AuditLog | None = None
        self.refusals = Refusals(self._write_refusals, window)
        self._read: dict[tuple[str, str, str, str], float] = {}

    def open(self, log: AuditLog) -> None:
        """Begin to record in the log of an open database."""
        self._log = log

    @property
    def log(self) -> AuditLog:
        """Log of the records; InputError until the database is open."""
        if self._log is None:
            raise InputError("not-ready", "the database is still being opened; ask again in a moment")
        return self._log

    def record(self, caller: Caller, action: str, thing: str, id: str = "", **detail: str | int | float | bool | None) -> None:
        """Record an action of a caller directly after it; the record is on disk at the return."""
        self.log.add(actor_of(caller), action, thing, id, **detail)

    def read(self, caller: Caller, thing: str, id: str, owner: str) -> None:
        """Record that a caller is about to see data of another owner, unless either has no name.

        The record comes before the answer, so that no view stays unrecorded.
        """
        if not caller.name or caller.owner == owner:
            return
        now, name = time.monotonic(), (caller.owner, caller.name, thing, id)
        if now < self._read.get(name, 0.0):
            return
        self.record(caller, "read", thing, id, owner=owner)
        if len(self._read) >= MOST_READ:
            self._read.clear()
        self._read[name] = now + READ_SECONDS

    def read_job(self, caller: Caller, what: str, job: JobView) -> JobView:
        """A job that a caller is about to see, or its result."""
        self.read(caller, what, job.id, job.owner)
        return job

    def read_jobs(self, caller: Caller, jobs: Sequence[JobView]) -> Sequence[JobView]:
        """A list of jobs that a caller is about to see; the owners are recorded."""
        if other_owners := sorted({job.owner for job in jobs} - {caller.owner}):
            self.read(caller, "jobs", "", ",".join(other_owners))
        return jobs

    def refused(self, what: str) -> None:
        """Record that a key, or a key for signing in, was refused; the refusal stands even if the record fails."""
        context = request_here()
        self.refusals.note(what, context.address if context is not None else "")

    def _write_refusals(self, what: str, address: str, count: int) -> None:
        context = request_here()
        request = context.id if context is not None and count == 1 else ""
        try:
            self.log.add(Actor(UNKNOWN_ACTOR, "", request, address), "refused", what, count=count)
        except Exception:
            log.exception("a refusal could not be recorded")

    def stop(self) -> None:
        """Write the counted refusals."""
        self.refusals.close()


class Refusals:
    """Refusals in few rows, by address and window of time.

    The first refusal of a window is written at once, and the number of further ones when the window ends. Addresses beyond some
    number are counted together, without their names.
    """

    def __init__(self, write: Callable[[str, str, int], None], seconds: float) -> None:
        self._write = write
        self._seconds = seconds
        self._counts: dict[tuple[str, str], int] = {}
        self._timer: threading.Timer | None = None
        self._lock = threading.Lock()

    def note(self, what: str, address: str) -> None:
        """Count a refusal, and write the first one."""
        with self._lock:
            if self._timer is None:
                self._timer = threading.Timer(self._seconds, self.close)
                self._timer.daemon = True
                self._timer.start()
            singly = (what, address) in self._counts or len(self._counts) < MOST_SINGLE
            name = (what, address if singly else "")
            first = singly and name not in self._counts
            self._counts[name] = 0 if first else self._counts.get(name, 0) + 1
        if first:
            self._write(what, address, 1)

    def close(self) -> None:
        """End the window: write how many followed."""
        with self._lock:
            counts, self._counts = self._counts, {}
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None
        for (kind, address), count in counts.items():
            if count:
                self._write(kind, address, count)
