"""Small checks of their own beside the score: numbers, names, negation, untranslated text; and a guard before any model.

A style edit changes many characters and a wrong number one; a score of effort cannot say which. Each check is a rule that names
the words it is about.
"""

from app.features.warnings.checks import segment_warnings
from app.features.warnings.declarations import GROUPS, GUARD, WARNINGS, SegmentWarning
from app.features.warnings.guard import left_by_programs

__all__ = ["GROUPS", "GUARD", "WARNINGS", "SegmentWarning", "left_by_programs", "segment_warnings"]
