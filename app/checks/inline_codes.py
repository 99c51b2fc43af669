"""Inline codes that stand beside the text of a segment, as in XLIFF."""

from collections.abc import Sequence
from itertools import islice
from typing import Final

from app.checks.declarations import SegmentWarning

__all__ = ["changed_codes"]

WORD_LIMIT: Final = 20


def changed_codes(source: Sequence[str], translation: Sequence[str]) -> SegmentWarning | None:
    """The warning `tags` about codes that one side lacks; their order and number may change. None without such codes. O(codes)."""
    # Plural forms repeat codes, and languages differ in the number of forms.
    of_source, of_translation = dict.fromkeys(source), dict.fromkeys(translation)
    missing = [code for code in of_source if code not in of_translation]
    extra = [code for code in of_translation if code not in of_source]
    if not missing and not extra:
        return None
    return SegmentWarning("tags", tuple(islice(missing, WORD_LIMIT)), tuple(islice(extra, WORD_LIMIT)), severity="error")
