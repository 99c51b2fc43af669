"""Count of immediate repetitions in a text, in compiled code."""

import numba

from app.arrays import UInt32s

__all__ = ["most_repeats"]


@numba.njit(cache=True)  # type: ignore[untyped-decorator]
def most_repeats(text: UInt32s, shortest: int, longest: int) -> int:
    """Highest number of immediate repetitions of any span of `shortest` to `longest` characters.

    Cost grows with the length of the text times `longest`.
    """
    highest = 0
    for period in range(shortest, min(longest, len(text) // 2) + 1):
        run = 0
        for place in range(period, len(text)):
            run = run + 1 if text[place] == text[place - period] else 0
            highest = max(highest, run // period)
    return highest
