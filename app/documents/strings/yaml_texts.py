"""Strings of a YAML document with their places, from the events of the parser: no object is built, and nothing recurses."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

import yaml

from app.documents.strings.keys import KeyBudget
from app.errors import InputError
from app.text.reading.encodings import refuse

__all__ = ["YamlText", "spelled_yaml", "yaml_texts"]

BYTE_ORDER_MARK: Final = "\ufeff"
DEEPEST: Final = 100
# Anchor and tag before a scalar, with blanks and comments behind them.
PROPERTIES: Final = re.compile(r"(?:[&!]\S*+(?:\s++|#[^\r\n]*+)*+)*+")
# Line ends of Unicode, and characters that YAML does not allow.
ESCAPES: Final = {code: f"\\u{code:04x}" for code in (*range(0x7F, 0xA0), 0x2028, 0x2029, 0xFEFF, 0xFFFE, 0xFFFF)}
STRING: Final = "tag:yaml.org,2002:str"
# The loader of libyaml is ten times as quick.
LOADER: Final[Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
RESOLVER: Final[Any] = yaml.resolver.Resolver()


class YamlText(NamedTuple):
    """A string: its path of keys and places in lists, its value, and the characters of its scalar without anchor and tag."""

    path: tuple[str, ...]
    value: str
    start: int
    end: int


@dataclass
class _Level:
    """An open mapping or list: its keys so far, the present key or place, and the number of values."""

    is_mapping: bool
    keys: set[str] = field(default_factory=set)
    step: str = "0"
    count: int = 0
    has_key: bool = False

    def close_value(self) -> None:
        self.has_key = False
        self.count += 1
        if not self.is_mapping:
            self.step = str(self.count)


def yaml_texts(text: str, name: str) -> list[YamlText]:
    """All scalars of the first document that are strings. O(length).

    An alias gives no text: its text stands at its anchor. InputError (`invalid-document`) with line and column for broken YAML,
    keys that are no scalars or occur twice, and more than 100 levels. InputError (`invalid-character`) for a NUL, and
    `document-too-large` for keys beyond their bound.
    """
    # Places of libyaml do not count a mark, those of Python's parser do.
    body = text.removeprefix(BYTE_ORDER_MARK)
    try:
        return list(_walk(text, body, name))
    except InputError:
        raise
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        detail = f"this is no YAML: {error.problem or 'a construct without an end'}"
        place = min(mark.index, len(body)) if mark is not None else 0
        raise refuse("invalid-document", name, detail, text, place + len(text) - len(body)) from None
    except (yaml.YAMLError, ValueError) as error:
        place = min(getattr(error, "position", 0), len(body))
        raise refuse("invalid-document", name, "YAML does not allow this character", text, place + len(text) - len(body)) from None


def spelled_yaml(text: str) -> str:
    """A scalar in double quotes, with the escapes of JSON and those of characters that YAML reads as line ends."""
    return json.dumps(text, ensure_ascii=False).translate(ESCAPES)


def _walk(text: str, body: str, name: str) -> Iterator[YamlText]:
    mark_length = len(text) - len(body)
    levels: list[_Level] = []
    anchors: set[str] = set()
    budget = KeyBudget(text, name)
    for event in yaml.parse(body, Loader=LOADER):
        start = _index(event.start_mark) + mark_length
        is_key = bool(levels) and levels[-1].is_mapping and not levels[-1].has_key
        if isinstance(event, yaml.AliasEvent):
            if is_key or event.anchor not in anchors:
                detail = "write the key out in place of this alias" if is_key else "no anchor above has the name of this alias"
                raise refuse("invalid-document", name, detail, text, start)
            levels[-1].close_value()
            continue
        anchors.add(getattr(event, "anchor", None) or "")
        if isinstance(event, yaml.CollectionStartEvent):
            if is_key or len(levels) == DEEPEST:
                detail = "a key must be a scalar" if is_key else f"this is more than {DEEPEST} levels deep"
                raise refuse("invalid-document", name, detail, text, start)
            levels.append(_Level(isinstance(event, yaml.MappingStartEvent)))
        elif isinstance(event, yaml.CollectionEndEvent):
            levels.pop()
            if levels:
                levels[-1].close_value()
        elif isinstance(event, yaml.ScalarEvent) and is_key:
            if event.value in levels[-1].keys:
                raise refuse("invalid-document", name, "this key occurs twice in one mapping", text, start)
            levels[-1].keys.add(event.value)
            levels[-1].step, levels[-1].has_key = event.value, True
        elif isinstance(event, yaml.ScalarEvent):
            if _is_string(event):
                yield _yaml_text(event, budget.path([level.step for level in levels], start), text, name, mark_length)
            if levels:
                levels[-1].close_value()
        elif isinstance(event, yaml.DocumentEndEvent):
            return


def _yaml_text(event: "yaml.ScalarEvent", path: tuple[str, ...], text: str, name: str, mark_length: int) -> YamlText:
    """A scalar with its place."""
    start, end = _index(event.start_mark) + mark_length, _index(event.end_mark) + mark_length
    if "\0" in event.value or any("\0" in step for step in path):
        raise refuse("invalid-character", name, "this text or its key has a NUL; remove it", text, start)
    properties = PROPERTIES.match(text, start, end)
    assert properties is not None
    start = properties.end()
    if event.style in {"|", ">"}:
        # The blank lines below a block stay.
        end = start + len(text[start:end].rstrip(" \t\r\n"))
    return YamlText(path, event.value, start, end)


def _index(mark: Any) -> int:
    """Place of a mark in characters."""
    return int(mark.index)


def _is_string(event: "yaml.ScalarEvent") -> bool:
    """Return True for a scalar that YAML reads as a string: not a number, a date, a boolean or null."""
    tag = event.tag
    if tag in (None, "!"):
        tag = RESOLVER.resolve(yaml.ScalarNode, event.value, event.implicit)
    return bool(tag == STRING)
