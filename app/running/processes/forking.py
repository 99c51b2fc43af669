"""Forked processes: they share the memory of their parent until either writes to it, and end with their parent."""

import ctypes
import logging
import os
import signal
import sys
import threading
from collections.abc import Callable
from typing import Final

__all__ = ["SIGNALS", "fork_process"]

log = logging.getLogger("assay")
# Signals for a parent, which a forked process does not block.
SIGNALS: Final = frozenset({signal.SIGTERM, signal.SIGINT, signal.SIGCHLD})
PR_SET_PDEATHSIG: Final = 1


def fork_process(run: Callable[[], int]) -> int:
    """Fork a process that works until `run` returns its exit code; return its id. Linux only.

    RuntimeError if this process has other threads: they would not exist in the new process, but their locks would. The kernel
    kills the new process when this process ends.
    """
    rest = [thread.name for thread in threading.enumerate() if thread is not threading.current_thread()]
    if rest:
        raise RuntimeError(f"a process with the threads {', '.join(rest)} cannot be forked")
    sys.stdout.flush()
    sys.stderr.flush()
    parent = os.getpid()
    process = os.fork()
    if process:
        return process
    code = 1
    try:
        _end_with(parent)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
        code = run()
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 1
    except BaseException:
        log.exception("a forked process failed")
    finally:
        # Nothing of the parent is tidied up twice.
        logging.shutdown()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _end_with(parent: int) -> None:
    """Let the kernel kill this process when its parent ends; end at once if the parent has ended already."""
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)
