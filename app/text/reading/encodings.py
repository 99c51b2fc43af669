"""From bytes to text and back: by byte-order mark, by what the file declares, UTF-8 otherwise."""

import codecs
import re
from dataclasses import dataclass
from typing import Final

from app.errors import InputError

__all__ = ["MARKS", "Decoded", "decode", "encoding_of", "place_of", "refuse"]

# A document is read whole; larger work comes as a table or as two texts, which are streamed.
MOST_CHARACTERS: Final = 64_000_000
# Byte-order marks and what they say; those of UTF-32 begin as those of UTF-16 do, and stand before them.
MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
XML_DECLARATION: Final = re.compile(rb"""<\?xml[^>]{0,200}?encoding\s*=\s*["']([A-Za-z0-9._-]{1,40})["']""")
PO_LINE: Final = re.compile(rb'\s*+(?:(msg[a-z]++)\s*+)?(?:"((?:[^"\\]++|\\.)*+)"\s*+)?')
PO_DECLARATION: Final = re.compile(rb"(?:^|\\n)Content-Type:[^\\]*?charset=[ \t]*([^\s;\\]+)", re.IGNORECASE)
# As much of a PO file as is looked through for its header: those of old projects name everybody who worked on them.
LONGEST_HEAD: Final = 100_000
LONGEST_NAME: Final = 40
# Codecs of text alone; Python also has some that inflate or run through tables of their own.
ACCEPTED: Final = re.compile(
    r"utf-?(8|16|16-?[lb]e|32|32-?[lb]e)|us-ascii|ascii|iso-?8859-?\d{1,2}|latin-?\d|(windows-|cp)125\d|koi8-[rtu]|gb(k|2312|18030)"
    r"|big5(-hkscs)?|shift[-_]jis|euc-(jp|kr)|tis-620|cp(437|85\d|866|874|932|949|950)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Decoded:
    """A file's text, and how to write it again."""

    text: str
    codec: str
    mark: bytes

    def encode(self, text: str, lacking: str = "strict") -> bytes:
        """`text` in the file's own encoding, its mark in front; `lacking` is what codecs do about a character that is not in it."""
        return self.mark + text.encode(self.codec, lacking)

    def can_hold(self, text: str) -> bool:
        """Whether the file's own encoding has all characters of a text."""
        try:
            text.encode(self.codec)
        except UnicodeEncodeError:
            return False
        return True


def place_of(text: str, at: int) -> tuple[int, int]:
    """Line and column of a character, both from 1."""
    return text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)


def refuse(code: str, name: str, detail: str, text: str = "", at: int | None = None) -> InputError:
    """The error about a file, with line and column where a place is known."""
    if at is None:
        return InputError(code, detail, (name,))
    line, column = place_of(text, at)
    return InputError(code, f"line {line}, column {column}: {detail}", (name, line, column))


def encoding_of(raw: bytes, name: str) -> tuple[bytes, str]:
    """A file's byte-order mark and codec; InputError where it declares a codec that is not read."""
    mark, codec = next(((mark, codec) for mark, codec in MARKS if raw.startswith(mark)), (b"", ""))
    return mark, codec or _without_mark(raw[:2]) or _declared(raw[:LONGEST_HEAD], name)


def decode(raw: bytes, name: str) -> Decoded:
    """The text of a file; InputError where it is not in its encoding, holds a NUL, or is too long."""
    mark, codec = encoding_of(raw, name)
    body = raw[len(mark) :]
    if len(body) > 4 * MOST_CHARACTERS:
        raise _too_long(name)
    try:
        text = body.decode(codec)
    except UnicodeDecodeError as error:
        before = body[: error.start].decode(codec, "replace")
        raise refuse("invalid-encoding", name, f"this is not {codec}", before, len(before)) from None
    if len(text) > MOST_CHARACTERS:
        raise _too_long(name)
    if "\0" in text:
        raise refuse("invalid-character", name, "there is a NUL character", text, text.index("\0"))
    if _encoded(text, codec) != body:
        raise refuse("invalid-encoding", name, f"the {codec} in it has bytes that would not survive; save it as UTF-8")
    return Decoded(text, codec, mark)


def _encoded(text: str, codec: str) -> bytes | None:
    """The text in an encoding, None where that reads more than it writes."""
    try:
        return text.encode(codec)
    except UnicodeEncodeError:
        return None


def _without_mark(head: bytes) -> str:
    """UTF-16 without a mark, told by the first character of a document in XML."""
    return "utf-16-le" if head.startswith(b"<\0") else "utf-16-be" if head.startswith(b"\0<") else ""


def _declared(head: bytes, name: str) -> str:
    """The encoding that an XML declaration or a PO header names."""
    start = head.lstrip()
    match = XML_DECLARATION.match(start) if start.startswith(b"<") else PO_DECLARATION.search(_po_header(head))
    if match is None or match[1].upper() == b"CHARSET":
        return "utf-8"
    encoding = match[1].decode("ascii", "replace")
    # Without a mark and with bytes of ASCII before it, this cannot be what it says.
    if encoding.lower().replace("-", "").startswith(("utf16", "utf32")):
        return "utf-8"
    if ACCEPTED.fullmatch(encoding) is None:
        shown = "".join(c for c in encoding[:LONGEST_NAME] if c.isprintable())
        raise refuse("invalid-encoding", name, f"the encoding it declares, {shown}, is not read here; save it as UTF-8")
    try:
        return codecs.lookup(encoding).name
    except LookupError:
        raise refuse("invalid-encoding", name, f"the encoding it declares, {encoding}, is not known; save it as UTF-8") from None


def _po_header(head: bytes) -> bytes:
    """What the first message of a PO file says where it is the header, its escapes as they stand; nothing otherwise.

    Any other text may speak of a charset without declaring one.
    """
    keyword, pieces = b"", list[bytes]()
    for line in head.split(b"\n"):
        start = line.strip()[:1]
        if not start or start == b"#":
            continue
        match = PO_LINE.fullmatch(line)
        if match is None or (match[1] and keyword == b"msgstr"):
            break
        keyword = match[1] or keyword
        if keyword == b"msgstr":
            pieces.append(match[2] or b"")
        elif keyword != b"msgid" or match[2]:
            break
    return b"".join(pieces)


def _too_long(name: str) -> InputError:
    return refuse("document-too-large", name, f"a document may have at most {MOST_CHARACTERS} characters; split it")
