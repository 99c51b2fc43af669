"""Movement of oracles when lists are sorted anew (Srivastava's thesis §3.8)."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from app.arrays import Float64s, Int64s

__all__ = ["Movement", "order_by", "positions"]

TOP: Final = 5


def order_by(scores: Float64s, offsets: Int64s) -> Int64s:
    """Order all hypotheses list by list, best first; equal ones keep their order (h,)."""
    segments = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    return np.lexsort((np.arange(len(scores)), -scores, segments))


def positions(order: Int64s, offsets: Int64s) -> Int64s:
    """Return the rank of every hypothesis (from 1) in lists with `order` (h,)."""
    ranks = np.empty(len(order), np.int64)
    ranks[order] = np.arange(len(order)) - np.repeat(offsets[:-1], np.diff(offsets)) + 1
    return ranks


@dataclass(frozen=True)
class Movement:
    """Moves of oracles up and down: segments, mean positions, and segments that enter or leave the first five."""

    up: int
    mean_up: float
    into_top: int
    down: int
    mean_down: float
    out_of_top: int

    @classmethod
    def between(cls, before: Int64s, after: Int64s) -> "Movement":
        """Compare ranks (n,) of hypotheses before and after."""
        up, down = after < before, after > before
        return cls(
            int(up.sum()),
            _mean((before - after)[up]),
            int((up & (before > TOP) & (after <= TOP)).sum()),
            int(down.sum()),
            _mean((after - before)[down]),
            int((down & (before <= TOP) & (after > TOP)).sum()),
        )


def _mean(moves: Int64s) -> float:
    return float(moves.mean()) if len(moves) else 0.0
