"""Tokens of a PHP file, behind the `return` of its array, and their texts. Nothing is executed.

Source: PHP manual, "Language Reference": comments, strings, heredoc and nowdoc.
"""

import re
import sys
from collections.abc import Iterator
from typing import Final, NamedTuple

from app.text.reading.encodings import refuse

__all__ = ["PhpToken", "has_variable", "plain_php", "returned_tokens"]

BEGIN: Final = re.compile(r"<\?php(?=\s)", re.IGNORECASE)
TOKEN: Final = re.compile(
    r"(?P<gap>\s++|//[^\r\n]*+|\#(?!\[)[^\r\n]*+)|(?P<comment>/\*)|(?P<end>;|\?>)"
    r"|(?P<text>'(?:[^'\\]++|\\.)*+'|\"(?:[^\"\\]++|\\.)*+\")"
    r"|(?P<lines><<<[ \t]*+(?P<quote>['\"]?)(?P<label>[^\W\d]\w*+)(?P=quote)\r?\n)"
    r"|(?P<array>\[|array\s*+\()|(?P<open>[({]|\#\[)|(?P<close>[\])}])|(?P<arrow>=>)|(?P<comma>,)"
    r"|(?P<word>[^\s'\"\[\](){},;=/\#<?]++|[=/\#<?])",
    re.DOTALL | re.IGNORECASE,
)
COMMENT_END: Final = "*/"
ESCAPE: Final = re.compile(r"\\(?:u\{([0-9a-fA-F]++)\}|x([0-9a-fA-F]{1,2})|([0-7]{1,3})|(.))", re.DOTALL)
SINGLE_ESCAPE: Final = re.compile(r"\\([\\'])")
# A variable within double quotes.
VARIABLE: Final = re.compile(r"(?:[^\\$]++|\\.|\$(?![A-Za-z_{\x80-\U0010ffff]))*+\$", re.DOTALL)
CHARACTERS: Final = {"n": "\n", "t": "\t", "r": "\r", "v": "\v", "e": "\x1b", "f": "\f", '"': '"', "$": "$", "\\": "\\"}


class PhpToken(NamedTuple):
    """A token and its place: `text` in quotes, `lines` of heredoc, `array` that opens, `open`, `close`, `arrow`, and others."""

    kind: str
    value: str
    start: int


def returned_tokens(text: str, name: str) -> Iterator[PhpToken]:
    """Tokens behind the first `return` outside of braces, up to the end of the statement. O(length).

    InputError (`invalid-document`) for a file that returns nothing, and for texts, comments and arrays without an end.
    """
    begin = BEGIN.search(text)
    depth, is_returned = 0, False
    for token in _tokens(text, name, begin.end()) if begin is not None else ():
        depth += (token.kind in {"array", "open"}) - (token.kind == "close")
        if is_returned and token.kind == "end" and depth == 0:
            return
        if is_returned:
            yield token
        elif token.kind == "word" and depth == 0:
            is_returned = token.value.lower() == "return"
    detail = "this array has no end" if is_returned else "this file returns no array"
    raise refuse("invalid-document", name, detail, text, len(text) if is_returned else 0)


def _tokens(text: str, name: str, at: int) -> Iterator[PhpToken]:
    """All tokens but blanks and comments."""
    while at < len(text):
        match = TOKEN.match(text, at)
        if match is None:
            raise refuse("invalid-document", name, "a text that begins here has no closing quote", text, at)
        kind, start, at = match.lastgroup or "", at, match.end()
        if match["lines"] is not None:
            kind, at = "lines", _end_of_lines(text, name, start, at, match["label"])
        elif kind == "comment":
            at = text.find(COMMENT_END, at) + len(COMMENT_END)
            if at < start + len(COMMENT_END):
                raise refuse("invalid-document", name, "a comment that begins here has no end", text, start)
        if kind not in {"gap", "comment"}:
            yield PhpToken(kind, text[start:at], start)


def _end_of_lines(text: str, name: str, start: int, at: int, label: str) -> int:
    """End of a heredoc or nowdoc, behind its label at the begin of a line."""
    close = re.compile(rf"^[ \t]*+{re.escape(label)}(?!\w)", re.MULTILINE).search(text, at)
    if close is None:
        raise refuse("invalid-document", name, "a text that begins here has no line with its label", text, start)
    return close.end()


def has_variable(token: str) -> bool:
    """Return True for a text in double quotes with a variable, whose value PHP computes."""
    return token[0] == '"' and VARIABLE.match(token) is not None


def plain_php(token: str) -> str:
    """A text without quotes and escapes; another token as it is."""
    if token[0] == "'":
        return SINGLE_ESCAPE.sub(r"\1", token[1:-1])
    if token[0] != '"':
        return token
    parts, at = [], 1
    for escape in ESCAPE.finditer(token, 1, len(token) - 1):
        parts += [token[at : escape.start()].encode("utf-8", "replace"), _bytes_of(escape)]
        at = escape.end()
    return b"".join([*parts, token[at:-1].encode("utf-8", "replace")]).decode("utf-8", "replace").replace("\0", "\ufffd")


def _bytes_of(escape: re.Match[str]) -> bytes:
    """The bytes of an escape: two escapes may be one letter. An unknown escape is no escape."""
    point, code, octal, character = escape.groups()
    if point is not None:
        number = int(point[-7:], 16)
        return chr(number).encode("utf-8", "replace") if number <= sys.maxunicode else b"?"
    if character is not None:
        return CHARACTERS.get(character, escape[0]).encode("utf-8", "replace")
    return bytes([(int(octal, 8) if code is None else int(code, 16)) & 0xFF])
