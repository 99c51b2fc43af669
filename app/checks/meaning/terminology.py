"""Terms of a glossary that a translation lacks, and forbidden ones that it has."""

from collections.abc import Iterable
from itertools import islice
from typing import Final

from app.checks.declarations import SegmentWarning, Span
from app.resources.terminology import Terminology

__all__ = ["broken_terms"]

WORD_LIMIT: Final = 20


def broken_terms(terminology: Terminology, source: str, translation: str) -> SegmentWarning | None:
    """The warning about terms of a source, an error if the translation has forbidden ones; None without either. O(length)."""
    uses = [use for use in terminology.uses(source, translation) if use.is_missing or use.forbidden]
    if not uses:
        return None
    source_spans = _first(span for use in uses for span in use.source)
    forbidden_spans = _first(span for use in uses for span in use.forbidden)
    expected = dict.fromkeys(text for use in uses for text in use.expected)
    return SegmentWarning(
        "terminology",
        _words(source, source_spans),
        _words(translation, forbidden_spans),
        severity="error" if forbidden_spans else "warning",
        source_spans=source_spans,
        translation_spans=forbidden_spans,
        expected=tuple(islice(expected, WORD_LIMIT)),
    )


def _first(spans: Iterable[Span]) -> tuple[Span, ...]:
    """Distinct places in order, up to the limit."""
    return tuple(sorted(set(spans))[:WORD_LIMIT])


def _words(text: str, spans: tuple[Span, ...]) -> tuple[str, ...]:
    """The words at places, each once."""
    return tuple(dict.fromkeys(text[start:end] for start, end in spans))
