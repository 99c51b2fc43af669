"""A worker: take a job, finish it step by step, take the next."""

import logging
import os
import threading
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from app.errors import PROBLEMS, InputError
from app.jobs.context import Cancelled, JobContext, Stopping, Tools
from app.jobs.lease import Lease
from app.operations.operation import Context, Json, Operation, Output, Steps
from app.store.queue import JobQueue, LeaseLostError
from app.store.view import JobView

__all__ = ["Operations", "Worker"]

log = logging.getLogger("assay.worker")
IDLE_SECONDS = 0.2
Operations = Mapping[str, Operation[Any, Any]]


class Worker:
    """Works on jobs until told to stop.

    `id` is unique to the process, `parent` the process that it must not outlive. After `stop`, the step at hand has `patience`
    seconds to reach its end or its next checkpoint.
    """

    def __init__(self, operations: Operations, tools: Tools, queue: JobQueue, id: str, parent: int, patience: float) -> None:
        self._operations = operations
        self._tools = tools
        self._queue = queue
        self._id = id
        self._parent = parent
        self._patience = patience
        self._stopping = threading.Event()

    def stop(self) -> None:
        """Give the job at hand back as soon as its step can, and return from `run`."""
        self._stopping.set()

    def run(self) -> None:
        """Work until stopped, or until the process that started this one is gone."""
        while not self._must_stop():
            try:
                job = self._queue.take(self._id)
            except Exception:
                log.exception("the database did not answer")
                job = None
            if job is None:
                self._stopping.wait(IDLE_SECONDS)
            else:
                self.work(job)

    def _must_stop(self) -> bool:
        return self._stopping.is_set() or os.getppid() != self._parent

    def work(self, job: JobView) -> None:
        """Bring one job to its end, or give it back when stopping."""
        try:
            with Lease(self._queue, job.id, self._id, self._must_stop, self._patience) as lease:
                self._work(job, lease)
        except LeaseLostError:
            log.warning("job %s was taken by another worker", job.id)

    def _work(self, job: JobView, lease: Lease) -> None:
        try:
            self._queue.succeed(job.id, self._id, self._summary(job, lease))
        except Cancelled:
            self._queue.stop(job.id, self._id)
        except Stopping:
            self._queue.release(job.id, self._id)
        except LeaseLostError:
            raise
        except InputError as error:
            self._fail(job, error.code, str(error))
        except Exception:
            log.exception("job %s failed", job.id)
            self._fail(job, "internal-error", "see the log of the worker")

    def _fail(self, job: JobView, code: str, detail: str) -> None:
        self._queue.fail(job.id, self._id, {"type": f"/problems/{code}", "title": PROBLEMS[code], "detail": detail})

    def _summary(self, job: JobView, lease: Lease) -> Any:
        steps = self._steps(job.kind)
        while (chunk := self._queue.next_chunk(job.id)) is not None:
            number, content = chunk
            output = self._step(job, lease, f"chunk-{number}", partial(_work_on, steps, content))
            self._queue.save_chunk(job.id, self._id, number, output)
        return self._step(job, lease, "finish", lambda context: steps.finish(context, self._queue.outputs(job.id)))

    def _steps(self, kind: str) -> Steps[Any]:
        operation = self._operations.get(kind)
        if operation is None or operation.steps is None:
            raise InputError("invalid-job", "this version knows no jobs of this kind", ("kind",))
        return operation.steps

    def _step(self, job: JobView, lease: Lease, name: str, run: Callable[[Context], Any]) -> Any:
        lease.look()
        lease.check()
        context = JobContext(self._tools, self._queue, self._id, job, name, lease.check)
        lease.keep(context)
        try:
            return run(context)
        except BaseException:
            # Whoever goes on with the job need not repeat this.
            context.write()
            raise
        finally:
            context.close()


def _work_on(steps: Steps[Any], content: Json, context: Context) -> Output:
    return steps.work(context, content)
