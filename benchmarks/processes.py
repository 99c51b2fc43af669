"""Processor time and memory of running processes, from Linux' ``/proc``."""

import os
from pathlib import Path

__all__ = ["megabytes", "processor_seconds", "with_descendants"]


def _fields(process: int) -> list[str]:
    """Fields of ``stat`` behind the name: the state, the parent, ..."""
    return Path(f"/proc/{process}/stat").read_text("utf-8", "replace").rpartition(")")[2].split()


def with_descendants(root: int) -> list[int]:
    """A process and its living descendants, parents first."""
    children: dict[int, list[int]] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            children.setdefault(int(_fields(int(folder.name))[1]), []).append(int(folder.name))
        except OSError:
            continue
    tree = [root]
    for process in tree:
        tree += children.get(process, [])
    return tree


def processor_seconds(*processes: int) -> float:
    """User and system time of all threads of processes so far."""
    return sum(int(ticks) for process in processes for ticks in _fields(process)[11:13]) / os.sysconf("SC_CLK_TCK")


def megabytes(*processes: int) -> float:
    """Resident memory of processes in MB."""
    texts = (Path(f"/proc/{process}/status").read_text("utf-8") for process in processes)
    return sum(int(text.split("VmRSS:")[1].split()[0]) for text in texts) / 1024
