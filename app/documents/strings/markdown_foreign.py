"""Parts of Markdown that are no text: HTML, JSX, imports, expressions, directives, and definitions of links.

Source: CommonMark 0.31, "HTML blocks", with their seven kinds, and "Link reference definitions"; MDX 3, "What is MDX?".
"""

import re
from typing import Final

__all__ = ["foreign_end"]

BLOCKS: Final = (
    "address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt|fieldset"
    "|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu|menuitem|nav"
    "|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot|th|thead|title|tr|track|ul"
)
RAW: Final = "script|pre|style|textarea"
# A blank line ends a part; so does its own line, since each line matches.
BLANK: Final = re.compile(r"^\s*+$")
LINE: Final = re.compile("")
# Parts that end behind their own sign, which may stand lines below.
SIGNS: Final = (
    (re.compile(rf"\s*+<(?:{RAW})(?=[\s>])", re.IGNORECASE), re.compile(rf"</(?:{RAW})>", re.IGNORECASE)),
    (re.compile(r"\s*+<!--"), re.compile("-->")),
    (re.compile(r"\s*+<\?"), re.compile(r"\?>")),
    (re.compile(r"\s*+<!\[CDATA\["), re.compile(r"\]\]>")),
    (re.compile(r"\s*+<![A-Za-z]"), re.compile(">")),
    (re.compile(r"\s*+\{/\*"), re.compile(r"\*/\}")),
)  # fmt: skip
BLOCK: Final = re.compile(rf"\s*+</?(?:{BLOCKS})(?=[\s>]|/>)", re.IGNORECASE)
ATTRIBUTES: Final = r"""(?:[^<>"'\n]++|"[^"\n]*+"|'[^'\n]*+')*+"""
TAG_ALONE: Final = re.compile(rf"\s*+</?[A-Za-z][\w-]*+(?=[\s/>]){ATTRIBUTES}>\s*+")
# Components, fragments, and tags that go on in the next line.
JSX: Final = re.compile(r"\s*+<(?:/?[A-Z]|/?[a-z][\w-]*+[.:]\w|/?>|[a-z][\w-]*+(?:\s[^<>\n]*+)?+(?:\n|\Z))")
ESM: Final = re.compile(r"(?:import[ \t{'\"*]|export[ \t{*])")
DIRECTIVE: Final = re.compile(r"\s*+:::")
DEFINITION: Final = re.compile(
    r" {0,3}\[(?!\^)[^\[\]\n]{1,999}+\]:[ \t]*+(?:<[^<>\n]*+>|[^\s<]\S*+)"
    r"""(?:[ \t]++(?:"[^"\n]*+"|'[^'\n]*+'|\([^()\n]*+\)))?+\s*+"""
)
BRACES: Final = re.compile("[{}]")


def foreign_end(text: str, start: int, stop: int, is_open: bool, is_mdx: bool) -> re.Pattern[str] | None:
    """A pattern of the line that ends the part which begins with this line; None for a line of text.

    `is_open` is True within a paragraph, which HTML of inline tags and definitions do not interrupt. O(length of the line).
    """
    for begin, end in SIGNS if text[start:stop].lstrip()[:1] in {"<", "{"} else ():
        match = begin.match(text, start, stop)
        if match is not None:
            return end
    if BLOCK.match(text, start, stop) or (is_mdx and JSX.match(text, start, stop)):
        return BLANK
    if DIRECTIVE.match(text, start, stop):
        return LINE
    braces = _braces(text, start, stop)
    if braces is not None and (braces or is_mdx):
        return LINE if braces else BLANK
    if is_open:
        return None
    if TAG_ALONE.fullmatch(text, start, stop) or (is_mdx and ESM.match(text, start, stop)):
        return BLANK
    return LINE if DEFINITION.fullmatch(text, start, stop) else None


def _braces(text: str, start: int, stop: int) -> bool | None:
    """True for a line whose first brace closes at its end, False for one whose first brace does not close; None for others."""
    line = text[start:stop].strip()
    if not line.startswith("{"):
        return None
    depth = 0
    for sign in BRACES.finditer(line):
        depth += 1 if sign[0] == "{" else -1
        if depth == 0:
            return True if sign.end() == len(line) else None
    return False
