"""Decoding and encoding of files: by byte-order mark, else by the declaration in the file, else UTF-8."""

import codecs
import re
from dataclasses import dataclass
from typing import Final

from app.errors import InputError

__all__ = ["MARKS", "DecodedText", "decode", "encoding_of", "place_of", "refuse", "utf8_of"]

# A document is read at once. Larger texts come as a table or as two files of lines, which are streamed.
MOST_CHARACTERS: Final = 64_000_000
# Byte-order marks and their codecs; UTF-32 comes before UTF-16, whose mark it begins with.
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
# Bytes of a PO file that are searched for its header; old projects list all their contributors there.
LONGEST_HEAD: Final = 100_000
LONGEST_NAME: Final = 40
# Codecs of text; Python has others, which decompress or transform bytes.
TEXT_CODECS: Final = re.compile(
    r"utf-?(8|16|16-?[lb]e|32|32-?[lb]e)|us-ascii|ascii|iso-?8859-?\d{1,2}|latin-?\d|(windows-|cp)125\d|koi8-[rtu]|gb(k|2312|18030)"
    r"|big5(-hkscs)?|shift[-_]jis|euc-(jp|kr)|tis-620|cp(437|85\d|866|874|932|949|950)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class DecodedText:
    """Text of a file with its codec and byte-order mark."""

    text: str
    codec: str
    mark: bytes

    def encode(self, text: str, errors: str = "strict") -> bytes:
        """Encode a text like the file, mark first; `errors` is the codec's handler of characters outside the encoding."""
        return self.mark + text.encode(self.codec, errors)

    def can_hold(self, text: str) -> bool:
        """Return True if the encoding of the file has all characters of a text."""
        try:
            text.encode(self.codec)
        except UnicodeEncodeError:
            return False
        return True


def place_of(text: str, position: int) -> tuple[int, int]:
    """Line and column of a character, both from 1."""
    return text.count("\n", 0, position) + 1, position - text.rfind("\n", 0, position)


def refuse(code: str, name: str, detail: str, text: str = "", position: int | None = None) -> InputError:
    """InputError about a file; a character position adds line and column."""
    if position is None:
        return InputError(code, detail, (name,))
    line, column = place_of(text, position)
    return InputError(code, f"line {line}, column {column}: {detail}", (name, line, column))


def encoding_of(raw: bytes, name: str) -> tuple[bytes, str]:
    """Byte-order mark and codec of a file; InputError (`invalid-encoding`) if it declares an unsupported codec."""
    mark, codec = next(((mark, codec) for mark, codec in MARKS if raw.startswith(mark)), (b"", ""))
    return mark, codec or _without_mark(raw[:2]) or _declared(raw[:LONGEST_HEAD], name)


def decode(raw: bytes, name: str) -> DecodedText:
    """Decode a file; InputError (`invalid-encoding`, `invalid-character`, `document-too-large`) names the position."""
    mark, codec = encoding_of(raw, name)
    body = raw[len(mark) :]
    if len(body) > 4 * MOST_CHARACTERS:
        raise _too_long(name)
    try:
        text = body.decode(codec)
    except UnicodeDecodeError as error:
        before = body[: error.start].decode(codec, "replace")
        raise refuse(
            "invalid-encoding", name, f"these bytes are not {codec}; save the file as UTF-8", before, len(before)
        ) from None
    if len(text) > MOST_CHARACTERS:
        raise _too_long(name)
    if "\0" in text:
        raise refuse("invalid-character", name, "this is a NUL character; remove it", text, text.index("\0"))
    if text.encode(codec, "replace") != body:
        raise refuse("invalid-encoding", name, f"its {codec} has bytes that would be lost when it is written; save it as UTF-8")
    return DecodedText(text, codec, mark)


def utf8_of(raw: bytes, encoding: str, name: str) -> bytes:
    """UTF-8 bytes of a text in an encoding of a caller's choice; those of UTF-8 are not checked.

    InputError: `invalid-request` for an unknown encoding, `invalid-encoding` names the first line and byte outside it.
    """
    is_text = TEXT_CODECS.fullmatch(encoding.replace("_", "-"))
    try:
        codec = codecs.lookup(encoding).name if is_text else ""
    except LookupError:
        codec = ""
    if not codec:
        detail = (
            f"Assay reads no files in {encoding[:LONGEST_NAME]!r}; it reads utf-8, utf-16, latin-1, cp1252, gb18030 and the like"
        )
        raise InputError("invalid-request", detail, ("--encoding",))
    if codec == "utf-8":
        return raw
    try:
        return raw.decode(codec).encode("utf-8")
    except UnicodeDecodeError as error:
        at = raw[: error.start].decode(codec, "replace").count("\n") + 1
        raise InputError(
            "invalid-encoding", f"byte {error.start + 1} of {name}, in line {at}, is not {codec}", (name, at)
        ) from None


def _without_mark(head: bytes) -> str:
    """Codec of UTF-16 without a mark, by the first character of an XML document; empty for other files."""
    return "utf-16-le" if head.startswith(b"<\0") else "utf-16-be" if head.startswith(b"\0<") else ""


def _declared(head: bytes, name: str) -> str:
    """Encoding in an XML declaration or a PO header; UTF-8 without one."""
    start = head.lstrip()
    match = XML_DECLARATION.match(start) if start.startswith(b"<") else PO_DECLARATION.search(_po_header(head))
    if match is None or match[1].upper() == b"CHARSET":
        return "utf-8"
    encoding = match[1].decode("ascii", "replace")
    # A declaration in ASCII bytes cannot be true if it names UTF-16 or UTF-32.
    if encoding.lower().replace("-", "").startswith(("utf16", "utf32")):
        return "utf-8"
    if TEXT_CODECS.fullmatch(encoding) is None:
        printable = "".join(c for c in encoding[:LONGEST_NAME] if c.isprintable())
        raise refuse("invalid-encoding", name, f"it declares the encoding {printable}, which Assay cannot read; save it as UTF-8")
    try:
        return codecs.lookup(encoding).name
    except LookupError:
        raise refuse("invalid-encoding", name, f"it declares the unknown encoding {encoding}; save it as UTF-8") from None


def _po_header(head: bytes) -> bytes:
    """Text of the header of a PO file, with its escapes; empty if the first message is no header.

    Other texts may mention a charset without declaring it.
    """
    keyword = b""
    pieces: list[bytes] = []
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
    return refuse("document-too-large", name, f"this document has more than {MOST_CHARACTERS} characters; split it")
