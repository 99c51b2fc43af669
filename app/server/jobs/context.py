"""Context of a step while a worker executes it: progress, checkpoint and publications go to the database."""

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from app import __version__
from app.arrays import Float64s
from app.operations.operation import Json
from app.operations.translating import NO_SERVICES, Translators
from app.registry.artifacts import ArtifactStore
from app.running.journal import decode, encode
from app.server.jobs.job_files import KeptFiles, Scratch
from app.server.jobs.owned_artifacts import OwnedArtifacts
from app.server.jobs.waiting import patiently
from app.server.store.audit import AuditLog
from app.server.store.feedback_uses import FeedbackUses
from app.server.store.model_owners import ModelOwners
from app.server.store.queue import LARGEST_CHECKPOINT, Batch, JobQueue, Progress
from app.server.store.view import JobView
from app.server.translation import TranslatorFactory

if TYPE_CHECKING:
    # Workers of tests need no engine, and import none.
    from app.engine import Engine

__all__ = ["Cancelled", "Handover", "JobContext", "Stopping", "Tools"]

LONGEST_STEP: Final = 200
# After this time other jobs may interrupt a step that records. The step must first have worked this many times as long as its
# return to the same point takes.
LONGEST_TURN_SECONDS: Final = 30.0
WORTH_COMING_BACK: Final = 8.0


class Cancelled(BaseException):
    """The job is to be cancelled. No `Exception`, so that a step cannot take it for a failure of its own."""


class Stopping(BaseException):
    """The worker must stop; the job is to be given back."""


class Handover(BaseException):
    """Return of a job to the queue for the turn of another job; it continues later."""


@dataclass(frozen=True)
class Tools:
    """State shared by all steps of all jobs."""

    engine: "Engine"
    artifacts: ArtifactStore
    owners: ModelOwners | None = None
    uses: FeedbackUses | None = None
    audit: AuditLog | None = None
    scratch: Scratch | None = None
    translators: TranslatorFactory | None = None
    # Copies models of other machines, before a job may ask for them.
    synchronise: Callable[[], None] | None = None


class JobContext:
    """The `Context` of one step, a chunk's work or the end.

    Progress and recorded arrays are kept here until `write` is called, which a thread beside the step does every half second, so
    that thousands of calls are cheap. `check` raises if the step must end. `make_way` raises if the step may end, because all its
    results are recorded and another job waits. The sequence of recorded arrays belongs to one version of the program, since
    another might ask for other arrays.
    """

    def __init__(
        self,
        tools: Tools,
        queue: JobQueue,
        worker: str,
        job: JobView,
        step: str,
        check: Callable[[], None],
        make_way: Callable[[], None] = lambda: None,
    ) -> None:
        self._tools = tools
        self._queue = queue
        self._worker = worker
        self._job = job
        self._check = check
        self._make_way = make_way
        self._name = f"{step} {__version__}"
        batches = patiently(lambda: queue.recorded(job.id, self._name), check)
        self._records = iter(decode(b"".join(batches)))
        self._size = sum(map(len, batches))
        self._batches = len(batches)
        self._unwritten_records: list[bytes] = []
        self._progress: Progress | None = None
        self._written_progress: Progress | None = None
        self._lock = threading.Lock()
        self._over = False
        self._begin_time = time.monotonic()
        self._came_back: float | None = None

    @property
    def engine(self) -> "Engine":
        """The loaded engine."""
        return self._tools.engine

    @property
    def artifacts(self) -> ArtifactStore:
        """Store of finished models, which belong to the job's owner from the start."""
        tools = self._tools
        if tools.owners is None or tools.audit is None:
            return tools.artifacts
        return OwnedArtifacts(tools.artifacts, tools.owners, tools.audit, self._job)

    @property
    def files(self) -> KeptFiles | None:
        """The job's files; None if the worker has no folder for them."""
        scratch = self._tools.scratch
        return None if scratch is None else KeptFiles(self._queue, self._worker, self._job, scratch, self._check)

    @property
    def translators(self) -> Translators:
        """Translation services for the job's owner."""
        factory = self._tools.translators
        return NO_SERVICES if factory is None else factory.of(self._job.owner)

    @property
    def params(self) -> Json:
        """Parameters that planning fixed."""
        return self._job.params

    @property
    def job(self) -> str:
        """The job's id."""
        return self._job.id

    def report(self, task: str, share: float) -> None:
        """Report the present task and the finished share (0 to 1) of the step."""
        self._check()
        self._progress = Progress(task[:LONGEST_STEP], min(max(0.0, share), 1.0))

    def recall(self, compute: Callable[[], Float64s]) -> Float64s:
        """The next recorded array, or the result of `compute`, which is recorded if there is room."""
        self._check()
        recorded_array = next(self._records, None)
        if recorded_array is not None:
            return recorded_array
        if self._came_back is None:
            self._came_back = time.monotonic() - self._begin_time
        else:
            self._make_way()
        computed_array = compute()
        record = encode([computed_array])
        with self._lock:
            # Once an array found no room, none behind it may be recorded: they are a sequence.
            self._size += len(record)
            if self._size <= LARGEST_CHECKPOINT:
                self._unwritten_records.append(record)
        return computed_array

    def learns_from(self, model: str, feedback: Sequence[str]) -> None:
        """Write down which judgements a model learns from."""
        self._check()
        if self._tools.uses is not None:
            self._tools.uses.note(model, feedback)

    def publish(self, name: str, value: Any) -> None:
        """Publish a part of the answer before the end."""
        self._check()
        patiently(lambda: self._queue.publish(self.job, self._worker, name, value), self._check)

    def published(self, name: str) -> Any:
        """Value last published under a name, or None."""
        return patiently(lambda: self._queue.published(self.job, name), self._check)

    @property
    def has_had_its_turn(self) -> bool:
        """Return True if the step has worked long enough since its start or return, and has recorded its results."""
        if self._came_back is None or self._size > LARGEST_CHECKPOINT:
            return False
        return time.monotonic() - self._begin_time >= max(LONGEST_TURN_SECONDS, (1 + WORTH_COMING_BACK) * self._came_back)

    def write(self) -> None:
        """Write new progress and records to the database; safe to use from any thread."""
        with self._lock:
            progress = None if self._progress == self._written_progress else self._progress
            if self._over or (progress is None and not self._unwritten_records):
                return
            batch = Batch(self._name, self._batches, b"".join(self._unwritten_records)) if self._unwritten_records else None
            self._queue.advance(self.job, self._worker, progress, batch)
            self._batches += batch is not None
            self._unwritten_records.clear()
            self._written_progress = progress or self._written_progress

    def close(self) -> None:
        """Write nothing any more: the step is done."""
        with self._lock:
            self._over = True
