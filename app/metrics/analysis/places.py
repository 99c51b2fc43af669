"""Places of systems in each segment (Srivastava 2014, §2.5.1)."""

import numpy as np

from app.arrays import Float64s, Int64s

__all__ = ["place_counts"]


def place_counts(scores: Float64s, higher_is_better: bool) -> Int64s:
    """Number of segments in which each system has place 1, 2, ...; (systems, segments) to (systems, systems).

    The place is one more than the number of better systems, so equally good systems share a place.
    """
    systems = len(scores)
    gains = scores if higher_is_better else -scores
    places = np.array([(gains > gains[system]).sum(0) for system in range(systems)], np.int64).reshape(systems, -1)
    return np.array([np.bincount(row, minlength=systems) for row in places], np.int64)
