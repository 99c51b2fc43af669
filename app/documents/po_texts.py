"""Other translations in an entry of a PO catalogue, and its flag that says that it wants a look."""

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Final

from app.documents.po_entries import CHARACTERS, ESCAPE, LINE
from app.documents.retexting import Letters, add_spelled, changes
from app.documents.xml.markup import Edit

__all__ = ["form_edits", "unfuzzy"]

WRITTEN: Final = str.maketrans({"\\": "\\\\", '"': '\\"'})
FUZZY: Final = "fuzzy"


def form_edits(text: str, begin: int, texts: Mapping[int | None, str]) -> dict[int | None, list[Edit]]:
    """What puts other texts in place of translations of the entry that begins here, by plural form, without those that cannot be.

    Lines that are not touched stay as they are, escapes at the ends too. However many forms are told, the entry is read once.
    """
    edits: dict[int | None, list[Edit]] = {}
    for form, letters in _letters(text, begin, texts.keys()).items():
        made = changes(letters, texts[form])
        if made is not None:
            edits[form] = [Edit(change.start, change.end, change.text.translate(WRITTEN)) for change in made]
    return edits


def _letters(text: str, begin: int, forms: Collection[int | None]) -> dict[int | None, Letters]:
    """The letters of some translations of an entry, each over all of its lines."""
    told: dict[int | None, Letters] = {}
    letters: Letters | None = None
    for match, start in _lines(text, begin):
        keyword, number, _ = match.groups()
        if keyword is not None:
            form = None if number is None else int(number)
            letters = told.setdefault(form, Letters()) if keyword == "msgstr" and form in forms else None
        if letters is not None:
            first, last = start + match.start(3), start + match.end(3)
            add_spelled(letters, text, first, last, ESCAPE, lambda escape: CHARACTERS.get(escape[1], escape[1]))
    return told


def _lines(text: str, begin: int) -> Iterator[tuple["re.Match[str]", int]]:
    """Lines of the texts of the entry that begins here, with the place of each."""
    at, translated = begin, False
    while at < len(text):
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        line = text[at:end]
        match = LINE.fullmatch(line)
        if match is not None:
            # A translation is the last of an entry.
            if translated and match[1] not in (None, "msgstr"):
                return
            translated = translated or match[1] == "msgstr"
            yield match, at
        elif translated and line.lstrip().startswith("#"):
            return
        at = end + 1


def unfuzzy(text: str, begin: int) -> list[Edit]:
    """What takes the flag away from the entry that begins here."""
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
            kept = [flag for flag in flags if flag != FUZZY]
            if not kept:
                edits.append(Edit(at, end + 1, ""))
            elif len(kept) < len(flags):
                edits.append(Edit(at, end, f"#, {', '.join(kept)}" + ("\r" if line.endswith("\r") else "")))
        at = end + 1
    return edits
