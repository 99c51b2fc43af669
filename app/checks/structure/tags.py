"""Inline tags of HTML, XLIFF and components, and strong words of Markdown."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

from app.checks.structure.check import Finding, Texts
from app.checks.structure.marks import Mark, unmatched_marks, unmatched_names, without_marks
from app.text.languages import LanguagePair

__all__ = ["Tags"]

TAG: Final = re.compile(
    r"<(?P<close>/?)(?P<name>[A-Za-z][\w:.-]{0,40}|\d{1,4})"
    r"(?P<attributes>(?:\s{1,9}[\w:@.-]{1,60}\s{0,3}=\s{0,3}(?:\"[^\"<>]{0,2000}\"|'[^'<>]{0,2000}'|[^\s\"'<>=]{1,2000})){0,20})"
    r"\s{0,9}(?P<self>/?)>"
)
IDENTITY: Final = re.compile(r"\sid\s{0,3}=\s{0,3}[\"']?([^\"'\s<>]{1,60})")
# Strong words of Markdown: **words**, without blanks inside.
STRONG: Final = re.compile(r"(?<!\*)\*\*(?![\s*])(?:[^*\n]|\*(?!\*)){1,500}?(?<!\s)\*\*(?!\*)")
STARS: Final = re.compile(r"(?<!\*)\*\*(?!\*)")
VOID: Final = frozenset({"br", "hr", "img", "input", "wbr", "x", "bx", "ex", "ph"})
BREAKS: Final = frozenset({"br", "wbr", "hr"})
# Tags of XLIFF, which differ by their identity.
XLIFF: Final = frozenset({"x", "bx", "ex", "g", "ph", "bpt", "ept", "it", "mrk", "pc", "sc", "ec"})
# fmt: off
HTML: Final = frozenset({
    "a", "abbr", "article", "aside", "audio", "b", "bdi", "bdo", "blockquote", "button", "code", "dd", "del", "details",
    "dfn", "div", "dl", "dt", "em", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "i", "iframe",
    "ins", "kbd", "label", "li", "main", "mark", "nav", "ol", "option", "p", "path", "pre", "q", "s", "samp", "section",
    "select", "small", "span", "strike", "strong", "sub", "summary", "sup", "svg", "table", "tbody", "td", "th", "thead",
    "time", "tr", "tt", "u", "ul", "var", "video", "font", "center",
})
# fmt: on
# Signs of vocabularies, which are residue of systems.
RESIDUE: Final = frozenset({"unk", "s", "pad", "mask", "eos", "bos", "sep", "cls"})


class Tags:
    """Tags that one side lacks, or else tags that do not nest though those of the source do."""

    code = "tags"
    meaning = "a tag is missing, added, not closed or out of order"
    signs = frozenset({"<", "**"})

    def marks(self, text: str, pair: LanguagePair) -> list[Mark]:
        """Tags of a text, whose keys are their kind, name and identity. O(length).

        A word between brackets, such as <file>, is a tag only if HTML knows it or it is closed.
        """
        if "<" not in text:
            return []
        matches = list(TAG.finditer(text))
        closes = {match["name"].lower() for match in matches if match["close"]}
        return [_mark(match) for match in matches if _is_tag(match, closes)]

    def find(self, texts: Texts, source_marks: list[Mark], marks: list[Mark]) -> Finding | None:
        """Tags without a counterpart, or in a wrong order. Breaks of lines alone are no error. O(length)."""
        if not source_marks and not marks:
            return _strong(texts)
        compare = unmatched_names if texts.are_messages else unmatched_marks
        missing, extra = compare(source_marks, marks), compare(marks, source_marks)
        if not missing and not extra and not _unnested(source_marks):
            extra = _unnested(marks)
        breaks = all(mark.key.split()[1] in BREAKS for mark in (*missing, *extra))
        return Finding(missing, extra, "warning" if breaks else "error") if missing or extra else _strong(texts)


def _strong(texts: Texts) -> Finding | None:
    """Strong words that the translation lacks, and its stars that mark none. A reader sees those, but no program fails."""
    if "**" not in texts.source:
        return None
    source_marks, marks = (
        [Mark("**", match.start(), match.end()) for match in STRONG.finditer(text)] for text in (texts.source, texts.translation)
    )
    if len(source_marks) <= len(marks):
        return None
    outside = without_marks(texts.translation, marks)
    stars = [Mark("**", match.start(), match.end()) for match in STARS.finditer(outside)]
    return Finding(source_marks[len(marks) :], stars, "warning")


def _is_tag(match: re.Match[str], closes: Iterable[str]) -> bool:
    name = match["name"].lower()
    is_closed = name in closes or bool(match["self"] or match["attributes"])
    return name in HTML or name in VOID or (name not in RESIDUE and is_closed)


def _mark(match: re.Match[str]) -> Mark:
    name = match["name"].lower()
    kind = "self" if match["self"] or name in VOID else "close" if match["close"] else "open"
    identity = IDENTITY.search(match["attributes"]) if name in XLIFF else None
    return Mark(f"{kind} {name} {identity[1] if identity else ''}", match.start(), match.end())


def _unnested(marks: Sequence[Mark]) -> list[Mark]:
    """Tags that close nothing, close an outer tag before an inner one, or stay open. O(tags)."""
    stack: list[tuple[str, Mark]] = []
    faults: list[Mark] = []
    depths: Counter[str] = Counter()
    for mark in marks:
        kind, name, _ = mark.key.split(" ", 2)
        if kind == "open":
            stack.append((name, mark))
            depths[name] += 1
        elif kind == "close" and not depths[name]:
            faults.append(mark)
        elif kind == "close":
            if stack[-1][0] != name:
                faults.append(mark)
            while stack[-1][0] != name:
                depths[stack.pop()[0]] -= 1
            depths[stack.pop()[0]] -= 1
    return faults + [mark for _, mark in stack]
