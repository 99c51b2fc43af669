"""An assistant of a worker: a process that computes outputs of chunks while the worker computes outputs of others.

It is forked once the engine is loaded, so that both share its memory. It reads nothing of the database and writes nothing.
"""

import json
import logging
import os
import signal
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from mmap import mmap
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from typing import Any, Final

from app.arrays import Float64s
from app.errors import InputError
from app.operations.operation import Json, Operation
from app.operations.translating import NO_SERVICES, Translators
from app.registry.artifacts import ArtifactStore
from app.running.deadline import Interruptible, until
from app.running.processes.forking import fork_process
from app.running.request_context import work_for_job
from app.server.jobs.context import Tools
from app.server.store.packing import pack

__all__ = ["Assistant", "AssistantGoneError"]

log = logging.getLogger("assay.worker")
# Seconds between two checks of a worker that waits.
CHECK_SECONDS: Final = 0.1
# Requests of callers come before the work of assistants.
NICENESS: Final = 5
# First bytes of answers.
OUTPUT, REFUSAL, INTERRUPTION, FAILURE = b"o", b"r", b"i", b"f"


class AssistantGoneError(Exception):
    """The process of an assistant has ended."""


class _Interruption(BaseException):
    """The worker has no use for the output any more."""


@dataclass(frozen=True)
class _AssistantContext:
    """The `Context` of parallel steps, which read the engine and the parameters alone."""

    tools: Tools
    params: Json
    job: str
    check: Callable[[], None]
    files: None = None
    translators: Translators = NO_SERVICES

    @property
    def engine(self) -> Any:
        """The engine of the worker before the fork."""
        return self.tools.engine

    @property
    def artifacts(self) -> ArtifactStore:
        """The store of the worker."""
        return self.tools.artifacts

    def report(self, task: str, share: float) -> None:
        """Check for an interruption."""
        self.check()

    def recall(self, compute: Callable[[], Float64s]) -> Float64s:
        """The result of `compute`: chunks of parallel steps record nothing."""
        self.check()
        return compute()

    def learns_from(self, model: str, feedback: Sequence[str]) -> None:
        """RuntimeError: parallel steps train nothing."""
        raise RuntimeError("a parallel step trains no model")

    def publish(self, name: str, value: Any) -> None:
        """RuntimeError: parallel steps publish nothing."""
        raise RuntimeError("a parallel step publishes nothing")

    def published(self, name: str) -> Any:
        """Return None."""


class Assistant:
    """A forked process, for one thread at a time. It ends with this process."""

    def __init__(self, operations: Mapping[str, Operation[Any, Any]], tools: Tools, locks: Sequence[int] = ()) -> None:
        """Fork the process; RuntimeError beside other threads.

        The process closes the descriptors `locks`, or it would hold locks of a killed worker a moment longer.
        """
        self._connection, answers = Pipe()
        self._interruption = mmap(-1, 1)
        fork_process(lambda: self._work(answers, operations, tools, locks))
        answers.close()

    def output(self, job: str, kind: str, params: Json, chunk: Json, check: Callable[[], object]) -> bytes:
        """Packed output of a chunk; `check` raises to interrupt the work.

        InputError of the work, RuntimeError for another failure, AssistantGoneError if the process has ended.
        """
        self._interruption[0] = 0
        error: BaseException | None = None
        try:
            self._connection.send_bytes(json.dumps([job, kind, params, chunk]).encode("ascii"))
            while not self._connection.poll(CHECK_SECONDS):
                try:
                    check()
                except BaseException as reason:
                    # The answer still comes, soon.
                    error, self._interruption[0] = error or reason, 1
            answer = self._connection.recv_bytes()
        except (EOFError, OSError):
            raise AssistantGoneError from None
        if error is not None:
            raise error
        status, content = answer[:1], answer[1:]
        if status == REFUSAL:
            code, detail, place = json.loads(content)
            raise InputError(code, detail, tuple(place))
        if status != OUTPUT:
            raise RuntimeError("the assistant could not work on a chunk")
        return content

    def _work(
        self, connection: Connection, operations: Mapping[str, Operation[Any, Any]], tools: Tools, locks: Sequence[int]
    ) -> int:
        """Answer until this process is killed, or its parent closes the connection."""
        self._connection.close()
        for lock in locks:
            os.close(lock)
        # The parent decides about the end.
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        os.nice(NICENESS)
        while True:
            try:
                job, kind, params, chunk = json.loads(connection.recv_bytes())
            except EOFError:
                return 0
            work_for_job(job)
            connection.send_bytes(self._answer(operations[kind], _AssistantContext(tools, params, job, self._check), chunk))

    def _answer(self, operation: Operation[Any, Any], context: _AssistantContext, chunk: Json) -> bytes:
        assert operation.steps is not None
        try:
            with until(Interruptible(self._check)):
                return OUTPUT + pack(operation.steps.work(context, chunk))
        except _Interruption:
            return INTERRUPTION
        except InputError as error:
            return REFUSAL + json.dumps([error.code, error.detail, list(error.where)]).encode("ascii")
        except Exception:
            log.exception("job %s failed", context.job)
            return FAILURE

    def _check(self) -> None:
        if self._interruption[0]:
            raise _Interruption
