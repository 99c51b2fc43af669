"""Markdown, Quarto and MDX: ``docs/de/page.md``.

Source: CommonMark 0.31 for blocks, GitHub's tables, MDX 3; YAML for front matter.
"""

import re
from collections import Counter
from collections.abc import Iterator
from typing import ClassVar, Final

from app.documents.strings.entry import StringEntry, StringFormat
from app.documents.strings.markdown_blocks import blocks
from app.documents.strings.yaml_texts import spelled_yaml, yaml_texts
from app.errors import InputError

__all__ = ["Markdown", "Mdx"]

BYTE_ORDER_MARK: Final = "\ufeff"
# Front matter of YAML, or of TOML, which is not read.
FRONT: Final = re.compile(r"(\ufeff?+(---|\+\+\+)[ \t]*+\r?\n)((?:(?!\2[ \t]*+\r?$)[^\n]*+\n)*+)\2[ \t]*+\r?$", re.MULTILINE)
FRONT_KEYS: Final = ("title", "description", "sidebar_label")
TAG: Final = re.compile(r"</?[A-Za-z][\w.-]*+(?=[\s/>])[^<>]*+>")


class Markdown(StringFormat):
    """Headings, paragraphs, items of lists, rows of tables, notes and quotations; title and description of front matter."""

    name: ClassVar = "markdown"
    title: ClassVar = "Markdown, Quarto"
    suffixes: ClassVar[tuple[str, ...]] = (".md", ".qmd", ".markdown")
    keys_are_places: ClassVar = True
    is_mdx: ClassVar = False

    def entries(self, text: str, name: str) -> list[StringEntry]:
        """Blocks by kind and number: ``h2.1``, ``p.3``, ``li.4``, ``tr.2``; numbers change with the blocks before."""
        front = FRONT.match(text)
        counts: Counter[str] = Counter()
        entries = [] if front is None or front[2] != "---" else list(_front_entries(front, name))
        begin = int(text.startswith(BYTE_ORDER_MARK)) if front is None else front.end()
        for kind, start, end in blocks(text, begin, self.is_mdx):
            value = text[start:end].rstrip()
            start += len(value) - len(value.lstrip())
            value = value.lstrip()
            # Images and line breaks alone are no text.
            if value and TAG.sub("", value).strip():
                counts[kind] += 1
                entries.append(StringEntry(f"{kind}.{counts[kind]}", value.replace("\r\n", "\n"), start, start + len(value)))
        return entries

    def spelled(self, new: str, text: str, entry: StringEntry) -> str:
        """The text as it is; a scalar of YAML in front matter."""
        return spelled_yaml(new) if entry.key.startswith("front.") else new


class Mdx(Markdown):
    """Markdown with components, imports and expressions, which are left out."""

    name: ClassVar = "mdx"
    title: ClassVar = "MDX"
    suffixes: ClassVar = (".mdx",)
    is_mdx: ClassVar = True


def _front_entries(front: re.Match[str], name: str) -> Iterator[StringEntry]:
    """Texts of front matter; none of one that is no YAML."""
    begin = front.start(3)
    try:
        leaves = yaml_texts(front[3], name)
    except InputError:
        return
    for path, value, start, end in leaves:
        if len(path) == 1 and path[0] in FRONT_KEYS and value.strip():
            yield StringEntry(f"front.{path[0]}", value, begin + start, begin + end)
