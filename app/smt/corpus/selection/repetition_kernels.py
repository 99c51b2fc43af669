"""Stretches of a text that are repeated at once, in compiled code."""

import numba

from app.arrays import UInt32s

__all__ = ["most_repeats"]


@numba.njit(cache=True)  # type: ignore[untyped-decorator]
def most_repeats(text: UInt32s, shortest: int, longest: int) -> int:
    """How often a stretch of `shortest` to `longest` characters stands again at once behind itself, at most.

    Cost grows with the length of the text times `longest`.
    """
    most = 0
    for period in range(shortest, min(longest, len(text) // 2) + 1):
        run = 0
        for place in range(period, len(text)):
            run = run + 1 if text[place] == text[place - period] else 0
            most = max(most, run // period)
    return most
