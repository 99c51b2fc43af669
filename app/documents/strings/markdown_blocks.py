"""Blocks of Markdown that people translate, with their places. Code, HTML, and definitions of links are left out.

Source: CommonMark 0.31, "Blocks and inlines"; GitHub's tables and footnotes; MDX 3.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from app.documents.strings.markdown_foreign import foreign_end

__all__ = ["blocks"]

LINE: Final = re.compile(r"[^\n]*+\n?")
INDENT: Final = re.compile(r"[ \t]*+")
CODE: Final = 4
# Quotations and items before a fence; a fence of backticks has none behind it.
PREFIX: Final = r"(?P<prefix>(?:[ \t]*+(?:>|[-*+][ \t]|\d{1,9}[.)][ \t]))*+)[ \t]*+"
FENCE: Final = re.compile(PREFIX + r"(?P<fence>`{3,}+(?=[^`\n]*+(?:\n|\Z))|~{3,}+)")
FENCE_END: Final = re.compile(r"([ \t>]*+)(`{3,}+|~{3,}+)\s*+")
HEADING: Final = re.compile(r" {0,3}(#{1,6})(?:[ \t]++|\r?\n)")
UNDERLINE: Final = re.compile(r" {0,3}(?:(=++)|-++)\s*+")
ITEM: Final = re.compile(r"[ \t]*+(?:[-*+]|(\d{1,9})[.)])[ \t]++")
QUOTE: Final = re.compile(r"[ \t]*+>[ \t]?")
NOTE: Final = re.compile(r" {0,3}\[\^[^\]\s]{1,200}\]:[ \t]*+")
RULE: Final = re.compile(r"[ \t]*+(?:(?:[-*_=][ \t]*+){3,}+|\|?[ \t:|-]++)\s*+")


@dataclass
class _Place:
    """The blocks around a line: kind and characters of the open block, and the indentations of the lists around it."""

    kind: str = ""
    begin: int = 0
    end: int = 0
    lists: list[int] = field(default_factory=list)

    @property
    def list_indent(self) -> int:
        return self.lists[-1] if self.lists else 0

    def leave_lists(self, indent: int) -> None:
        """Leave the lists with more indentation than a line."""
        while self.list_indent > indent:
            self.lists.pop()

    def close(self) -> Iterator[tuple[str, int, int]]:
        """End the open block, if there is one."""
        if self.kind:
            yield self.kind, self.begin, self.end
        self.kind = ""


def blocks(text: str, at: int, is_mdx: bool) -> Iterator[tuple[str, int, int]]:
    """Kind, begin and end of each block behind `at`: ``h1``, ``p``, ``li``, ``q``, ``fn``, ``tr``. O(length)."""
    place = _Place()
    fence, is_quoted = "", False
    end_of_foreign: re.Pattern[str] | None = None
    for line in LINE.finditer(text, at):
        start, stop = line.span()
        indent = _columns(text, start, INDENT.match(text, start, stop).end())  # type: ignore[union-attr]
        is_blank = not line[0].strip()
        # The end of a quotation or an item ends its fence.
        if fence and (QUOTE.match(text, start, stop) if is_quoted else is_blank or indent >= place.list_indent):
            close = FENCE_END.fullmatch(text, start, stop) if indent < place.list_indent + CODE else None
            is_closed = close is not None and close[2].startswith(fence) and (">" in close[1]) is is_quoted
            fence = "" if is_closed else fence
            continue
        fence = ""
        if end_of_foreign is not None:
            end_of_foreign = None if end_of_foreign.search(line[0]) else end_of_foreign
            continue
        if is_blank:
            yield from place.close()
            continue
        if indent >= place.list_indent + CODE:
            # Code begins behind a blank line alone.
            place.end = stop
            continue
        mark = FENCE.match(text, start, stop)
        if mark is not None:
            yield from place.close()
            fence, is_quoted = mark["fence"], ">" in mark["prefix"]
            place.leave_lists(indent)
            if ITEM.match(text, start, stop) is not None:
                place.lists.append(_columns(text, start, mark.start("fence")))
            continue
        foreign = foreign_end(text, start, stop, bool(place.kind), is_mdx)
        if foreign is not None:
            yield from place.close()
            place.leave_lists(indent)
            end_of_foreign = None if foreign.search(line[0]) else foreign
        else:
            yield from _read_line(text, start, stop, indent, place)
    yield from place.close()


def _read_line(text: str, start: int, stop: int, indent: int, place: _Place) -> Iterator[tuple[str, int, int]]:
    """Begin, extend or end the block of a line that is neither code nor HTML."""
    underline = UNDERLINE.fullmatch(text, start, stop) if place.kind == "p" else None
    if underline is not None:
        place.kind = "h1" if underline[1] else "h2"
    if underline is not None or RULE.fullmatch(text, start, stop):
        yield from place.close()
        place.leave_lists(indent)
        return
    block = _begin(text, start, stop, place.kind)
    if block is None and place.kind:
        place.end = stop
        return
    yield from place.close()
    place.leave_lists(indent)
    place.kind, place.begin = block or ("p", start)
    place.end = _without_hashes(text, place.begin, stop) if place.kind[0] == "h" else stop
    if place.kind == "li":
        place.lists.append(_columns(text, start, place.begin))
    elif place.kind[0] in "ht":
        yield from place.close()


def _begin(text: str, start: int, stop: int, open_kind: str) -> tuple[str, int] | None:
    """Kind and begin of a block that this line begins, other than a paragraph."""
    heading = HEADING.match(text, start, stop)
    if heading is not None:
        return f"h{len(heading[1])}", heading.end()
    item = ITEM.match(text, start, stop)
    # A number at the begin of a line is no item within a paragraph, but for 1.
    if item is not None and not (open_kind == "p" and item[1] not in {None, "1"}):
        return "li", item.end()
    quote = QUOTE.match(text, start, stop)
    if quote is not None:
        return "q", quote.end()
    note = NOTE.match(text, start, stop)
    if note is not None:
        return "fn", note.end()
    line = text[start:stop].strip()
    return ("tr", start + text[start:stop].index("|")) if line.startswith("|") and not open_kind else None


def _columns(text: str, start: int, end: int) -> int:
    """Columns of the characters before a text; a tab leads to the next fourth."""
    return len(text[start:end].expandtabs(CODE))


def _without_hashes(text: str, start: int, stop: int) -> int:
    """The end of a heading without its closing hashes."""
    line = text[start:stop].rstrip()
    bare = line.rstrip("#")
    return start + len(line if bare and bare[-1] not in " \t" else bare.rstrip())
