"""Mojibake: letters of UTF-8 that a program read as another encoding."""

import re
from typing import Final

from app.checks.scripts import SCRIPTS_OF
from app.checks.structure.check import Finding, Texts
from app.checks.structure.marks import Mark
from app.text.languages import base_language

__all__ = ["Mojibake"]

# Characters of Windows-1252 for the bytes 0x80 to 0xBF, without the no-break space: it follows words in print.
TRAIL: Final = "".join(
    character for byte in range(0x80, 0xC0) if (character := bytes([byte]).decode("cp1252", "ignore") or chr(byte)) != "\u00a0"
)
LEADS: Final = re.compile("[\u00c0-\u00ff]")
# Two bytes of Western letters, three bytes of signs, or two letters in a row of other scripts.
PATTERN: Final = re.compile(
    rf"[\u00c2\u00c3][{TRAIL}](?![\w])|\u00c3[\u00a1\u00a3-\u00aa\u00ae\u00b1-\u00b6\u00b9\u00bc\u00bd\u0178\u0153\u2013\u201e]"
    rf"|\u00e2[\u20ac\u201a\u201e\u2020\u2021\u02c6\u2030\u0153\u017e][{TRAIL}]|(?:[\u00c4-\u00df][{TRAIL}]){{3,200}}|(?:[\u00e0-\u00ef][{TRAIL}]{{2}}){{2,200}}"
)
# Cyrillic letters of Windows-1251 that a program read as Windows-1252.
CYRILLIC: Final = re.compile(r"(?<!\w)[\u00c0-\u00ff]{4,100}(?!\w)")


class Mojibake:
    """Letters of the translation in a wrong encoding, unless the source has such too."""

    code = "mojibake"
    meaning = "letters of the translation are in a wrong encoding: Ã© for é"

    def find(self, texts: Texts) -> Finding | None:
        """Stretches of such letters. O(length)."""
        if LEADS.search(texts.translation) is None:
            return None
        is_cyrillic = "CYRILLIC" in SCRIPTS_OF.get(base_language(texts.pair.target), ())
        for pattern in (PATTERN, CYRILLIC) if is_cyrillic else (PATTERN,):
            marks = [Mark(match[0], match.start(), match.end()) for match in pattern.finditer(texts.translation)]
            if marks and pattern.search(texts.source) is None:
                return Finding([], marks)
        return None
