"""What a warning is, and the codes there are."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

__all__ = ["GROUPS", "GUARD", "WARNINGS", "SegmentWarning"]

# What no score should be believed of; it is told from the two texts and their languages alone.
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
# Several codes by one name, where codes are chosen.
GROUPS: Final[Mapping[str, tuple[str, ...]]] = {
    "any": tuple(WARNINGS),
    "empty": ("empty-source", "empty-translation"),
    "guard": tuple(GUARD),
}


@dataclass(frozen=True)
class SegmentWarning:
    """One check that did not pass, and the words it is about: of the source, then of the translation.

    `looks_like` is the language that a text in a wrong one looks like.
    """

    code: str
    source: tuple[str, ...] = ()
    translation: tuple[str, ...] = ()
    looks_like: str | None = None
