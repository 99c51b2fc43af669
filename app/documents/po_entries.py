"""What is in a PO catalogue: its entries one after the other, in time that grows with the text and no faster."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from app.documents.text_lines import TextLines
from app.errors import InputError

__all__ = ["CHARACTERS", "ESCAPE", "LINE", "Entry", "entries"]

# A line that is neither blank nor a comment: a keyword, a text in quotes, or both.
LINE: Final = re.compile(r'\s*+(?:(msg[a-z_]++)(?:\[(\d{1,4})\])?\s*+)?(?:"((?:[^"\\]++|\\.)*+)"\s*+)?')
# What names the catalogue that the messages behind it belong to.
DOMAIN: Final = re.compile(r'\s*+domain\s++(?:"[^"]*+"|[\w.-]++)\s*+')
ESCAPE: Final = re.compile(r'\\([\\ntrvbf"])')
CHARACTERS: Final = {"n": "\n", "t": "\t", "r": "\r", "v": "\v", "b": "\b", "f": "\f"}
OBSOLETE: Final = "#~"
TEXTS: Final = ("msgctxt", "msgid", "msgid_plural", "msgstr")


@dataclass
class Entry:
    """One message: the number of its first line (from 1), where that line begins, and its texts.

    A text is kept in the pieces that its lines are: adding each to the last would copy the whole text at every line.
    """

    line: int
    begin: int
    texts: dict[str, list[str]] = field(default_factory=dict)
    forms: dict[int, list[str]] = field(default_factory=dict)

    def text(self, key: str) -> str:
        """A text by its keyword, empty where there is none."""
        return "".join(self.texts.get(key, ()))

    @property
    def translated(self) -> bool:
        """Whether its translation has begun, so that the next keyword or comment is that of another message."""
        return "msgstr" in self.texts or bool(self.forms)


def entries(text: str, name: str) -> Iterator[Entry]:
    """The messages that are not obsolete, the header among them; InputError names the line that is not of a catalogue."""
    lines = TextLines(text)
    entry: Entry | None = None
    # The text that a line in quotes alone goes on with.
    open_text: list[str] | None = None
    for number, line in enumerate(lines, 1):
        start = line.strip()[:2]
        if not start:
            continue
        if start[0] == "#":
            open_text = None
            if entry is not None and entry.translated:
                yield entry
                entry = None
            if start == OBSOLETE:
                # The comments before it were about what is obsolete.
                entry = entry if entry is not None and "msgid" in entry.texts else None
            elif entry is None:
                entry = Entry(number, lines.begin)
            continue
        if DOMAIN.fullmatch(line) and (entry is None or entry.translated):
            if entry is not None:
                yield entry
            entry = open_text = None
            continue
        match = LINE.fullmatch(line)
        if match is None:
            raise _refused(number, name)
        keyword, form, content = match.groups()
        if keyword in ("msgctxt", "msgid") and (entry is None or entry.translated):
            if entry is not None:
                yield entry
            entry = Entry(number, lines.begin)
        if keyword is not None:
            open_text = None if entry is None else _opened(entry, keyword, form)
        if open_text is None:
            raise _refused(number, name)
        if content is not None:
            open_text.append(ESCAPE.sub(lambda escape: CHARACTERS.get(escape[1], escape[1]), content))
    if entry is not None and "msgid" in entry.texts:
        yield entry


def _opened(entry: Entry, keyword: str, form: str | None) -> list[str] | None:
    """The empty text that a keyword opens in an entry; None where it may not stand there."""
    has, new = entry.texts.keys(), list[str]()
    if keyword == "msgstr":
        if "msgid" not in has or "msgstr" in has:
            return None
        if form is None:
            return entry.texts.setdefault(keyword, new) if not entry.forms else None
        return entry.forms.setdefault(int(form), new) if int(form) not in entry.forms else None
    # A context comes before its message, a plural behind it.
    fits = keyword in TEXTS and keyword not in has and not entry.translated and ("msgid" in has) == (keyword == "msgid_plural")
    return entry.texts.setdefault(keyword, new) if fits and form is None else None


def _refused(line: int, name: str) -> InputError:
    detail = f"line {line}, column 1: this is not of a PO catalogue, or its quotes do not match"
    return InputError("invalid-document", detail, (name, line, 1))
