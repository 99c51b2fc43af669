r"""Markers of USFM with their places: paragraphs, verses, chapters, characters, and notes.

Source: USFM 3.1, "General Markup Syntax", "Whitespace" and "Character Level Attributes". ``\\`` and ``\|`` are escapes
of the committee's own reader, usfmtc.
"""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from app.text.reading.encodings import refuse

__all__ = ["BLANKS", "PARAGRAPHS", "UsfmToken", "usfm_tokens"]

BLANKS: Final = " \t\r\n"
BLANK: Final = f"[{BLANKS}]"
# Kinds of tokens that end the words before them.
PARAGRAPHS: Final = frozenset({"verses", "heading", "structure", "paragraph"})
NOTES: Final = "f|fe|ef|efe|x|ex|fig|va|vp|ca|cat|pro|rq"
# Markers within paragraphs; all others are so too unless they begin a line.
CHARACTERS: Final = re.compile(
    "qac|qs|add|addpn|bk|dc|efm|fm|fv|k|nd|ndx|ord|png|pn|qt|sig|sls|tl|w[aghlj]?|ta|jmp|no|it|bdit|bd|em|sc|sup|rb|ior|iqt"
    r"|litl|lik|liv\d?|xt|ref|t[hc][cr]?\d[\d-]*+"
)
# Paragraphs of verses; headings and other paragraphs with a text of their own; and those without a text.
VERSE_PARAGRAPHS: Final = re.compile(r"(?:p|m|po|pr|cls|pmo|pm|pmc|pmr|pi|mi|nb|pc|ph|b|q|qr|qc|qm|qd|lh|li|lf|lim|tr|lit|pb)\d?")
HEADINGS: Final = re.compile(
    r"(?:mte?|ms|mr|s|sr|r|d|sp|qa|cl|cd|h|toc|toca|imte?|is|iot|ip|ipi|ipc|im|imi|ipq|imq|ipr|iq|ili|io)\d?|iex|restore"
)
STRUCTURE: Final = re.compile("id|c|v|esbe?|usfm|ide|rem|sts|ib|ie|cp|periph|sd[0-9]?")
NAME: Final = r"[A-Za-z_][\w^-]*+"
# Older files have milestones such as \k-s without an end.
MILESTONE: Final = rf"\\{NAME}{BLANK}*+(?:\|[^\\]*+)?\\\*|\\(?:[A-Za-z_]\w*+-)++[se]\b[ \t]*+(?:\|[^\\\r\n]*+)?"
TOKEN: Final = re.compile(
    rf"(?P<milestone>{MILESTONE})|\\\+?(?P<note>{NOTES})(?={BLANK})|\\\+?(?P<end>{NAME})\*|\\\+?(?P<marker>{NAME})(?:\r?\n|{BLANK})?"
    rf"|\\(?P<escape>[^\w*+]?)|(?P<blank>{BLANK}++)|(?P<space>~)|(?P<break>//)|(?P<bar>\|)|(?P<text>[^\\~/|{BLANKS}]++|.)"
)


class UsfmToken(NamedTuple):
    """A piece of a file: `kind` is `text`, `markup`, `characters`, `end`, `verses`, `heading`, `structure` or `paragraph`.

    `value` is the text that people read, or the name of the marker.
    """

    kind: str
    value: str
    start: int
    end: int


def usfm_tokens(text: str, name: str, at: int, stop: int) -> Iterator[UsfmToken]:
    """Tokens of `text[at:stop]`. O(length). InputError (`invalid-document`) for a note without an end."""
    is_first = True
    open_count = 0
    while (match := TOKEN.match(text, at, stop)) is not None and at < stop:
        start, at, kind = at, match.end(), match.lastgroup or ""
        value = match[kind]
        if kind == "note":
            at = _end_of_note(text, name, start, value)
            kind = "markup"
        elif kind == "marker":
            kind = _kind(value, is_first)
            open_count = open_count + 1 if kind == "characters" else 0
        elif kind == "end":
            open_count = max(open_count - 1, 0)
        elif kind == "bar" and open_count:
            # Attributes go up to the next marker.
            at = text.find("\\", at, stop)
            at = stop if at < 0 else at
            kind = "markup"
        else:
            value = "\u00a0" if kind == "space" else value
            kind = "markup" if kind in {"milestone", "break"} else "text"
        is_first = kind == "text" and not value.strip(BLANKS) and (is_first or "\n" in value or "\r" in value)
        yield UsfmToken(kind, value, start, at)


def _kind(marker: str, is_first: bool) -> str:
    """The kind of a marker by its name; a marker that nobody knows is a paragraph at the begin of a line."""
    if CHARACTERS.fullmatch(marker):
        return "characters"
    if VERSE_PARAGRAPHS.fullmatch(marker):
        return "verses"
    if HEADINGS.fullmatch(marker):
        return "heading"
    if STRUCTURE.fullmatch(marker):
        return "structure"
    return "paragraph" if is_first else "characters"


def _end_of_note(text: str, name: str, start: int, note: str) -> int:
    """The end of a note; a verse or chapter before it shows that there is none."""
    end = re.compile(rf"\\\+?{note}\*|\\[cv]{BLANK}").search(text, start)
    if end is None or not end[0].endswith("*"):
        raise refuse("invalid-document", name, f"a note that begins here has no end \\{note}*", text, start)
    return end.end()
