"""Gains of single segments from a baseline to a system."""

from typing_extensions import TypedDict

__all__ = ["SegmentGain"]


class SegmentGain(TypedDict):
    """A segment, counted from 1, with both scores; `gain` is negative if the system is worse."""

    segment: int
    gain: float
    baseline_score: float
    system_score: float
