"""Markdown, MDX and Quarto: ``docs/de/page.md``.

Source: CommonMark 0.31 for blocks, GitHub's tables, MDX 3. Code, HTML, imports and definitions of links are left out.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator
from typing import ClassVar, Final

from app.documents.strings.entry import StringEntry, StringFormat

__all__ = ["Markdown"]

LINE: Final = re.compile(r"[^\n]*+\n?")
FENCE: Final = re.compile(r" {0,3}(`{3,}+|~{3,}+)")
HEADING: Final = re.compile(r" {0,3}(#{1,6})[ \t]++")
ITEM: Final = re.compile(r"[ \t]*+(?:[-*+]|\d{1,9}[.)])[ \t]++")
QUOTE: Final = re.compile(r"[ \t]*+>[ \t]?")
RULE: Final = re.compile(r"[ \t]*+(?:(?:[-*_=][ \t]*+){3,}+|\|?[ \t:|-]++)\s*+")
# HTML, JSX, imports, exports, comments, definitions of links, and fences of Quarto and of directives.
FOREIGN: Final = re.compile(r"[ \t]*+(?:</?[A-Za-z!]|import[ \t]|export\b|\{/\*|\[[^\]]{1,200}\]:|:::|\{\{)")
FRONT: Final = re.compile(r"(title|description|sidebar_label)[ \t]*+:[ \t]*+([^\s\[{|>&*!%@`][^\r\n]*+)")
# A value of front matter that needs quotes.
SPECIAL: Final = re.compile(r"^[\W_]|: |[ \t]#|[\"'\\\n]|\s$")


class Markdown(StringFormat):
    """Headings, paragraphs, items of lists, rows of tables and quotations; title and description of front matter."""

    name: ClassVar = "markdown"
    title: ClassVar = "Markdown, MDX, Quarto"
    suffixes: ClassVar = (".md", ".mdx", ".qmd", ".markdown")

    def entries(self, text: str, name: str) -> list[StringEntry]:
        """Blocks by kind and number: ``h2.1``, ``p.3``, ``li.4``, ``tr.2``; two pages with equal blocks correspond."""
        counts: Counter[str] = Counter()
        entries: list[StringEntry] = []
        for kind, start, end in _blocks(text):
            while end > start and text[end - 1].isspace():
                end -= 1
            if kind.startswith("front."):
                entries.append(StringEntry(kind, _unquoted(text[start:end]), start, end))
            elif end > start:
                counts[kind] += 1
                entries.append(StringEntry(f"{kind}.{counts[kind]}", text[start:end], start, end))
        return entries

    def spelled(self, new: str, text: str, entry: StringEntry) -> str:
        """The text as it is; quotes around values of front matter that need them."""
        return json.dumps(new, ensure_ascii=False) if entry.key.startswith("front.") and SPECIAL.search(new) else new


def _unquoted(value: str) -> str:
    """A value of front matter without its quotes; one with broken escapes stays as it is."""
    if len(value) < 2 or value[0] != value[-1] or value[0] not in "\"'":
        return value
    if value[0] == "'":
        return value[1:-1].replace("''", "'")
    try:
        text = json.loads(value)
    except ValueError:
        return value
    return text if "\0" not in text and text.isprintable() else value


def _blocks(text: str) -> Iterator[tuple[str, int, int]]:
    """Kind, begin and end of each block. O(length)."""
    at = 0
    if text.startswith(("---\n", "---\r\n")):
        close = text.find("\n---", 3)
        if close > 0:
            for match in FRONT.finditer(text, 0, close + 1):
                yield f"front.{match[1]}", *match.span(2)
            at = close + 4
    kind, begin, end, fence, is_foreign = "", 0, 0, "", False
    for line in LINE.finditer(text, at):
        start, stop = line.span()
        if start == stop:
            break
        mark = FENCE.match(text, start)
        if fence:
            fence = "" if mark is not None and mark[1].startswith(fence) else fence
            continue
        is_blank = not line[0].strip()
        block = _begin(text, start, stop, bool(kind))
        if is_blank or mark is not None or block is not None or is_foreign:
            if kind:
                yield kind, begin, end
            kind = ""
        fence = mark[1] if mark is not None else ""
        is_foreign = not is_blank and (is_foreign or (mark is None and FOREIGN.match(text, start) is not None))
        if is_blank or fence or is_foreign or RULE.fullmatch(text, start, stop):
            continue
        if block is not None:
            kind, begin = block
        elif not kind and not line[0].startswith(("    ", "\t")):
            kind, begin = "p", start + len(line[0]) - len(line[0].lstrip())
        end = stop
        if kind.startswith(("h", "tr")):
            yield kind, begin, end
            kind = ""
    if kind:
        yield kind, begin, end


def _begin(text: str, start: int, stop: int, is_open: bool) -> tuple[str, int] | None:
    """Kind and begin of a block that this line begins, other than a paragraph."""
    heading = HEADING.match(text, start, stop)
    if heading is not None:
        return f"h{len(heading[1])}", heading.end()
    item = ITEM.match(text, start, stop)
    if item is not None:
        return "li", item.end()
    quote = QUOTE.match(text, start, stop)
    if quote is not None:
        return "q", quote.end()
    line = text[start:stop].strip()
    return ("tr", start + text[start:stop].index("|")) if line.startswith("|") and not is_open else None
