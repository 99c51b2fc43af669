"""Edits of an entry in a PO catalogue: new translations, and removal of its fuzzy flag."""

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Final

from app.documents.po_entries import CHARACTERS, ESCAPE, LINE
from app.documents.retexting import Edit, PlacedLetters, add_spelled, edits_of

__all__ = ["form_edits", "fuzzy_edits"]

ESCAPES: Final = str.maketrans({"\\": "\\\\", '"': '\\"'})
FUZZY: Final = "fuzzy"


def form_edits(text: str, begin: int, texts: Mapping[int | None, str]) -> dict[int | None, list[Edit]]:
    """Edits that give new translations to the entry at `begin`, by plural form; impossible forms are left out.

    Unaffected lines and escapes stay unchanged. The entry is read once for all forms.
    """
    edits: dict[int | None, list[Edit]] = {}
    for form, letters in _letters(text, begin, texts.keys()).items():
        letter_edits = edits_of(letters, texts[form], lambda text: text.translate(ESCAPES))
        if letter_edits is not None:
            edits[form] = letter_edits
    return edits


def _letters(text: str, begin: int, forms: Collection[int | None]) -> dict[int | None, PlacedLetters]:
    """Letters of these forms of an entry, across all their lines."""
    letters_by_form: dict[int | None, PlacedLetters] = {}
    letters: PlacedLetters | None = None
    for match, start in _lines(text, begin):
        keyword, number, _ = match.groups()
        if keyword is not None:
            form = None if number is None else int(number)
            letters = letters_by_form.setdefault(form, PlacedLetters()) if keyword == "msgstr" and form in forms else None
        if letters is not None:
            first, last = start + match.start(3), start + match.end(3)
            add_spelled(letters, text, first, last, ESCAPE, lambda escape: CHARACTERS.get(escape[1], escape[1]))
    return letters_by_form


def _lines(text: str, begin: int) -> Iterator[tuple["re.Match[str]", int]]:
    """Yield matches of the text lines of the entry at `begin`, with their positions."""
    at = begin
    in_translation = False
    while at < len(text):
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        line = text[at:end]
        match = LINE.fullmatch(line)
        if match is not None:
            # Translations end an entry.
            if in_translation and match[1] not in (None, "msgstr"):
                return
            in_translation = in_translation or match[1] == "msgstr"
            yield match, at
        elif in_translation and line.lstrip().startswith("#"):
            return
        at = end + 1


def fuzzy_edits(text: str, begin: int) -> list[Edit]:
    """Edits that remove the fuzzy flag from the entry at `begin`."""
    edits: list[Edit] = []
    at = begin
    while at < len(text):
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        line = text[at:end]
        if line.strip() and not line.startswith("#"):
            break
        if line.startswith("#,"):
            flags = [flag.strip() for flag in line[2:].split(",")]
            remainder = [flag for flag in flags if flag != FUZZY]
            if not remainder:
                edits.append(Edit(at, end + 1, ""))
            elif len(remainder) < len(flags):
                edits.append(Edit(at, end, f"#, {', '.join(remainder)}" + ("\r" if line.endswith("\r") else "")))
        at = end + 1
    return edits
