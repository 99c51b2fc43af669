"""Messages of ICU: arguments, their types, and branches by plural category or by value.

The grammar is that of ICU's MessageFormat with quotes of the kind DOUBLE_OPTIONAL: https://unicode-org.github.io/icu/userguide/format_parse/messages/.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

__all__ = ["NUMERIC", "Argument", "Message", "MessageError", "is_message", "parse_message"]

TYPED_ARGUMENT: Final = re.compile(
    r"\{\s{0,20}[\w.-]{1,80}\s{0,20},\s{0,20}"
    r"(?:(?:plural|select|selectordinal)\s{0,20},|(?:number|date|time|spellout|ordinal|duration|choice)\s{0,20}[,}])"
)
NUMERIC: Final = frozenset({"plural", "selectordinal"})
NAME: Final = re.compile(r"[^\s{},'#<>|=]{1,200}")
SELECTOR: Final = re.compile(r"=\d{1,10}|[^\s{},'#<>|=]{1,200}")
BLANKS: Final = re.compile(r"\s*")
OFFSET: Final = re.compile(r"offset:\s{0,20}(\d{1,6})(?!\S)")
# "No files" may lack each other argument.
ZERO: Final = frozenset({"=0", "zero"})
DEEPEST: Final = 20


class MessageError(Exception):
    """The place of a text that is no message, and the reason."""

    def __init__(self, place: int, reason: str):
        super().__init__(reason)
        self.place, self.reason = place, reason


@dataclass(frozen=True)
class Argument:
    """An argument: name, type (empty for a plain one), and messages by selector.

    `start` and `end` are its places in the text, `contents` those of its branches. A plural subtracts `offset` from its number.
    """

    name: str
    type: str
    start: int
    end: int
    branches: dict[str, "Message"] = field(default_factory=dict)
    contents: tuple[tuple[int, int], ...] = ()
    offset: int = 0

    def syntax(self) -> Iterator[tuple[int, int]]:
        """Places of its braces, name, type and selectors, without its branches."""
        begin = self.start
        for start, end in self.contents:
            yield begin, start
            begin = end
        yield begin, self.end


@dataclass(frozen=True)
class Message:
    """The arguments of a message in order; `counts` if it has a `#` for the number of its plural."""

    arguments: list[Argument]
    counts: bool = False

    def names(self) -> frozenset[str]:
        """Names of arguments that the message shows in every branch, but those for the number 0."""
        names: set[str] = set()
        for argument in self.arguments:
            branches = [branch.names() for selector, branch in argument.branches.items() if selector not in ZERO]
            names |= {argument.name, *(frozenset.intersection(*branches) if branches else ())}
        return frozenset(names)

    def everywhere(self) -> Iterator[Argument]:
        """Arguments of the message and of its branches."""
        for argument in self.arguments:
            yield argument
            for branch in argument.branches.values():
                yield from branch.everywhere()


def is_message(text: str) -> bool:
    """Return True for a text with a typed argument: one with a format, or one whose value selects a branch. O(length)."""
    return TYPED_ARGUMENT.search(text) is not None


def parse_message(text: str) -> Message:
    """Parse a message. MessageError names the place of the first fault. O(length)."""
    message, end = _Parser(text).message(0, 0, False)
    if end < len(text):
        raise MessageError(end, "a } closes nothing")
    return message


class _Parser:
    """A reader of one text, from place to place."""

    def __init__(self, text: str):
        self.text = text

    def message(self, place: int, depth: int, is_plural: bool) -> tuple[Message, int]:
        """The message from `place` on, and its end: the end of the text, or a closing brace."""
        arguments: list[Argument] = []
        counts, text = False, self.text
        while place < len(text) and text[place] != "}":
            if text[place] == "{":
                argument, place = self.argument(place, depth)
                arguments.append(argument)
            elif text[place] == "'":
                place = self.quoted(place, is_plural)
            else:
                counts |= text[place] == "#" and is_plural
                place += 1
        if depth and place == len(text):
            raise MessageError(place, "a { is not closed")
        return Message(arguments, counts), place

    def quoted(self, place: int, is_plural: bool) -> int:
        """The place behind an apostrophe: it quotes only before a brace, or before a # in a plural."""
        text = self.text
        special = "{}#" if is_plural else "{}"
        if text[place + 1 : place + 2] == "'":
            return place + 2
        if place + 1 == len(text) or text[place + 1] not in special:
            return place + 1
        end = text.find("'", place + 1)
        while end >= 0 and text[end + 1 : end + 2] == "'":
            end = text.find("'", end + 2)
        return len(text) if end < 0 else end + 1

    def argument(self, start: int, depth: int) -> tuple[Argument, int]:
        """The argument at an opening brace, and the place behind its end."""
        if depth >= DEEPEST:
            raise MessageError(start, f"braces stand in more than {DEEPEST} others")
        name, place = self.word(NAME, start + 1, "a { has no name of an argument behind it")
        if self.is_at(place, "}"):
            return Argument(name, "", start, place + 1), place + 1
        kind, place = self.word(NAME, self.behind(place, ","), f"the argument {name} has no type")
        if kind not in NUMERIC and kind != "select":
            end = self.style(place)
            return Argument(name, kind, start, end), end
        place = self.behind(place, ",")
        branches: dict[str, Message] = {}
        contents: list[tuple[int, int]] = []
        offset = OFFSET.match(self.text, place) if kind == "plural" else None
        place = self.blanks(offset.end() if offset else place)
        while not self.is_at(place, "}"):
            begin = place
            selector, place = self.word(SELECTOR, place, f"the argument {name} has a branch without a name")
            if selector in branches:
                raise MessageError(begin, f"the argument {name} has the branch {selector} twice")
            begin = self.behind(place, "{")
            branches[selector], place = self.message(begin, depth + 1, kind in NUMERIC)
            contents.append((begin, place))
            place = self.blanks(place + 1)
        if "other" not in branches:
            raise MessageError(start, f"the argument {name} has no branch other")
        return Argument(name, kind, start, place + 1, branches, tuple(contents), int(offset[1]) if offset else 0), place + 1

    def style(self, place: int) -> int:
        """The place behind the brace that ends a simple argument, with a style or without."""
        depth = 1
        while place < len(self.text):
            character = self.text[place]
            if character == "'":
                place = self.quoted(place, False)
                continue
            depth += (character == "{") - (character == "}")
            place += 1
            if not depth:
                return place
        raise MessageError(place, "a { is not closed")

    def word(self, pattern: re.Pattern[str], place: int, reason: str) -> tuple[str, int]:
        match = pattern.match(self.text, self.blanks(place))
        if match is None:
            raise MessageError(place, reason)
        return match[0], self.blanks(match.end())

    def behind(self, place: int, sign: str) -> int:
        place = self.blanks(place)
        if not self.is_at(place, sign):
            raise MessageError(place, f"a {sign} is missing")
        return self.blanks(place + 1) if sign == "," else place + 1

    def is_at(self, place: int, sign: str) -> bool:
        return self.text[place : place + 1] == sign

    def blanks(self, place: int) -> int:
        match = BLANKS.match(self.text, place)
        return place if match is None else match.end()
