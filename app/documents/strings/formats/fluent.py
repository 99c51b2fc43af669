"""Fluent of Mozilla: ``de/app.ftl``.

Source: Project Fluent, "Fluent Syntax Guide" and its grammar 1.0. Placeables and select expressions stay in the text.
"""

import re
from typing import ClassVar, Final

from app.documents.strings.entry import StringEntry, StringFormat
from app.documents.strings.fluent_patterns import BLANKS, LINE, Placeables, column_of, plain_pattern, spelled_pattern
from app.documents.strings.keys import KeyBudget, unique
from app.text.reading.encodings import refuse

__all__ = ["Fluent"]

BYTE_ORDER_MARK: Final = "\ufeff"
MESSAGE: Final = re.compile(r"(-?[A-Za-z][\w-]*+)[ ]*+=[ ]*+", re.ASCII)
ATTRIBUTE: Final = re.compile(r"[ ]*+\.([A-Za-z][\w-]*+)[ ]*+=[ ]*+", re.ASCII)
COMMENT: Final = re.compile(r"#{1,3}(?: |\r?$)", re.MULTILINE)
# A line that is a part of the pattern above it: indented text, or a placeable.
CONTINUATION: Final = re.compile(r"[ ]++[^ \r\n.*\[}]|\{")


class Fluent(StringFormat):
    """Messages, terms, and their attributes by ``MESSAGE.ATTRIBUTE``."""

    name: ClassVar = "fluent"
    title: ClassVar = "Fluent (Mozilla)"
    suffixes: ClassVar = (".ftl",)

    def entries(self, text: str, name: str) -> list[StringEntry]:
        """Patterns without the indentation of their lines; an expression keeps its own."""
        begin = len(BYTE_ORDER_MARK) if text.startswith(BYTE_ORDER_MARK) else 0
        lines = [(match.start(), match.end()) for match in LINE.finditer(text, begin) if match[0]]
        entries: list[StringEntry] = []
        budget = KeyBudget(text, name)
        message, number = "", 0
        while number < len(lines):
            begin, end = lines[number]
            number += 1
            if not text[begin:end].strip(BLANKS) or COMMENT.match(text, begin, end):
                message = message if text[begin] != "#" else ""
                continue
            is_message = MESSAGE.match(text, begin, end)
            head = is_message or (ATTRIBUTE.match(text, begin, end) if message else None)
            if head is None:
                raise refuse("invalid-document", name, "this line begins no message, term, attribute or comment", text, begin)
            message = head[1] if is_message else message
            number, end = _pattern_end(text, lines, number, head.end(), name)
            value = text[head.end() : end].rstrip(BLANKS)
            start = head.end() + len(value) - len(value.lstrip(BLANKS))
            if value.strip():
                key = ".".join(budget.path([head[1]] if is_message else [message, head[1]], start))
                plain, start = plain_pattern(text, start, head.end() + len(value))
                entries.append(StringEntry(key, plain, start, head.end() + len(value)))
        return unique(entries, text, name)

    def spelled(self, new: str, text: str, entry: StringEntry) -> str:
        """Lines behind the first are indented, but for those within placeables that are already."""
        return spelled_pattern(new, column_of(text, entry.start))


def _pattern_end(text: str, lines: list[tuple[int, int]], number: int, start: int, name: str) -> tuple[int, int]:
    """The first line behind a pattern that begins at `start`, and the end of the pattern. Blank lines may stand within one."""
    placeables = Placeables()
    end = last = lines[number - 1][1]
    following = number
    while True:
        fault = placeables.read(text, start, end)
        if fault is not None:
            raise refuse("invalid-document", name, "a brace or quotation mark before or here has no pair", text, fault)
        while following < len(lines) and not text[slice(*lines[following])].strip(BLANKS):
            following += 1
        if following == len(lines) and placeables.depth:
            raise refuse("invalid-document", name, "a placeable that begins before has no end", text, last - 1)
        if following == len(lines) or not (placeables.depth or CONTINUATION.match(text, *lines[following])):
            return number, last
        start, end = lines[following]
        following += 1
        number, last = following, end
