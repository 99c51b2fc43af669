"""Work on consecutive rows in blocks, on all processors of this process."""

from collections.abc import Callable
from functools import cache
from typing import TypeVar

import numpy as np

from app.arrays import Int64s
from app.running.processors import available_processors
from app.running.threads.spreading import Spreading

__all__ = ["in_blocks"]

T = TypeVar("T")


@cache
def _spreading() -> Spreading:
    return Spreading(available_processors())


def in_blocks(work: Callable[[int, int], T], ends: Int64s, size: int) -> list[T]:
    """Results of ``work(first, last)`` for blocks of rows, in order; at least one block. InputError after the deadline.

    `ends` are cumulative sizes of the rows. A block ends with the first row that fills `size`. `work` runs in several threads.
    """
    rows = len(ends)
    total = int(ends[-1]) if rows else 0
    # The first row of each block: the row after the one that reaches a multiple of the size.
    cuts = np.searchsorted(ends, np.arange(size, total, size)) + 1
    bounds = np.unique([0, *cuts[cuts < rows], rows]).tolist() if rows else [0, 0]
    return _spreading().results(lambda k: work(bounds[k], bounds[k + 1]), len(bounds) - 1)
