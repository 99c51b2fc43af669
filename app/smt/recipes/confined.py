"""Program that limits its process and then becomes a command. It runs as a file, without importing Assay.

The first three arguments are the id of the parent process, whose end also ends the command, and the limits of memory and of a
file in bytes. Then follow the working folder and the folder of compiled kernels, both writable, and a folder to list. The last
arguments are the number of readable paths, these paths, and the command with its arguments.

With Landlock (Linux from 5.13) the command and its children can open no other files, and from 6.7 make no connections. Without
Landlock the command has the rights of its user.
"""

import ctypes
import os
import resource
import signal
import stat
import struct
import sys

__all__ = ["main"]

# Options of Linux's prctl: a signal at the end of the parent process, and no new rights for later programs.
DEATH_SIGNAL = 1
NO_NEW_PRIVILEGES = 38
LESS_URGENT = 5
# Numbers of Landlock's system calls, equal on all processors; rights to files by the first version with them.
CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
RIGHTS = {1: (1 << 13) - 1, 2: 1 << 13, 3: 1 << 14, 5: 1 << 15}
WITH_CONNECTIONS = 4
CONNECTIONS = 3
READING = 1 << 0 | 1 << 2 | 1 << 3
LISTING = 1 << 3
WRITING = sum(RIGHTS.values())
# Rights that apply to a file; Landlock refuses rights of folders for a file.
OF_FILES = 1 << 0 | 1 << 1 | 1 << 2 | 1 << 14 | 1 << 15
PATH_BENEATH = 1
# System paths that programs read: libraries, facts about the processor, randomness.
SYSTEM = ("/usr", "/lib", "/lib64", "/bin", "/etc/ld.so.cache", "/etc/localtime", "/etc/alternatives", "/proc", "/sys")
DEVICES = "/dev"


def main() -> None:
    """Set the limits and execute the command."""
    parent, memory, size = map(int, sys.argv[1:4])
    folder, kernels, root, count = *sys.argv[4:7], int(sys.argv[7])
    read, command = sys.argv[8 : 8 + count], sys.argv[8 + count :]
    if sys.platform == "linux":
        library = ctypes.CDLL(None, use_errno=True)
        library.prctl(DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)
        confine(library, {LISTING: [root], READING: [*SYSTEM, *read], WRITING: [folder, kernels, DEVICES]})
    if os.getppid() != parent:
        sys.exit(0)
    os.nice(LESS_URGENT)
    for limit, value in ((resource.RLIMIT_CORE, 0), (resource.RLIMIT_FSIZE, size), (resource.RLIMIT_DATA, memory)):
        hard = resource.getrlimit(limit)[1]
        value = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(limit, (value, value))
    os.execv(command[0], command)  # noqa: S606  (no shell is the point)


def confine(library: ctypes.CDLL, paths_by_right: dict[int, list[str]]) -> None:
    """Restrict this process to the rights below the given paths; does nothing without Landlock."""
    version = library.syscall(CREATE_RULESET, None, 0, 1)
    if version < 1:
        return
    rights = sum(value for first, value in RIGHTS.items() if first <= version)
    attributes = struct.pack("=Q", rights) + (struct.pack("=Q", CONNECTIONS) if version >= WITH_CONNECTIONS else b"")
    rules = library.syscall(CREATE_RULESET, attributes, len(attributes), 0)
    if rules < 0:
        return
    for right, paths in paths_by_right.items():
        for path in paths:
            try:
                descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
            except OSError:
                continue
            path_rights = right & rights & (-1 if stat.S_ISDIR(os.fstat(descriptor).st_mode) else OF_FILES)
            if library.syscall(ADD_RULE, rules, PATH_BENEATH, struct.pack("=Qi", path_rights, descriptor), 0):
                sys.exit(f"{path}: {os.strerror(ctypes.get_errno())}")
            os.close(descriptor)
    if library.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0) or library.syscall(RESTRICT_SELF, rules, 0):
        sys.exit(os.strerror(ctypes.get_errno()))
    os.close(rules)


if __name__ == "__main__":
    main()
