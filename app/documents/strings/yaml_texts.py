"""Strings of a YAML document with their places, from the events of the parser: no object is built, and nothing recurses."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

import yaml

from app.errors import InputError
from app.text.reading.encodings import refuse

__all__ = ["YamlText", "yaml_texts"]

DEEPEST: Final = 100
STRING: Final = "tag:yaml.org,2002:str"
# The loader of libyaml is ten times as quick.
LOADER: Final[Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
RESOLVER: Final[Any] = yaml.resolver.Resolver()


class YamlText(NamedTuple):
    """A string: its path of keys and places in lists, its value, and the characters of its scalar."""

    path: tuple[str, ...]
    value: str
    start: int
    end: int


@dataclass
class _Level:
    """An open mapping or list: its keys so far, the present key, and the number of values."""

    is_mapping: bool
    keys: set[str] = field(default_factory=set)
    key: str | None = None
    count: int = 0

    @property
    def step(self) -> str:
        return (self.key or "") if self.is_mapping else str(self.count)

    def close_value(self) -> None:
        self.key = None
        self.count += 1


def yaml_texts(text: str, name: str) -> list[YamlText]:
    """All scalars of the first document that are strings. O(length).

    InputError (`invalid-document`) with line and column for broken YAML, anchors, aliases, keys that are no scalars or occur twice,
    and more than 100 levels.
    """
    try:
        return list(_walk(text, name))
    except InputError:
        raise
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        detail = f"this is no YAML: {error.problem or 'a construct without an end'}"
        raise refuse("invalid-document", name, detail, text, min(mark.index, len(text)) if mark is not None else 0) from None
    except (yaml.YAMLError, ValueError) as error:
        place = getattr(error, "position", 0)
        raise refuse("invalid-document", name, "YAML does not allow this character", text, min(place, len(text))) from None


def _walk(text: str, name: str) -> Iterator[YamlText]:
    levels: list[_Level] = []
    for event in yaml.parse(text, Loader=LOADER):
        start = _index(event.start_mark)
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None) is not None:
            raise refuse("invalid-document", name, "anchors and aliases are not read; write the text out", text, start)
        is_key = bool(levels) and levels[-1].is_mapping and levels[-1].key is None
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
            levels[-1].key = event.value
        elif isinstance(event, yaml.ScalarEvent):
            if _is_string(event):
                yield YamlText(tuple(level.step for level in levels), event.value, start, _index(event.end_mark))
            if levels:
                levels[-1].close_value()
        elif isinstance(event, yaml.DocumentEndEvent):
            return


def _index(mark: Any) -> int:
    """Place of a mark in characters."""
    return int(mark.index)


def _is_string(event: "yaml.ScalarEvent") -> bool:
    """Return True for a scalar that YAML reads as a string: not a number, a date, a boolean or null."""
    tag = event.tag
    if tag in (None, "!"):
        tag = RESOLVER.resolve(yaml.ScalarNode, event.value, event.implicit)
    return bool(tag == STRING)
