"""Processors that this process may use."""

import os

__all__ = ["available_processors"]


def available_processors() -> int:
    """Number of processors that this process may use; on macOS, which keeps no such mask, all of the machine."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
