"""Becomes a command that ends with the process that started it and takes no more than it may; run as a file, without Assay.

Arguments: the process that it must not outlive, bytes of memory, bytes of a file, and the command with its arguments.
"""

import ctypes
import os
import resource
import signal
import sys

__all__ = ["main"]

# Of Linux: the signal that comes when whoever started this one has ended.
DEATH_SIGNAL = 1
LESS_URGENT = 5


def main() -> None:
    """Take on the limits, and become the command."""
    parent, memory, size = map(int, sys.argv[1:4])
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        sys.exit(0)
    os.nice(LESS_URGENT)
    for limit, value in ((resource.RLIMIT_CORE, 0), (resource.RLIMIT_FSIZE, size), (resource.RLIMIT_DATA, memory)):
        hard = resource.getrlimit(limit)[1]
        value = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(limit, (value, value))
    os.execv(sys.argv[4], sys.argv[4:])  # noqa: S606  (no shell is the point)


if __name__ == "__main__":
    main()
