"""Entries of a PO catalogue, read in linear time."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from app.documents.document import Languages, joined, language_of
from app.documents.text_lines import TextLines
from app.errors import InputError

__all__ = ["CHARACTERS", "ESCAPE", "LINE", "PoEntry", "entries", "entry_texts", "header_languages"]

# A line that is neither blank nor a comment: a keyword, a text in quotes, or both.
LINE: Final = re.compile(r'\s*+(?:(msg[a-z_]++)(?:\[(\d{1,4})\])?\s*+)?(?:"((?:[^"\\]++|\\.)*+)"\s*+)?')
# A line that names the domain of the following messages.
DOMAIN: Final = re.compile(r'\s*+domain\s++(?:"[^"]*+"|[\w.-]++)\s*+')
ESCAPE: Final = re.compile(r'\\([\\ntrvbf"])')
CHARACTERS: Final = {"n": "\n", "t": "\t", "r": "\r", "v": "\v", "b": "\b", "f": "\f"}
OBSOLETE: Final = "#~"
FLAGS: Final = "#,"
TEXTS: Final = ("msgctxt", "msgid", "msgid_plural", "msgstr")


@dataclass
class PoEntry:
    """One message: the number of its first line (from 1), the position of that line, its texts and its flags.

    `lines` are the lines of its translation or of its plural forms. A text is a list of its lines, since appending strings would
    copy the text at every line.
    """

    line: int
    begin: int
    texts: dict[str, list[str]] = field(default_factory=dict)
    forms: dict[int, list[str]] = field(default_factory=dict)
    flags: set[str] = field(default_factory=set)
    lines: dict[int | None, int] = field(default_factory=dict)

    def text(self, key: str) -> str:
        """Text of a keyword, empty without one."""
        return "".join(self.texts.get(key, ()))

    @property
    def has_translation(self) -> bool:
        """Return True if the entry has a translation, so that the next keyword or comment begins another message."""
        return "msgstr" in self.texts or bool(self.forms)


def entries(text: str, name: str) -> Iterator[PoEntry]:
    """Yield the messages that are not obsolete, with the header; InputError (`invalid-document`) names a bad line."""
    lines = TextLines(text)
    entry: PoEntry | None = None
    # The text that a bare line in quotes continues.
    open_text: list[str] | None = None
    for number, line in enumerate(lines, 1):
        start = line.strip()[:2]
        if not start:
            continue
        if start[0] == "#":
            open_text = None
            if entry is not None and entry.has_translation:
                yield entry
                entry = None
            if start == OBSOLETE:
                # Comments before an obsolete message belong to it.
                entry = entry if entry is not None and "msgid" in entry.texts else None
            elif entry is None:
                entry = PoEntry(number, lines.begin)
            if start == FLAGS and entry is not None:
                entry.flags.update(flag.strip() for flag in line.strip()[2:].split(","))
            continue
        if DOMAIN.fullmatch(line) and (entry is None or entry.has_translation):
            if entry is not None:
                yield entry
            entry = open_text = None
            continue
        match = LINE.fullmatch(line)
        if match is None:
            raise _refused(number, name)
        keyword, form, content = match.groups()
        if keyword in ("msgctxt", "msgid") and (entry is None or entry.has_translation):
            if entry is not None:
                yield entry
            entry = PoEntry(number, lines.begin)
        if keyword is not None:
            open_text = None if entry is None else _begin_text(entry, keyword, form)
            if entry is not None and keyword == "msgstr":
                entry.lines[None if form is None else int(form)] = number
        if open_text is None:
            raise _refused(number, name)
        if content is not None:
            open_text.append(ESCAPE.sub(lambda escape: CHARACTERS.get(escape[1], escape[1]), content))
    if entry is not None and "msgid" in entry.texts:
        yield entry


def _begin_text(entry: PoEntry, keyword: str, form: str | None) -> list[str] | None:
    """Begin the text of a keyword in an entry; None if the keyword is misplaced."""
    keywords = entry.texts.keys()
    new: list[str] = []
    if keyword == "msgstr":
        if "msgid" not in keywords or "msgstr" in keywords:
            return None
        if form is None:
            return entry.texts.setdefault(keyword, new) if not entry.forms else None
        return entry.forms.setdefault(int(form), new) if int(form) not in entry.forms else None
    # A context precedes its message, a plural follows it.
    fits = (
        keyword in TEXTS
        and keyword not in keywords
        and not entry.has_translation
        and ("msgid" in keywords) == (keyword == "msgid_plural")
    )
    return entry.texts.setdefault(keyword, new) if fits and form is None else None


def _refused(line: int, name: str) -> InputError:
    detail = f"line {line}, column 1: this is no line of a PO catalogue, or its quotes do not match"
    return InputError("invalid-document", detail, (name, line, 1))


def header_languages(header: str) -> Languages:
    """Languages of the header; the last line of each name counts."""
    values = dict(line.split(":", 1) for line in header.splitlines() if ":" in line)
    return language_of(values.get("X-Source-Language")), language_of(values.get("Language"))


def entry_texts(entry: PoEntry) -> list[tuple[str, str, int | None]]:
    """Sources and translations of an entry in one line each, with the numbers of plural forms; those with both texts."""
    source = entry.text("msgid")
    pairs: list[tuple[str, str, int | None]] = [(source, entry.text("msgstr"), None)]
    if entry.texts.get("msgid_plural"):
        plural = entry.text("msgid_plural")
        forms = ((k, "".join(pieces)) for k, pieces in sorted(entry.forms.items()))
        # The first form of Russian is also that of 21, so it has the number where English says one.
        pairs = [(plural if k or ("%" in text and "%" not in source) else source, text, k) for k, text in forms]
    one_line_pairs = [(joined(source), joined(text), k) for source, text, k in pairs]
    return [(source, text, k) for source, text, k in one_line_pairs if source and text]
