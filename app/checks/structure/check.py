"""A check of structure: from two texts to a finding."""

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from app.checks.severities import Severity
from app.checks.structure.marks import Mark
from app.checks.structure.messages import is_message
from app.text.languages import LanguagePair

__all__ = ["Check", "Finding", "SignCheck", "TextCheck", "Texts"]


@dataclass(frozen=True)
class Texts:
    """A source and its translation, neither blank."""

    source: str
    translation: str
    pair: LanguagePair

    @cached_property
    def are_messages(self) -> bool:
        """True for texts with typed arguments of ICU. Marks may repeat in each branch."""
        return is_message(self.source) or is_message(self.translation)


@dataclass(frozen=True)
class Finding:
    """Marks of each side that break a rule. An error makes a program fail, or show its reader another thing."""

    source: list[Mark]
    translation: list[Mark]
    severity: Severity = "error"


class Check(Protocol):
    """A rule for translations, by its stable code."""

    @property
    def code(self) -> str:
        """The code of its warning."""

    @property
    def meaning(self) -> str:
        """The warning in words."""


class TextCheck(Check, Protocol):
    """A rule for all texts."""

    def find(self, texts: Texts) -> Finding | None:
        """The finding, or None for a translation that keeps the rule. O(length)."""


class SignCheck(Check, Protocol):
    """A rule for texts with one of its `signs`."""

    @property
    def signs(self) -> frozenset[str]:
        """Characters and pieces of texts: two texts without any have neither marks nor findings."""

    def marks(self, text: str, pair: LanguagePair) -> list[Mark]:
        """Stretches of a text that are no words of a language. O(length)."""

    def find(self, texts: Texts, source_marks: list[Mark], marks: list[Mark]) -> Finding | None:
        """The finding, or None for a translation that keeps the rule; `marks` are those of both texts. O(length)."""
