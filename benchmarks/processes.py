"""Processor time and memory of running processes, from Linux' ``/proc``."""

import os
from pathlib import Path

__all__ = ["megabytes", "own_megabytes", "processor_seconds", "proportional_megabytes", "with_descendants"]


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


def _rollup(process: int) -> dict[str, int]:
    """Kilobytes by kind of memory."""
    lines = Path(f"/proc/{process}/smaps_rollup").read_text("utf-8").splitlines()[1:]
    return {line.partition(":")[0]: int(line.split()[1]) for line in lines}


def proportional_megabytes(*processes: int) -> float:
    """Memory of processes in MB, with the part of each one in shared pages."""
    return sum(_rollup(process)["Pss"] for process in processes) / 1024


def own_megabytes(process: int) -> float:
    """Memory of a process in MB that no other process shares."""
    rollup = _rollup(process)
    return (rollup["Private_Clean"] + rollup["Private_Dirty"]) / 1024
