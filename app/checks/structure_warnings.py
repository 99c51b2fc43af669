"""Warnings of structure, and the words that other checks see."""

import re
from dataclasses import dataclass
from itertools import islice
from typing import Final

from app.checks.declarations import SegmentWarning, Span
from app.checks.structure import OF_SIGNS, OF_TEXTS, Mark, Texts, without_marks
from app.text.languages import LanguagePair

__all__ = ["WORD", "CheckedStructure", "checked_structure"]

# A text without any of these has no marks.
SIGNS: Final = re.compile(r"[%{}$<`@&_\\]|://|www\.|:[a-z]|\*\*|\]\(", re.IGNORECASE)
WORD_LIMIT: Final = 20
WORD: Final = re.compile(r"\w+")


@dataclass(frozen=True)
class CheckedStructure:
    """Warnings of structure; both texts with blanks in the place of their marks; and the words within marks."""

    warnings: tuple[SegmentWarning, ...]
    source: str
    translation: str
    words: frozenset[str] = frozenset()


def checked_structure(source: str, translation: str, pair: LanguagePair) -> CheckedStructure:
    """Compare the structure of two texts that are not blank. O(length)."""
    texts, sides = Texts(source, translation, pair), (source, translation)
    has_marks = any(SIGNS.search(text) for text in sides)
    warnings = []
    for check in (*OF_SIGNS, *OF_TEXTS) if has_marks else OF_TEXTS:
        finding = check.find(texts)
        if finding is not None:
            words = _words(source, finding.source), _words(translation, finding.translation)
            spans = _spans(finding.source), _spans(finding.translation)
            warnings.append(SegmentWarning(check.code, *words, None, finding.severity, *spans))
    if not has_marks:
        return CheckedStructure(tuple(warnings), source, translation)
    source_marks, marks = ([mark for check in OF_SIGNS for mark in check.marks(text, pair)] for text in sides)
    return CheckedStructure(
        tuple(warnings),
        without_marks(source, source_marks),
        without_marks(translation, marks),
        _within(source, source_marks) | _within(translation, marks),
    )


def _within(text: str, marks: list[Mark]) -> frozenset[str]:
    """The words within marks."""
    return frozenset(word for mark in marks for word in WORD.findall(text[mark.start : mark.end]))


def _spans(marks: list[Mark]) -> tuple[Span, ...]:
    """Places of marks in their order."""
    return tuple(islice(sorted((mark.start, mark.end) for mark in marks), WORD_LIMIT))


def _words(text: str, marks: list[Mark]) -> tuple[str, ...]:
    """The texts of marks, each once, in their order."""
    words = (mark.word(text) for mark in sorted(marks, key=lambda mark: mark.start))
    return tuple(islice(dict.fromkeys(words), WORD_LIMIT))
