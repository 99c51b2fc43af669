r"""Escapes of programs that stand in a text as letters: ``\n``, ``\t``, ``&nbsp;``, ``&#160;``."""

import re
from typing import Final

from app.checks.structure.check import Finding, Texts
from app.checks.structure.marks import Mark, unmatched_marks
from app.text.languages import LanguagePair

__all__ = ["Escapes"]

BACKSLASH: Final = re.compile(r"(?<!\\)\\[ntr](?![a-z])")
# Escapes that a translator has broken: a blank inside, another letter, or no semicolon.
BROKEN_BACKSLASH: Final = re.compile(r"\\ [ntr](?![a-z])")
BROKEN_NUMBER: Final = re.compile(r"(?<!\\)\\u(?=\d)[0-9a-fA-F]{2,3}(?![0-9a-fA-F])\w?")
NAMES: Final = (
    r"(?:nbsp|amp|lt|gt|quot|apos|shy|hellip|ndash|mdash|copy|reg|laquo|raquo|ldquo|rdquo|lsquo|rsquo|#\d{1,7}|#x[0-9a-fA-F]{1,6})"
)
ENTITY: Final = re.compile(rf"&{NAMES};")
BROKEN_ENTITY: Final = re.compile(
    rf"& {NAMES} ?;|&{NAMES}(?: ;|(?![;\w]))"
    r"|&(?:n bsp|nb sp|nbs p|a mp|am p|q uot|qu ot|quo t|c opy|co py|cop y|l t|g t);|&(?:nbspp|ampp|quott|copyy|ltt|gtt);"
)


class Escapes:
    r"""Escapes of the source that are broken in the translation, or a missing or added ``\n``, ``\t`` or ``\r``.

    A translation may replace entities by their characters.
    """

    code = "escapes"
    meaning = r"an escape such as \n or &nbsp; is broken, missing or added"
    signs = frozenset("\\&")

    def marks(self, text: str, pair: LanguagePair) -> list[Mark]:
        """Escapes in order. O(length)."""
        return [*_marks(BACKSLASH, text, "\\"), *_marks(ENTITY, text, "&")]

    def find(self, texts: Texts, source_marks: list[Mark], marks: list[Mark]) -> Finding | None:
        """Broken escapes, or else those without a counterpart. O(length)."""
        broken = [*_broken(BROKEN_BACKSLASH, BACKSLASH, texts, "\\"), *_broken(BROKEN_ENTITY, ENTITY, texts, "&")]
        # A number that breaks off is none in any text.
        numbers = _marks(BROKEN_NUMBER, texts.translation, "\\u")
        broken += numbers if not _marks(BROKEN_NUMBER, texts.source, "\\u") else []
        if broken:
            return Finding([], broken)
        sides = _marks(BACKSLASH, texts.source, "\\"), _marks(BACKSLASH, texts.translation, "\\")
        missing, extra = unmatched_marks(*sides), unmatched_marks(*sides[::-1])
        return Finding(missing, extra, "warning") if missing or extra else None


def _marks(pattern: "re.Pattern[str]", text: str, sign: str) -> list[Mark]:
    if sign not in text:
        return []
    return [Mark(match[0], match.start(), match.end()) for match in pattern.finditer(text)]


def _broken(pattern: "re.Pattern[str]", correct: "re.Pattern[str]", texts: Texts, sign: str) -> list[Mark]:
    """Broken escapes of the translation, if the source has correct ones and none of these."""
    if not _marks(correct, texts.source, sign) or _marks(pattern, texts.source, sign):
        return []
    return _marks(pattern, texts.translation, sign)
