"""What pages call the checks that a segment did not pass."""

from collections.abc import Mapping
from typing import Final

from app.server.web.texts import Texts

__all__ = ["TITLES", "warning_title"]

# In English, by code; scripts have the same in `static/segment.js`.
TITLES: Final[Mapping[str, str]] = {
    "numbers": "numbers",
    "names": "names",
    "negation": "negation",
    "untranslated": "untranslated",
    "empty-source": "no source",
    "empty-translation": "no translation",
    "copied-source": "the source, copied",
    "wrong-language": "not the target language",
    "wrong-source-language": "not the source language",
    "wrong-script": "not the target script",
    "repeated-loop": "said again and again",
    "system-residue": "left by a program",
}


def warning_title(code: str, t: Texts) -> str:
    """A check's name in the reader's language; a code that is not known here, of another version, as it is."""
    text = TITLES.get(code, code)
    return t(text)
