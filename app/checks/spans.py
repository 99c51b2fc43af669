"""Places of the words of warnings in their texts."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from app.checks.declarations import SegmentWarning, Span

__all__ = ["with_spans"]


def with_spans(warnings: Iterable[SegmentWarning], source: str, translation: str) -> list[SegmentWarning]:
    """Warnings with the places of their words. O(length × words of a warning)."""
    return [_with_spans(warning, source, translation) for warning in warnings]


def _with_spans(warning: SegmentWarning, source: str, translation: str) -> SegmentWarning:
    if warning.source_spans or warning.translation_spans or not (warning.source or warning.translation):
        return warning
    return replace(warning, source_spans=_spans(source, warning.source), translation_spans=_spans(translation, warning.translation))


def _spans(text: str, words: Sequence[str]) -> tuple[Span, ...]:
    """Places of words that stand in the text in this form, each behind the place of the word before it if it can."""
    spans: list[Span] = []
    end = 0
    for word in words:
        start = text.find(word, end)
        start = text.find(word) if start < 0 else start
        if word and start >= 0:
            end = start + len(word)
            spans.append((start, end))
    return tuple(sorted(set(spans)))
