"""Warnings and their codes."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

__all__ = ["GROUPS", "GUARD", "WARNINGS", "SegmentWarning"]

# Warnings that invalidate a score, found from the two texts and their languages alone.
GUARD: Final[Mapping[str, str]] = {
    "empty-source": "there is a translation of nothing",
    "empty-translation": "there is no translation, or none with a word in it where the source has words",
    "copied-source": "the translation is the source, or all but",
    "wrong-language": "the translation is clearly in another language than the one asked for",
    "wrong-source-language": "the source is clearly in another language than the one named",
    "wrong-script": "most letters of the translation are of a script that its language is not written in",
    "repeated-loop": "the translation repeats the same words again and again, and the source does not",
    "system-residue": "the translation has signs or phrases that a program left: <unk>, ▁, @@, &quot;, |||, a chat's answer",
}
WARNINGS: Final[Mapping[str, str]] = {
    "numbers": "a number of one side is not on the other",
    "names": "a name of the source has no counterpart in the translation",
    "negation": "only one side has a negation",
    "untranslated": "words of the source stand in the translation as they are",
    **GUARD,
}
# Names for several codes, for choices of codes.
GROUPS: Final[Mapping[str, tuple[str, ...]]] = {
    "any": tuple(WARNINGS),
    "empty": ("empty-source", "empty-translation"),
    "guard": tuple(GUARD),
}


@dataclass(frozen=True)
class SegmentWarning:
    """A failed check with its words of the source and of the translation.

    `looks_like` is the apparent language of a text in a wrong language.
    """

    code: str
    source: tuple[str, ...] = ()
    translation: tuple[str, ...] = ()
    looks_like: str | None = None
