"""Small checks of their own beside the score: numbers, names, negation and text that was left untranslated.

A style edit changes many characters and a wrong number one; a score of effort cannot say which. Each check is a rule that names
the words it is about.
"""

from app.features.warnings.checks import WARNINGS, SegmentWarning, segment_warnings

__all__ = ["WARNINGS", "SegmentWarning", "segment_warnings"]
