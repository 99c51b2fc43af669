"""Prose of a file as passages: docstrings, comments and help texts of Python, paragraphs, items and cells of Markdown."""

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Final

from benchmarks.house.rooms import nodes_of

__all__ = ["Passage", "Sentence", "passages_of"]

HELP_KEYWORDS: Final = {"help", "short_help", "epilog", "description", "summary"}
# Comments for programs, rules of dashes, and code.
NO_PROSE: Final = re.compile(r"#(!|\s*(type:|noqa|fmt:|ruff:|mypy:|pragma|pylint|-\*-)|[\W_]*$)")
FENCE: Final = re.compile(r"^\s*(```|~~~)")
ITEM: Final = re.compile(r"^\s*([-*+]|\d+[.)])\s+")
RULE: Final = re.compile(r"^[\s|:-]+$")
# Spans of one word each: code, links, formulas; then images and tags, which are none.
ONE_WORD: Final = re.compile(r"(`+)(?:.+?)\1|(?<!!)\[[^\]]*\](?:\([^)]*\)|\[[^\]]*\])|\$[^$\n]+\$")
NO_WORD: Final = re.compile(r"!\[[^\]]*\]\([^)]*\)|<!--.*?-->|</?[a-z][^>]*>")
END: Final = re.compile(r"[.!?][\"'”’)\]*_]*\s+(?=[\"'“‘(\[*_]*[^\W_a-z])")
ABBREVIATION: Final = re.compile(r"(?:\b(?:e\.g|i\.e|cf|vs|al|etc|[Ff]ig|[Ee]q|[Ss]ec|[Nn]o|approx|resp|pp?|ch|Dr|St)|\b[A-Z])\.$")


@dataclass(frozen=True)
class Sentence:
    """A sentence: its line from 1, its text, and the text with spans of code and links as one word each."""

    line: int
    text: str
    outline: str

    @property
    def words(self) -> list[str]:
        """Words: tokens with a letter; numbers and signs are none."""
        return [token for token in self.outline.split() if any(map(str.isalpha, token))]


@dataclass(frozen=True)
class Passage:
    """Lines of running text of one kind, `docstring`, `comment`, `help` or `page`; `opens` if a docstring or help begins here."""

    kind: str
    lines: tuple[tuple[int, str], ...]
    opens: bool = False

    def sentences(self) -> Iterator[Sentence]:
        """Sentences in their order."""
        starts, length = [], 0
        for line, text in self.lines:
            starts.append((length, line))
            length += len(text) + 1
        text = " ".join(text for _, text in self.lines)
        outline = NO_WORD.sub(lambda match: " " * len(match[0]), ONE_WORD.sub(lambda match: "C" + "o" * (len(match[0]) - 1), text))
        begin = 0
        ends = [match.end() for match in END.finditer(outline) if not ABBREVIATION.search(outline[: match.start() + 1])]
        for end in [*ends, len(text)]:
            if text[begin:end].strip():
                yield Sentence(
                    max(line for start, line in starts if start <= begin), text[begin:end].strip(), outline[begin:end].strip()
                )
            begin = end


def _paragraphs(lines: Iterable[tuple[int, str]]) -> Iterator[list[tuple[int, str]]]:
    """Paragraphs, list items and blocks of deeper indentation; blocks of code and examples of sessions are left out."""
    block: list[tuple[int, str]] = []
    fenced = False
    indent = 0
    for line, text in lines:
        if FENCE.match(text):
            fenced = not fenced
        depth = len(text) - len(text.lstrip())
        item = ITEM.match(text)
        ends = not text.strip() or fenced or item or FENCE.match(text) or text.lstrip().startswith((">>>", "...", "#"))
        if block and (ends or depth > indent + 3):
            yield block
            block = []
        if text.strip() and not fenced and (item or not ends):
            indent = len(item[0]) if item else indent if block else depth
            block.append((line, text[item.end() :].strip() if item else text.strip().removeprefix("> ")))
    if block:
        yield block


def _docstring(node: ast.Constant) -> Iterator[Passage]:
    first, *rest = str(node.value).split("\n")
    margin = min((len(text) - len(text.lstrip()) for text in rest if text.strip()), default=0)
    lines = [(node.lineno, first.strip()), *((node.lineno + at, text[margin:]) for at, text in enumerate(rest, 1))]
    for number, block in enumerate(_paragraphs(lines)):
        yield Passage("docstring", tuple(block), opens=not number)


def _help(node: ast.expr) -> str | None:
    """Text of a help; formatted values are one word each."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(str(part.value) if isinstance(part, ast.Constant) else "`value`" for part in node.values)
    return None


def _outside_strings(path: Path) -> Iterator[tuple[int, int, str]]:
    """Comments of a Python file: line from 1, column in bytes, text with its sign."""
    lines = path.read_bytes().split(b"\n")
    strings: dict[int, list[tuple[int, int]]] = {}
    for node, _ in nodes_of(path):
        if isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str | bytes)):
            for line in range(node.lineno, node.end_lineno + 1):
                begin = node.col_offset if line == node.lineno else 0
                end = node.end_col_offset if line == node.end_lineno else len(lines[line - 1])
                strings.setdefault(line, []).append((begin, end))
    for number, line in enumerate(lines, 1):
        at = line.find(b"#")
        while at >= 0 and any(begin <= at < end for begin, end in strings.get(number, ())):
            at = line.find(b"#", at + 1)
        if at >= 0:
            yield number, at, line[at:].decode("utf-8")


def _comments(path: Path) -> Iterator[Passage]:
    lines = path.read_text("utf-8").split("\n")
    prose = [comment for comment in _outside_strings(path) if not NO_PROSE.match(comment[2])]

    def place(entry: tuple[int, tuple[int, int, str]]) -> tuple[int, int, bool]:
        number, (line, column, _) = entry
        return line - number, column, lines[line - 1].lstrip().startswith("#")

    # Lines of comment below each other, with the same indentation, are one passage; one behind code is for itself.
    for (_, _, is_line), run in groupby(enumerate(prose), place):
        block = [(line, text.lstrip("#").strip()) for _, (line, _, text) in run]
        for part in [block] if is_line else [[comment] for comment in block]:
            yield Passage("comment", tuple(part))


def _of_python(path: Path) -> Iterator[Passage]:
    for node, _ in nodes_of(path):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield from _docstring(node.value)
        elif isinstance(node, ast.keyword) and node.arg in HELP_KEYWORDS and (text := _help(node.value)):
            yield Passage("help", ((node.value.lineno, text),), opens=True)
    yield from _comments(path)


def _of_markdown(path: Path) -> Iterator[Passage]:
    lines = list(enumerate(path.read_text("utf-8").split("\n"), 1))
    running = [(line, "" if text.lstrip().startswith("|") else text) for line, text in lines]
    for block in _paragraphs(running):
        yield Passage("page", tuple(block))
    fenced = False
    for line, text in lines:
        fenced ^= bool(FENCE.match(text))
        if not fenced and text.lstrip().startswith("|") and not RULE.match(text):
            for cell in re.split(r"(?<!\\)\|", ONE_WORD.sub(lambda match: match[0].replace("|", "¦"), text)):
                if cell.strip():
                    yield Passage("page", ((line, cell.strip()),))


def passages_of(path: Path) -> Iterator[Passage]:
    """Passages of a Python file or a Markdown page, in no particular order."""
    return _of_markdown(path) if path.suffix == ".md" else _of_python(path)
