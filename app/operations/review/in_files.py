"""Warnings of a string as they count in a file, whose strings wait for translations and have plural forms."""

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from app.checks import SegmentWarning, Severity
from app.operations.review.reviewed import ReviewString

__all__ = ["in_file"]

COPY: Final = "copied-source"
# Warnings that a text in the language of its source has by itself.
OF_COPIES: Final = frozenset({COPY, "untranslated", "wrong-language", "wrong-script", "icu-message", "negation"})
# Plural forms of one number in most languages: "one file" needs no placeholder for its count.
SINGLE: Final = frozenset({"zero", "one", "two", "=0", "=1", "=2"})
COUNT: Final = re.compile(r"%(?:\d\$)?l{0,2}[dinu]|[%:${]{0,2}(?:n|num|number|count|total)\}{0,2}")
TEXT: Final = re.compile(r"%(?:\d\$)?[s@]")
WORD: Final = re.compile(r"[^\W\d_]{2,}")
WORD_LIMIT: Final = 20


def in_file(string: ReviewString, warnings: Iterable[SegmentWarning]) -> list[SegmentWarning]:
    """The warnings of a string, without those that a file explains."""
    warnings = [_of_form(string, warning) for warning in warnings if not _is_number_in_words(string, warning)]
    codes = {warning.code for warning in warnings}
    is_equal = string.source.strip().casefold() == string.translation.strip().casefold()
    if COPY not in codes and not (is_equal and codes & OF_COPIES):
        return warnings
    # A copy waits for its translation, and breaks nothing.
    further_warnings = [warning for warning in warnings if warning.code not in OF_COPIES]
    copies = [warning for warning in warnings if warning.code == "untranslated"]
    if copies:
        return [*further_warnings, *copies]
    words = tuple(WORD.findall(string.translation))[:WORD_LIMIT]
    severity: Severity = "warning" if len(words) > 1 else "info"
    copy = SegmentWarning("untranslated", (), words, severity=severity)
    return [*further_warnings, *([copy] if words else [])]


def _of_form(string: ReviewString, warning: SegmentWarning) -> SegmentWarning:
    """The warning; no error about one text that the form of one number lacks, since the number may be written as a text."""
    return replace(warning, severity="warning") if _lacks(string, warning, TEXT) else warning


def _is_number_in_words(string: ReviewString, warning: SegmentWarning) -> bool:
    """Return True for a plural form that names its number in place of the placeholder."""
    return _lacks(string, warning, COUNT)


def _lacks(string: ReviewString, warning: SegmentWarning, pattern: re.Pattern[str]) -> bool:
    """Return True for a form of one number that lacks a single placeholder of a pattern."""
    is_single = (string.is_single or string.plural in SINGLE) and warning.code == "placeholders" and not warning.translation
    return is_single and len(warning.source) == 1 and pattern.fullmatch(warning.source[0].replace(" ", "")) is not None
