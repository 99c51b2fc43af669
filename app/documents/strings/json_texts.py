"""Texts of a JSON document with their places, shared by all formats of string files that are JSON."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

from app.documents.strings.keys import KeyBudget
from app.text.reading.encodings import refuse

__all__ = ["JsonText", "json_texts", "spelled_json"]

DEEPEST: Final = 100
TOKEN: Final = re.compile(r'[ \t\r\n]*+(?:(?P<string>"(?:[^"\\]++|\\.)*+")|(?P<sign>[{}\[\],:])|(?P<other>[^\s{}\[\],:"]++))')
BYTE_ORDER_MARK: Final = "\ufeff"
LONE_SURROGATE: Final = re.compile("[\0\ud800-\udfff]")


class JsonText(NamedTuple):
    """A text of a document: its path of keys and places in lists, its value, and its characters between the quotes."""

    path: tuple[str, ...]
    value: str
    start: int
    end: int


@dataclass
class _Level:
    """An open object or list: the keys so far of an object, the current key or place, and the values so far of a list."""

    keys: set[str] | None
    step: str = "0"
    count: int = 0


def json_texts(text: str, name: str) -> list[JsonText]:
    """All values of a document that are strings, in their order. O(length).

    InputError (`invalid-document`) with line and column for broken JSON, a key that occurs twice in an object, and levels more
    than 100 deep. InputError (`invalid-character`) for a NUL or a lone surrogate behind an escape, `document-too-large` for keys
    beyond their bound.
    """
    if text.startswith(BYTE_ORDER_MARK):
        # JSON has no mark; a blank in its place leaves all places as they are.
        text = " " + text[1:]
    # Tokens are read twice, since a list of them takes a hundred times the room of the text.
    _check(text, name, _tokens(text))
    return list(_walk(text, name, _tokens(text)))


def spelled_json(text: str, document: str, start: int, end: int) -> str:
    """A text with escapes, in ASCII if `document[start:end]` has numbers of characters in their place."""
    return json.dumps(text, ensure_ascii="\\u" in document[start:end])[1:-1]


def _tokens(text: str) -> Iterator[tuple[str, int, int]]:
    """Tokens with their places; a character that begins no token ends them."""
    at = 0
    while (match := TOKEN.match(text, at)) is not None:
        kind = match.lastgroup or ""
        yield match[kind], match.start(kind), match.end(kind)
        at = match.end()


def _check(text: str, name: str, tokens: Iterator[tuple[str, int, int]]) -> None:
    """InputError for a document that is no JSON or too deep; depth comes first, since Python's parser is recursive."""
    depth = 0
    for sign, start, _ in tokens:
        depth += (sign in {"{", "["}) - (sign in {"}", "]"})
        if depth > DEEPEST:
            raise refuse("invalid-document", name, f"this is more than {DEEPEST} levels deep", text, start)
    try:
        # Numbers stay as they are: Python refuses those of thousands of digits.
        json.loads(text, parse_int=str)
    except json.JSONDecodeError as error:
        raise refuse("invalid-document", name, f"this is no JSON: {error.msg[0].lower()}{error.msg[1:]}", text, error.pos) from None


def _walk(text: str, name: str, tokens: Iterator[tuple[str, int, int]]) -> Iterator[JsonText]:
    """Strings of a valid document with their paths."""
    budget = KeyBudget(text, name)
    levels: list[_Level] = []
    is_key = False
    for sign, start, end in tokens:
        if sign in {"{", "["}:
            levels.append(_Level(set() if sign == "{" else None))
            is_key = sign == "{"
        elif sign in {"}", "]"}:
            levels.pop()
            is_key = False
        elif sign == ",":
            is_key = levels[-1].keys is not None
            if not is_key:
                levels[-1].count += 1
                levels[-1].step = str(levels[-1].count)
        elif sign == ":":
            is_key = False
        elif sign[0] == '"':
            value = _value(text, name, sign, start)
            if is_key:
                _open_key(text, name, levels[-1], value, start)
            else:
                yield JsonText(budget.path([level.step for level in levels], start), value, start + 1, end - 1)


def _value(text: str, name: str, token: str, start: int) -> str:
    value: str = json.loads(token)
    if LONE_SURROGATE.search(value):
        raise refuse("invalid-character", name, "this text has a NUL or a lone surrogate; remove it", text, start)
    return value


def _open_key(text: str, name: str, level: _Level, key: str, start: int) -> None:
    assert level.keys is not None
    if key in level.keys:
        raise refuse("invalid-document", name, "this key occurs twice in one object", text, start)
    level.keys.add(key)
    level.step = key
