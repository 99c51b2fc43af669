"""Numbers of one side of a segment: written with digits, spelled, or converted."""

from app.checks.meaning.numbers.comparison import unmatched_numbers
from app.checks.meaning.numbers.digits import UnmatchedNumbers

__all__ = ["UnmatchedNumbers", "unmatched_numbers"]
