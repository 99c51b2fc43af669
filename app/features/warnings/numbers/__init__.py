"""Numbers of one side of a segment: written with digits, spelled, or converted."""

from app.features.warnings.numbers.comparison import unmatched_numbers
from app.features.warnings.numbers.digits import UnmatchedNumbers

__all__ = ["UnmatchedNumbers", "unmatched_numbers"]
