"""A worker: take a job, finish it step by step, take the next."""

import logging
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from types import FrameType
from typing import Any, Final

from app.errors import PROBLEMS, InputError
from app.operations.operation import Context, Json, Operation, Output, Steps
from app.running.deadline import Interruptible, until
from app.running.request_context import work_for_job
from app.running.tracing import span
from app.server.jobs.assistant import Assistant, AssistantGoneError
from app.server.jobs.chunks import Chunks
from app.server.jobs.context import Cancelled, Handover, JobContext, Stopping, Tools
from app.server.jobs.lease import EXIT_CODE, Lease
from app.server.jobs.owned_artifacts import record_promotion
from app.server.jobs.queue_notifier import notifier_of
from app.server.jobs.waiting import patiently
from app.server.store.database import DatabaseUnavailableError
from app.server.store.queue import JobQueue, LeaseLostError
from app.server.store.view import JobView

__all__ = ["Operations", "Worker", "run_until_told"]

log = logging.getLogger("assay.worker")
# Seconds between two checks of an idle worker for its end, and between two looks at the queue without a notification, since leases
# end by themselves.
IDLE_SECONDS: Final = 0.2
LOOK_SECONDS: Final = 1.0
Operations = Mapping[str, Operation[Any, Any]]


class Worker:
    """Works on jobs until it must stop.

    `id` is unique to the process, `parent` the process that it must not outlive. After `stop`, the step at hand has `patience`
    seconds to reach its end or its next checkpoint. The `assistant` works on chunks of parallel steps too.
    """

    def __init__(
        self,
        operations: Operations,
        tools: Tools,
        queue: JobQueue,
        id: str,
        parent: int,
        patience: float,
        assistant: Assistant | None = None,
    ) -> None:
        self._operations = operations
        self._tools = tools
        self._queue = queue
        self._id = id
        self._parent = parent
        self._patience = patience
        self._assistant = assistant
        # No Event: a handler that a second signal interrupts would wait for the lock that itself holds.
        self._is_stopping = False
        self._notifier = notifier_of(queue.database)

    def stop(self) -> None:
        """Give the job at hand back as soon as its step can, and return from `run`."""
        self._is_stopping = True

    def run(self) -> None:
        """Work until stopped, or until the process that started this one is gone."""
        while not self._must_stop():
            try:
                job = patiently(partial(self._queue.take, self._id), self._check_stop)
            except Stopping:
                return
            except Exception:
                log.exception("no job could be taken")
                time.sleep(LOOK_SECONDS)
                continue
            if job is None:
                self._idle()
            else:
                self.work(job)

    def _idle(self) -> None:
        """Wait until there may be something to do."""
        until = time.monotonic() + LOOK_SECONDS
        while not self._must_stop() and time.monotonic() < until:
            if self._notifier.wait(IDLE_SECONDS):
                return

    def _check_stop(self) -> None:
        if self._must_stop():
            raise Stopping

    def _must_stop(self) -> bool:
        return self._is_stopping or os.getppid() != self._parent

    def work(self, job: JobView) -> None:
        """Finish a job, or return it to the queue at a stop or at another job's turn."""
        work_for_job(job.id)
        try:
            with (
                span(f"job {job.kind}", "internal", job.traceparent, job=job.id, owner=job.owner),
                Lease(self._queue, job, self._id, self._must_stop, self._patience) as lease,
            ):
                if self._tools.synchronise is not None:
                    patiently(self._tools.synchronise, lease.check)
                self._leave(job, self._work(job, lease))
        except LeaseLostError:
            log.warning("job %s was taken by another worker", job.id)
        except Stopping:
            log.warning("job %s could not be given back: the database does not answer; its lease ends by itself", job.id)
        finally:
            work_for_job(None)

    def _leave(self, job: JobView, end: Callable[[], None]) -> None:
        """Record the job's end by `end`; retry while the database is away, so no result is lost."""
        try:
            patiently(end, self._check_stop)
        except LeaseLostError:
            raise
        except Exception:
            log.exception("job %s could not be ended", job.id)
            patiently(self._failure(job, "internal-error", "see the log of the worker"), self._check_stop)

    def _work(self, job: JobView, lease: Lease) -> Callable[[], None]:
        """Run the job; return the call that records its end."""
        try:
            summary = self._summary(job, lease)
            record_promotion(self._tools.audit, job, summary)
            return partial(self._queue.succeed, job.id, self._id, summary)
        except Cancelled:
            return partial(self._queue.stop, job.id, self._id)
        except Handover:
            return partial(self._queue.hand_over, job.id, self._id)
        except (Stopping, DatabaseUnavailableError):
            return partial(self._queue.release, job.id, self._id)
        except LeaseLostError:
            raise
        except InputError as error:
            return self._failure(job, error.code, str(error))
        except Exception:
            log.exception("job %s failed", job.id)
            return self._failure(job, "internal-error", "see the log of the worker")

    def _failure(self, job: JobView, code: str, detail: str) -> Callable[[], None]:
        error = {"type": f"/problems/{code}", "title": PROBLEMS[code], "detail": detail}
        return partial(self._queue.fail, job.id, self._id, error)

    def _summary(self, job: JobView, lease: Lease) -> Any:
        steps = self._steps(job.kind)
        chunks = Chunks(self._queue, job.id)
        chunk = patiently(chunks.take, lease.check)
        with self._assistance(job, lease, steps, chunks):
            while chunk is not None:
                number, content = chunk
                output = self._step(job, lease, f"chunk-{number}", partial(_work_on, steps, content))
                self._save(job, lease, number, output)
                chunks.note_saved(number)
                if patiently(lease.turn.is_over, lease.check):
                    raise Handover(job.id)
                chunk = patiently(chunks.take, lease.check)
        return self._step(job, lease, "finish", lambda context: steps.finish(context, self._queue.outputs(job.id)))

    @contextmanager
    def _assistance(self, job: JobView, lease: Lease, steps: Steps[Any], chunks: Chunks) -> Iterator[None]:
        """Let the assistant work on chunks of parallel steps within the block, which waits for its last output.

        An error of either thread ends the work of both.
        """
        assistant, errors = self._assistant, list[BaseException]()
        if assistant is None or not steps.parallel or job.params.get("translate"):
            yield
            return

        def work() -> None:
            work_for_job(job.id)
            try:
                while (chunk := patiently(chunks.take, lease.check)) is not None:
                    number, content = chunk
                    self._save(job, lease, number, assistant.output(job.id, job.kind, job.params, content, lease.check))
                    chunks.note_saved(number)
            except AssistantGoneError:
                log.warning("the assistant of this worker has ended; this worker ends")
                os._exit(EXIT_CODE)
            except BaseException as error:
                errors.append(error)
                chunks.close()

        thread = threading.Thread(target=work, name="assistance")
        thread.start()
        try:
            yield
        finally:
            chunks.close()
            thread.join()
        if errors:
            raise errors[0]

    def _save(self, job: JobView, lease: Lease, number: int, output: Output | bytes) -> None:
        try:
            patiently(partial(self._queue.save_chunk, job.id, self._id, number, output), lease.check)
        except LeaseLostError:
            # A database may have stored the output before it went away; otherwise another worker has the job.
            patiently(lease.look, lease.check)
            lease.check()

    def _steps(self, kind: str) -> Steps[Any]:
        operation = self._operations.get(kind)
        if operation is None or operation.steps is None:
            raise InputError("invalid-job", "this version knows no jobs of this kind", ("kind",))
        return operation.steps

    def _step(self, job: JobView, lease: Lease, name: str, run: Callable[[Context], Any]) -> Any:
        # A step without room for a model or a publication is repeated from its records.
        return patiently(partial(self._attempt, job, lease, name, run), lease.check)

    def _attempt(self, job: JobView, lease: Lease, name: str, run: Callable[[Context], Any]) -> Any:
        patiently(lease.look, lease.check)
        lease.check()
        context = JobContext(self._tools, self._queue, self._id, job, name, lease.check, lease.make_way)
        lease.keep(context)
        try:
            with span(f"step {name}", job=job.id, step=name), until(Interruptible(lease.check)):
                return run(context)
        except BaseException:
            # The next worker of the job need not repeat this.
            patiently(context.write, lease.check)
            raise
        finally:
            context.close()


def _work_on(steps: Steps[Any], content: Json, context: Context) -> Output:
    return steps.work(context, content)


def run_until_told(*workers: Worker) -> None:
    """Run workers beside each other until SIGTERM; the terminal's interruption is for the server alone."""

    def on_signal(number: int, frame: FrameType | None) -> None:
        for worker in workers:
            worker.stop()

    signal.signal(signal.SIGTERM, on_signal)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    first, *rest = workers
    threads = [threading.Thread(target=worker.run, name="outside") for worker in rest]
    for thread in threads:
        thread.start()
    first.run()
    for thread in threads:
        thread.join()
