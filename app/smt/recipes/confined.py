"""Becomes a command that ends with the process that started it and takes no more than it may; run as a file, without Assay.

Arguments: the process that it must not outlive, bytes of memory, bytes of a file, the folder that alone it writes into, one of
compiled kernels, which it may add to, one whose names it may list, the number of other paths that it may read, these, and the
command with its arguments.

Where the kernel has Landlock (Linux from 5.13), nothing else can be opened by it or by what it starts, and from 6.7 no connection
be made; elsewhere it opens what its user may.
"""

import ctypes
import os
import resource
import signal
import stat
import struct
import sys

__all__ = ["main"]

# Of Linux: the signal that comes when whoever started this one has ended, and that nothing it becomes has more rights.
DEATH_SIGNAL = 1
NO_NEW_PRIVILEGES = 38
LESS_URGENT = 5
# Landlock, whose calls have the same numbers everywhere: rights to files by the version that knows them first.
CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
RIGHTS = {1: (1 << 13) - 1, 2: 1 << 13, 3: 1 << 14, 5: 1 << 15}
WITH_CONNECTIONS = 4
CONNECTIONS = 3
READING = 1 << 0 | 1 << 2 | 1 << 3
LISTING = 1 << 3
WRITING = sum(RIGHTS.values())
# Those of READING that are about files, and writing into one; rights of folders are refused for a file.
OF_FILES = 1 << 0 | 1 << 1 | 1 << 2 | 1 << 14 | 1 << 15
PATH_BENEATH = 1
# What programs need of the system: libraries, what the processor is, randomness.
SYSTEM = ("/usr", "/lib", "/lib64", "/bin", "/etc/ld.so.cache", "/etc/localtime", "/etc/alternatives", "/proc", "/sys")
DEVICES = "/dev"


def main() -> None:
    """Take on the limits, and become the command."""
    parent, memory, size = map(int, sys.argv[1:4])
    folder, kernels, listed, count = *sys.argv[4:7], int(sys.argv[7])
    read, command = sys.argv[8 : 8 + count], sys.argv[8 + count :]
    if sys.platform == "linux":
        library = ctypes.CDLL(None, use_errno=True)
        library.prctl(DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)
        confine(library, {LISTING: [listed], READING: [*SYSTEM, *read], WRITING: [folder, kernels, DEVICES]})
    if os.getppid() != parent:
        sys.exit(0)
    os.nice(LESS_URGENT)
    for limit, value in ((resource.RLIMIT_CORE, 0), (resource.RLIMIT_FSIZE, size), (resource.RLIMIT_DATA, memory)):
        hard = resource.getrlimit(limit)[1]
        value = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(limit, (value, value))
    os.execv(command[0], command)  # noqa: S606  (no shell is the point)


def confine(library: ctypes.CDLL, paths_by_right: dict[int, list[str]]) -> None:
    """Let this process have these rights below these paths, and none elsewhere, where the kernel can hold it to that."""
    version = library.syscall(CREATE_RULESET, None, 0, 1)
    if version < 1:
        return
    rights = sum(value for first, value in RIGHTS.items() if first <= version)
    attributes = struct.pack("=Q", rights) + (struct.pack("=Q", CONNECTIONS) if version >= WITH_CONNECTIONS else b"")
    rules = library.syscall(CREATE_RULESET, attributes, len(attributes), 0)
    if rules < 0:
        return
    for granted, paths in paths_by_right.items():
        for path in paths:
            try:
                opened = os.open(path, os.O_PATH | os.O_CLOEXEC)
            except OSError:
                continue
            allowed = granted & rights & (-1 if stat.S_ISDIR(os.fstat(opened).st_mode) else OF_FILES)
            if library.syscall(ADD_RULE, rules, PATH_BENEATH, struct.pack("=Qi", allowed, opened), 0):
                sys.exit(f"{path}: {os.strerror(ctypes.get_errno())}")
            os.close(opened)
    if library.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0) or library.syscall(RESTRICT_SELF, rules, 0):
        sys.exit(os.strerror(ctypes.get_errno()))
    os.close(rules)


if __name__ == "__main__":
    main()
