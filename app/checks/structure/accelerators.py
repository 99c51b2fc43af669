"""Accelerators: the letter of a menu or a button that a key chooses, as in ``&File`` (Qt, Windows) and ``_File`` (GTK)."""

import re
from typing import Final

from app.checks.structure.check import Finding, Texts
from app.checks.structure.marks import Mark
from app.text.languages import LanguagePair

__all__ = ["Accelerators"]

# Labels of menus and buttons are short.
LONGEST: Final = 80
# Neither && nor an entity; R&D and AT&T have capitals on both sides, and are no accelerators.
AMPERSAND: Final = re.compile(r"(?<!&)(?<![^\W_])&(?=\w)(?!#?\w{1,30};)|(?<=[^\W\d_])&(?=[^\W\d_])(?!\w{1,30};)")
COMPANY: Final = re.compile(r"[A-Z\d]&[A-Z\d]")
UNDERSCORE: Final = re.compile(r"(?<![\w_])_(?=[^\W_])|(?<=[^\W\d_])_(?=[^\W\d_])")


class Accelerators:
    """A short text whose only accelerator is lost, or that has several in the translation."""

    code = "accelerators"
    meaning = "the accelerator of a label is missing, or there are several"
    signs = frozenset("&_")

    def marks(self, text: str, pair: LanguagePair) -> list[Mark]:
        """None: the letter belongs to its word."""
        return []

    def find(self, texts: Texts, source_marks: list[Mark], marks: list[Mark]) -> Finding | None:
        """The accelerator of the source, with those of the translation. O(length)."""
        if len(texts.source) > LONGEST:
            return None
        for sign, pattern in (("&", AMPERSAND), ("_", UNDERSCORE)):
            places = _places(pattern, texts.source, sign)
            if len(places) != 1 or (sign == "_" and not _begins_word(texts.source, places[0])):
                continue
            target_places = _places(pattern, texts.translation, sign)
            if len(target_places) != 1:
                return Finding(places, target_places, "warning")
        return None


def _places(pattern: "re.Pattern[str]", text: str, sign: str) -> list[Mark]:
    if sign not in text:
        return []
    matches = (match for match in pattern.finditer(text) if COMPANY.match(text, max(match.start() - 1, 0)) is None)
    return [Mark(sign, match.start(), match.end() + 1) for match in matches]


def _begins_word(text: str, mark: Mark) -> bool:
    """Return True for an underscore before a word: those within words are names of variables."""
    return mark.start == 0 or not text[mark.start - 1].isalnum()
