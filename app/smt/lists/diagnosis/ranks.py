"""Ranks of oracles in their lists (Srivastava's thesis §3.5.1)."""

from collections.abc import Mapping
from typing import Final

import numpy as np

from app.arrays import Int64s

__all__ = ["RANGES", "distribution", "ranks_of"]

# Ranges of ranks, first and last; None means the end of the list.
RANGES: Final[Mapping[str, tuple[int, int | None]]] = {"1": (1, 1), "2-5": (2, 5), "6-10": (6, 10), "11-": (11, None)}


def ranks_of(chosen: Int64s, offsets: Int64s) -> Int64s:
    """Return the rank (from 1) of each segment's chosen hypothesis in its list (n,)."""
    return np.asarray(chosen - offsets[:-1] + 1)


def distribution(ranks: Int64s) -> dict[str, int]:
    """Count segments by the rank of their oracle: 1, 2 to 5, 6 to 10, 11 and above."""
    return {
        name: int(((ranks >= low) & (ranks <= (np.inf if high is None else high))).sum()) for name, (low, high) in RANGES.items()
    }
