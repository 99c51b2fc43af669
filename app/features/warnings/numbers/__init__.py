"""Numbers of one side of a segment: written with digits, spelled, or converted."""

from app.features.warnings.numbers.matching import UnmatchedNumbers, unmatched_numbers

__all__ = ["UnmatchedNumbers", "unmatched_numbers"]
