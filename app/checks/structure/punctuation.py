"""The sign at the end of a text."""

from collections.abc import Mapping
from typing import Final

from app.checks.structure.check import Finding, Texts
from app.checks.structure.marks import Mark
from app.text.languages import base_language

__all__ = ["Punctuation"]

# Signs of all scripts by their kind.
KINDS: Final[Mapping[str, str]] = {
    sign: kind
    for kind, signs in {".": ".。．।॥։።፡။។۔᙮⳹", "?": "?？؟⁇՞፧", "!": "!！՜", ":": ":：፦", "…": "…⋯"}.items()
    for sign in signs
}
# Brackets and quotation marks may follow the sign, and a soft mark of direction.
CLOSING: Final = "\"'\u2019\u201d\u201c»«›‹)]}）】」』 \u00a0\u200e\u200f\t\r\n"
# Thai, Lao and Khmer end sentences with blanks; Armenian sets some signs within words.
WITHOUT_STOPS: Final = frozenset({"th", "lo", "km", "bo", "dz", "hy", "my"})
QUESTION_MARKS: Final = {"el": ";\u037e"}


class Punctuation:
    """The kinds of signs at both ends differ: full stop, question mark, exclamation mark, colon, ellipsis, or none."""

    code = "punctuation"
    meaning = "the text ends with another sign than its source"

    def find(self, texts: Texts) -> Finding | None:
        """The signs at both ends. O(length)."""
        languages = base_language(texts.pair.source), base_language(texts.pair.target)
        if not WITHOUT_STOPS.isdisjoint(languages):
            return None
        sides = [_end(text, language) for text, language in zip((texts.source, texts.translation), languages, strict=True)]
        if sides[0][0] == sides[1][0]:
            return None
        return Finding(sides[0][1], sides[1][1], "info")


def _end(text: str, language: str) -> tuple[str, list[Mark]]:
    """The kind of the sign at the end, empty without one, and its mark."""
    end = len(text.rstrip(CLOSING))
    sign = text[end - 1 : end]
    if sign in QUESTION_MARKS.get(language, " "):
        return "?", [Mark("?", end - 1, end)]
    if text[max(end - 3, 0) : end] == "...":
        return "…", [Mark("…", end - 3, end)]
    kind = KINDS.get(sign, "")
    return kind, [Mark(kind, end - 1, end)] if kind else []
