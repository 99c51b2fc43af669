"""Warnings and their codes."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from app.checks.severities import Severity
from app.checks.structure import STRUCTURE

__all__ = ["GROUPS", "GUARD", "UNUSABLE", "WARNINGS", "SegmentWarning", "Span"]

# Warnings that invalidate a score, found from the two texts and their languages alone.
GUARD: Final[Mapping[str, str]] = {
    "empty-source": "the source is empty, but there is a translation",
    "empty-translation": "the translation is empty or has no words",
    "copied-source": "the translation copies the source",
    "wrong-language": "the translation is clearly not in the target language",
    "wrong-source-language": "the source is clearly not in the source language",
    "wrong-script": "the translation is written in the wrong script for its language",
    "repeated-loop": "the translation repeats words many times; the source does not",
    "system-residue": "the translation contains leftovers of software: <unk>, ▁, @@, &quot;, |||, a chatbot's answer",
}
WARNINGS: Final[Mapping[str, str]] = {
    "numbers": "a number appears on one side only",
    "names": "a name in the source is missing in the translation",
    "negation": "only one side has a negation",
    "untranslated": "source words stand untranslated in the translation",
    "unrelated": "the translation seems to be of another text",
    "length": "the translation is far shorter or longer than usual for its source",
    "terminology": "a term of the glossary is missing, or a forbidden one stands in the translation",
    **STRUCTURE,
    **GUARD,
}
# Codes of translations without anything to keep.
UNUSABLE: Final = frozenset({"empty-translation", "copied-source", "wrong-language", "wrong-script", "repeated-loop"})
# Characters `[start, end)` of a text.
Span = tuple[int, int]
# Codes of matters of style alone.
STYLE: Final = ("spaces", "punctuation")
# Names for several codes, for choices of codes.
GROUPS: Final[Mapping[str, tuple[str, ...]]] = {
    "any": tuple(code for code in WARNINGS if code not in STYLE),
    "empty": ("empty-source", "empty-translation"),
    "guard": tuple(GUARD),
    "structure": tuple(code for code in STRUCTURE if code not in STYLE),
    "style": STYLE,
}


@dataclass(frozen=True)
class SegmentWarning:
    """A failed check with its words of the source and of the translation.

    `looks_like` is the apparent language of a text in a wrong language, `expected` are translations of a glossary. Spans are the
    places of the words, `[start, end)` in characters.
    """

    code: str
    source: tuple[str, ...] = ()
    translation: tuple[str, ...] = ()
    looks_like: str | None = None
    severity: Severity = "warning"
    source_spans: tuple[Span, ...] = ()
    translation_spans: tuple[Span, ...] = ()
    expected: tuple[str, ...] = ()
