"""Checks beside the score: numbers, names, negation, untranslated text; and a guard before any model.

A style edit changes many characters, a wrong number only one; a score of effort cannot tell them apart. Each check is a rule that
names its words.
"""

from app.checks.declarations import GROUPS, GUARD, UNUSABLE, WARNINGS, SegmentWarning, Span
from app.checks.guard import left_by_programs
from app.checks.segments import segment_warnings
from app.checks.severities import SEVERITIES, Severity

__all__ = [
    "GROUPS",
    "GUARD",
    "SEVERITIES",
    "UNUSABLE",
    "WARNINGS",
    "SegmentWarning",
    "Severity",
    "Span",
    "left_by_programs",
    "segment_warnings",
]
