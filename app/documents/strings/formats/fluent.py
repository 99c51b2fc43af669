"""Fluent of Mozilla: ``de/app.ftl``.

Source: Project Fluent, "Fluent Syntax Guide" and its grammar 1.0. Placeables and select expressions stay in the text.
"""

import re
from typing import ClassVar, Final

from app.documents.strings.entry import StringEntry, StringFormat
from app.documents.strings.keys import unique
from app.text.reading.encodings import refuse

__all__ = ["Fluent"]

MESSAGE: Final = re.compile(r"(-?[A-Za-z][\w-]*+)[ ]*+=[ ]*+", re.ASCII)
ATTRIBUTE: Final = re.compile(r"[ ]++\.([A-Za-z][\w-]*+)[ ]*+=[ ]*+", re.ASCII)
LINE: Final = re.compile(r"[^\n]*+\n?")
# A line that is a part of the pattern above it: indented text, or the end of an expression.
CONTINUATION: Final = re.compile(r"[ ]++[^\s.]|[ ]*+}")
LINE_END: Final = re.compile(r"\n")
OUTER_LINE: Final = re.compile(r"\n(?![ }])")
INDENTATION: Final = re.compile(r"\n[ ]++")


class Fluent(StringFormat):
    """Messages, terms, and their attributes by ``MESSAGE.ATTRIBUTE``."""

    name: ClassVar = "fluent"
    title: ClassVar = "Fluent (Mozilla)"
    suffixes: ClassVar = (".ftl",)

    def entries(self, text: str, name: str) -> list[StringEntry]:
        """Patterns without the indentation of their lines; an expression keeps its own."""
        lines = [(match.start(), match.end()) for match in LINE.finditer(text) if match[0]]
        entries: list[StringEntry] = []
        message, number = "", 0
        while number < len(lines):
            begin, end = lines[number]
            number += 1
            if not text[begin:end].strip() or text[begin] == "#":
                continue
            is_message = MESSAGE.match(text, begin, end)
            head = is_message or (ATTRIBUTE.match(text, begin, end) if message else None)
            if head is None:
                raise refuse("invalid-document", name, "this line begins no message, term, attribute or comment", text, begin)
            message = head[1] if is_message else message
            number, end = _pattern_end(text, lines, number, end)
            value = text[head.end() : end].rstrip()
            if value.strip():
                start = head.end() + len(value) - len(value.lstrip())
                key = head[1] if is_message else f"{message}.{head[1]}"
                entries.append(StringEntry(key, _plain_text(value.strip()), start, head.end() + len(value)))
        return unique(entries, text, name)

    def spelled(self, new: str, text: str, entry: StringEntry) -> str:
        """Lines behind the first are indented; those of an expression are already."""
        return (OUTER_LINE if "{" in new else LINE_END).sub("\n    ", new)


def _pattern_end(text: str, lines: list[tuple[int, int]], number: int, end: int) -> tuple[int, int]:
    """The first line behind a pattern, and the end of the pattern. Blank lines may stand within one."""
    last, following = end, number
    depth = _depth(text[lines[number - 1][0] : end])
    while following < len(lines):
        begin, line_end = lines[following]
        is_blank = not text[begin:line_end].strip()
        if not is_blank and depth <= 0 and CONTINUATION.match(text, begin) is None:
            break
        following += 1
        if not is_blank:
            last, number = line_end, following
            depth += _depth(text[begin:line_end])
    return number, last


def _depth(line: str) -> int:
    return line.count("{") - line.count("}")


def _plain_text(value: str) -> str:
    return INDENTATION.sub("\n", value.replace("\r\n", "\n")) if "{" not in value else value.replace("\r\n", "\n")
