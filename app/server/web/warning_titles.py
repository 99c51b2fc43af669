"""Titles of warnings on pages."""

from collections.abc import Mapping
from typing import Final

from app.server.web.texts import Texts

__all__ = ["TITLES", "warning_title"]

# English titles by code; `static/segment.js` repeats them for scripts.
TITLES: Final[Mapping[str, str]] = {
    "numbers": "numbers",
    "names": "names",
    "negation": "negation",
    "untranslated": "untranslated",
    "unrelated": "unrelated text",
    "length": "length",
    "terminology": "terminology",
    "placeholders": "placeholders",
    "icu-message": "ICU message",
    "tags": "tags",
    "links": "addresses",
    "code": "code",
    "escapes": "escapes",
    "accelerators": "accelerator",
    "mojibake": "wrong encoding",
    "spaces": "blanks",
    "punctuation": "punctuation at the end",
    "empty-source": "no source",
    "empty-translation": "no translation",
    "copied-source": "copied from the source",
    "wrong-language": "wrong language",
    "wrong-source-language": "source in another language",
    "wrong-script": "wrong script",
    "repeated-loop": "repeated words",
    "system-residue": "software leftovers",
}


def warning_title(code: str, t: Texts) -> str:
    """Title of a warning in the reader's language; an unknown code, from another version, stays."""
    text = TITLES.get(code, code)
    return t(text)
