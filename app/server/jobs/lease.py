"""The lease of a worker on a job: renewed during the work, and ended on demand."""

import logging
import os
import threading
import time
from collections.abc import Callable
from types import TracebackType
from typing import Final

from app.errors import is_disk_full
from app.running.request_context import work_for_job
from app.server.jobs.context import Cancelled, Handover, JobContext, Stopping
from app.server.jobs.turn import Turn
from app.server.store.database import DatabaseUnavailableError
from app.server.store.queue import JobQueue, LeaseLostError
from app.server.store.view import JobView

__all__ = ["EXIT_CODE", "GRACE_SECONDS", "Lease"]

log = logging.getLogger("assay.worker")
LOOK_SECONDS: Final = 0.5
# How long a step may go on after its job was cancelled before its process is ended.
GRACE_SECONDS: Final = 5.0
EXIT_CODE: Final = 75


class Lease:
    """A leased job, as a context manager.

    A thread renews the lease, charges the owner, and writes the records of the current step. It checks for cancellation, and for
    another job's turn inside a long step. `check` raises `Cancelled`, `Stopping` or `LeaseLostError` in the step. If a long call
    of a library keeps the step from checking, the process is ended and another continues: `GRACE_SECONDS` after a cancellation,
    or `patience` seconds after `must_stop` became true.
    """

    def __init__(self, queue: JobQueue, job: JobView, worker: str, must_stop: Callable[[], bool], patience: float) -> None:
        self._queue = queue
        self._job = job.id
        self.turn = Turn(queue, job)
        self._worker = worker
        self._must_stop = must_stop
        self._patience = patience
        self._context: JobContext | None = None
        self._another_first = False
        self._reason: type[Cancelled] | type[LeaseLostError] | None = None
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._keep, name="lease", daemon=True)

    def __enter__(self) -> "Lease":
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._over.set()
        self._thread.join()
        try:
            self.turn.charge()
        except Exception as failure:
            log.warning("what was worked on job %s is not counted: %s", self._job, type(failure).__name__)

    def keep(self, context: JobContext) -> None:
        """Write the records of this step from now on."""
        self._context = context

    def check(self) -> None:
        """Raise if the step must end; cheap."""
        if self._reason is not None:
            raise self._reason(self._job)
        if self._must_stop():
            raise Stopping(self._job)

    def make_way(self) -> None:
        """Raise `Handover` if a long step has had its turn and another job waits; cheap."""
        if self._another_first:
            raise Handover(self._job)

    def look(self) -> None:
        """Ask the database whether the job was cancelled or lost."""
        if self._reason is None and self._queue.cancel_requested(self._job, self._worker):
            self._reason = Cancelled

    def _keep(self) -> None:
        work_for_job(self._job)
        renew_at = time.monotonic() + self._queue.lease_seconds / 4
        end_at: float | None = None
        while not self._over.wait(LOOK_SECONDS):
            now = time.monotonic()
            try:
                self.look()
                if now >= renew_at:
                    self._queue.renew(self._job, self._worker)
                    renew_at = now + self._queue.lease_seconds / 4
                    self.turn.charge()
                if self._context is not None:
                    self._context.write()
                    self._another_first = self._context.has_had_its_turn and self._queue.comes_before(self._job, fairly=True)
            except DatabaseUnavailableError:
                # New records wait here until they are written.
                log.warning("the database does not answer; job %s goes on", self._job)
            except LeaseLostError:
                self._reason = LeaseLostError
            except Exception as error:
                # A step that goes on without room is told when it writes; what it records is kept here until then.
                if not is_disk_full(error):
                    log.exception("the database did not take what is new of job %s", self._job)
            if self._reason is not None:
                end_at = min(end_at or now + GRACE_SECONDS, now + GRACE_SECONDS)
            elif self._must_stop():
                end_at = end_at or now + self._patience
            if end_at is not None and now >= end_at:
                self._end_process()
                return

    def _end_process(self) -> None:
        """End a process that does not react, unless it has just ended."""
        try:
            if self._reason is Cancelled:
                self._queue.stop(self._job, self._worker)
            elif self._reason is None:
                self._queue.release(self._job, self._worker)
        except LeaseLostError:
            if self._over.wait(LOOK_SECONDS):
                return
        except Exception:
            log.exception("job %s could not be given back", self._job)
        log.warning("job %s did not stop in time; this worker ends", self._job)
        os._exit(EXIT_CODE)
