"""Inline tags of HTML, XLIFF and components, and strong words of Markdown."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

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


class Tag(NamedTuple):
    """A tag: its mark, the name, and its kind."""

    mark: Mark
    name: str
    kind: str


class Tags:
    """Tags that one side lacks, or else tags that do not nest though those of the source do."""

    code = "tags"
    meaning = "a tag is missing, added, not closed or out of order"

    def marks(self, text: str, pair: LanguagePair) -> list[Mark]:
        """Tags of a text. O(length)."""
        return [tag.mark for tag in tags(text)]

    def find(self, texts: Texts) -> Finding | None:
        """Tags without a counterpart, or in a wrong order. Breaks of lines alone are no error. O(length)."""
        source_tags, target_tags = tags(texts.source), tags(texts.translation)
        if not source_tags and not target_tags:
            return _strong(texts)
        source_marks, marks = ([tag.mark for tag in side] for side in (source_tags, target_tags))
        compare = unmatched_names if texts.are_messages else unmatched_marks
        missing, extra = compare(source_marks, marks), compare(marks, source_marks)
        if not missing and not extra and not _unnested(source_tags):
            extra = _unnested(target_tags)
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


def tags(text: str) -> list[Tag]:
    """Tags of a text. A word between brackets, such as <file>, is a tag only if HTML knows it or it is closed. O(length)."""
    if "<" not in text:
        return []
    matches = list(TAG.finditer(text))
    closes = {match["name"].lower() for match in matches if match["close"]}
    return [_tag(match) for match in matches if _is_tag(match, closes)]


def _is_tag(match: re.Match[str], closes: Iterable[str]) -> bool:
    name = match["name"].lower()
    is_closed = name in closes or bool(match["self"] or match["attributes"])
    return name in HTML or name in VOID or (name not in RESIDUE and is_closed)


def _tag(match: re.Match[str]) -> Tag:
    name = match["name"].lower()
    kind = "self" if match["self"] or name in VOID else "close" if match["close"] else "open"
    identity = IDENTITY.search(match["attributes"]) if name in XLIFF else None
    key = f"{kind} {name} {identity[1] if identity else ''}"
    return Tag(Mark(key, match.start(), match.end()), name, kind)


def _unnested(of_side: Sequence[Tag]) -> list[Mark]:
    """Tags that close nothing, close an outer tag before an inner one, or stay open. O(tags)."""
    stack: list[Tag] = []
    marks: list[Mark] = []
    depths: Counter[str] = Counter()
    for tag in of_side:
        if tag.kind == "open":
            stack.append(tag)
            depths[tag.name] += 1
        elif tag.kind == "close" and not depths[tag.name]:
            marks.append(tag.mark)
        elif tag.kind == "close":
            if stack[-1].name != tag.name:
                marks.append(tag.mark)
            while stack[-1].name != tag.name:
                depths[stack.pop().name] -= 1
            depths[stack.pop().name] -= 1
    return marks + [tag.mark for tag in stack]
