"""Warnings of structure, and the words that other checks see."""

import re
from dataclasses import dataclass
from itertools import islice
from typing import Final

from app.checks.declarations import SegmentWarning, Span
from app.checks.structure import OF_SIGNS, OF_TEXTS, Finding, Mark, Texts, without_marks
from app.text.languages import LanguagePair

__all__ = ["WORD", "CheckedStructure", "checked_structure", "signs_of"]

# Signs of checks. A text without any has no marks.
SIGNS: Final = ("%", "{", "$", "<", "`", "@", "&", "_", "\\", "**", "](", "://")
# A sign beside others alone.
FURTHER_SIGN: Final = "="
# Colons before names, and the beginnings of sites in any case.
COLON: Final = re.compile(r":[a-z]", re.IGNORECASE)
SITE: Final = re.compile(r"www\.", re.IGNORECASE)
ENDS_OF_SITE: Final = ("ww.", "WW.", "wW.", "Ww.")
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
    texts, signs = Texts(source, translation, pair), signs_of(source, translation)
    warnings = []
    source_marks: list[Mark] = []
    target_marks: list[Mark] = []
    for check in OF_SIGNS if signs else ():
        if not signs.isdisjoint(check.signs):
            sides = check.marks(source, pair), check.marks(translation, pair)
            warnings += _warnings(texts, check.code, check.find(texts, *sides))
            source_marks += sides[0]
            target_marks += sides[1]
    for text_check in OF_TEXTS:
        warnings += _warnings(texts, text_check.code, text_check.find(texts))
    if not source_marks and not target_marks:
        return CheckedStructure(tuple(warnings), source, translation)
    return CheckedStructure(
        tuple(warnings),
        without_marks(source, source_marks),
        without_marks(translation, target_marks),
        _within(source, source_marks) | _within(translation, target_marks),
    )


def signs_of(source: str, translation: str) -> set[str]:
    """The signs of two texts, which say at one look that most checks have nothing to do. O(length)."""
    text = f"{source}\n{translation}"
    signs = {sign for sign in SIGNS if sign in text}
    if ":" in text and COLON.search(text) is not None:
        signs.add(":")
    if any(end in text for end in ENDS_OF_SITE) and SITE.search(text) is not None:
        signs.add("www.")
    if signs and FURTHER_SIGN in text:
        signs.add(FURTHER_SIGN)
    return signs


def _warnings(texts: Texts, code: str, finding: Finding | None) -> list[SegmentWarning]:
    """The warning of a finding."""
    if finding is None:
        return []
    words = _words(texts.source, finding.source), _words(texts.translation, finding.translation)
    spans = _spans(finding.source), _spans(finding.translation)
    return [SegmentWarning(code, *words, None, finding.severity, *spans)]


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
