"""A supervisor of forked processes: it starts ended ones again, passes signals on, and its end ends them."""

import logging
import os
import signal
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from app.running.processes.forking import SIGNALS, fork_process
from app.server.jobs.waiting import Pauses
from app.shell.serving.draining import BY_SIGNAL

__all__ = ["Supervisor", "Task"]

log = logging.getLogger("assay")
# A process that lived for this long is started again at once; others wait longer each time.
STEADY_SECONDS: Final = 30.0
LOOK_SECONDS: Final = 1.0
# Seconds beyond the time of a stop, after which processes are killed.
GRACE_SECONDS: Final = 10.0


@dataclass(eq=False)
class Task:
    """A process with its name in the log. `run` works in it and returns its exit code; `after_end` runs at each of its ends."""

    name: str
    run: Callable[[], int]
    after_end: Callable[[], None]
    process: int | None = None
    start_time: float = 0.0
    due_time: float = 0.0
    pauses: Pauses = field(default_factory=Pauses)


class Supervisor:
    """Keeps the processes of `tasks` running until the first SIGTERM or SIGINT, which lets them finish; the second kills them."""

    def __init__(self, tasks: Sequence[Task], drain_seconds: float, begin_stop: Callable[[], None]) -> None:
        """`begin_stop` runs in this process at the first signal."""
        self._tasks, self._begin_stop = tasks, begin_stop
        self._patience = drain_seconds + GRACE_SECONDS
        self._kill_time: float | None = None

    def run(self) -> int:
        """Run until a signal and the end of all processes; return the exit code."""
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
        try:
            while self._kill_time is None or any(task.process for task in self._tasks):
                self._start_due()
                arrival = signal.sigtimedwait(SIGNALS, self._seconds())
                self._reap()
                if arrival is not None and arrival.si_signo != signal.SIGCHLD:
                    if self._kill_time is not None:
                        self._send(signal.SIGKILL)
                        return BY_SIGNAL + arrival.si_signo
                    self._kill_time = time.monotonic() + self._patience
                    self._begin_stop()
                    self._send(signal.SIGTERM)
                if self._kill_time is not None and time.monotonic() > self._kill_time:
                    log.warning("processes that did not stop in time are killed")
                    self._send(signal.SIGKILL)
            return 0
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)

    def _seconds(self) -> float:
        """Seconds until the next start, at most a second."""
        due_times = [task.due_time for task in self._tasks if task.process is None]
        return min(max(0.0, min(due_times, default=LOOK_SECONDS) - time.monotonic()), LOOK_SECONDS) if due_times else LOOK_SECONDS

    def _start_due(self) -> None:
        if self._kill_time is not None:
            return
        now = time.monotonic()
        for task in self._tasks:
            if task.process is None and task.due_time <= now:
                task.process, task.start_time = fork_process(task.run), now

    def _reap(self) -> None:
        """Note ended processes, also orphans that the system gave to this process."""
        while True:
            try:
                process, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if not process:
                return
            for task in self._tasks:
                if task.process == process:
                    self._note_end(task, os.waitstatus_to_exitcode(status))

    def _note_end(self, task: Task, code: int) -> None:
        now = time.monotonic()
        task.after_end()
        if self._kill_time is None:
            if now - task.start_time > STEADY_SECONDS:
                task.pauses.begin_again()
            pause = next(task.pauses)
            log.warning("process %d (%s) ended with %d; another starts after %g s", task.process, task.name, code, pause)
            task.due_time = now + pause
        task.process = None

    def _send(self, number: signal.Signals) -> None:
        for task in self._tasks:
            if task.process is not None:
                os.kill(task.process, number)
