"""Other translations in an entry of a PO catalogue, and its flag that says that it wants a look."""

import re
from collections.abc import Iterator
from typing import Final

from app.documents.po_entries import CHARACTERS, ESCAPE, LINE
from app.documents.retexting import Letter, changes, collapsed, spelled
from app.documents.xml.markup import Edit

__all__ = ["form_edits", "unfuzzy"]

WRITTEN: Final = str.maketrans({"\\": "\\\\", '"': '\\"'})
FUZZY: Final = "fuzzy"


def form_edits(text: str, begin: int, form: int | None, new: str) -> list[Edit] | None:
    """What puts another text in place of a translation of the entry that begins here, or of one of its plural forms.

    Lines that are not touched stay as they are, escapes at the ends too. None where it cannot be put there.
    """
    made = changes(collapsed(_letters(text, begin, form)), new)
    return None if made is None else [Edit(change.start, change.end, change.text.translate(WRITTEN)) for change in made]


def _letters(text: str, begin: int, form: int | None) -> Iterator[Letter]:
    """The letters of a translation over all of its lines."""
    inside = False
    for match, start in _lines(text, begin):
        keyword, number, _ = match.groups()
        if inside and keyword is not None:
            return
        inside = inside or (keyword == "msgstr" and (None if number is None else int(number)) == form)
        if inside:
            first, last = start + match.start(3), start + match.end(3)
            yield from spelled(text, first, last, ESCAPE, lambda escape: CHARACTERS.get(escape[1], escape[1]))


def _lines(text: str, begin: int) -> Iterator[tuple["re.Match[str]", int]]:
    """Lines of texts from an entry's begin on, with the place of each; those of other entries follow."""
    at, started = begin, False
    while at < len(text):
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        match = LINE.fullmatch(text[at:end])
        if match is not None:
            started = True
            yield match, at
        elif started and text[at:end].lstrip().startswith("#"):
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
