"""The text of an element as letters with their places, so that other words can be put between its tags."""

import re
from collections.abc import Callable
from html import unescape
from typing import Any, Final
from xml.sax.saxutils import escape

from app.documents.retexting import NO_RUN, Change, Letters, add_spelled, changes
from app.documents.xml.markup import TAG, Edit, Markup

__all__ = ["text_edits"]

REFERENCE: Final = re.compile(r"&(?:#[0-9]{1,7}|#x[0-9a-fA-F]{1,6}|lt|gt|amp|quot|apos);")
# What is behind a code that is part of the text is another run, numbered so many further on.
AFTER_A_CODE: Final = 1_000_000
CDATA: Final = "<![CDATA["
# Codes in a text are looked for in all of its letters, of which a text without them may have far fewer.
LONGEST_WITH_CODES: Final = 1_000_000


def text_edits(
    markup: Markup,
    element: Any,
    old: str,
    new: str,
    holds_text: Callable[[Any], bool] = lambda child: True,
    breaks: Callable[[Any], bool] = lambda child: False,
    codes: "re.Pattern[str] | None" = None,
) -> list[Edit] | None:
    """The edits that make `old`, an element's plain text, another text, all tags kept; None where that cannot be done.

    `holds_text` and `breaks` are those of `plain_text`; what `codes` finds in the text is no text either.
    """
    span = markup.spans[element]
    if codes is not None and span.after - span.inside > LONGEST_WITH_CODES:
        return None
    raw: set[int] = set()
    letters = _letters(markup, element, holds_text, breaks, raw)
    letters = letters if codes is None else _without(codes, letters)
    if letters.text != old:
        return None
    made = changes(letters, new)
    if made is None or any(_is_raw(change, raw) and "]]>" in new for change in made):
        return None
    return [Edit(change.start, change.end, _spelled(change, raw)) for change in made]


def _spelled(change: Change, raw: set[int]) -> str:
    return change.text if _is_raw(change, raw) else escape(change.text)


def _is_raw(change: Change, raw: set[int]) -> bool:
    return change.run % AFTER_A_CODE in raw


def _letters(
    markup: Markup, element: Any, holds_text: Callable[[Any], bool], breaks: Callable[[Any], bool], raw: set[int]
) -> Letters:
    """Letters of an element; runs whose characters stand for themselves are told to `raw`."""
    letters = Letters()
    text, span = markup.text, markup.spans[element]
    starts = {markup.spans[child].start: child for child in element.iter("*") if child is not element}
    at, run = span.inside, 0
    for match in TAG.finditer(text, span.inside, span.after):
        if match.start() < at:
            continue
        add_spelled(letters, text, at, match.start(), REFERENCE, unescape, run)
        run, at = run + 1, match.end()
        if text.startswith(CDATA, match.start()):
            raw.add(run)
            letters.add(text, match.start() + len(CDATA), match.end() - len("]]>"), run)
            run += 1
        child = starts.get(match.start())
        if child is not None and breaks(child):
            letters.add_one(" ", match.start(), match.start(), NO_RUN)
        if child is not None and not holds_text(child):
            at = markup.spans[child].end
    add_spelled(letters, text, at, span.after, REFERENCE, unescape, run)
    return letters


def _without(codes: "re.Pattern[str]", letters: Letters) -> Letters:
    """The letters that are no codes, in another run behind each."""
    kept, at = Letters(), 0
    spans = [match.span() for match in codes.finditer(letters.text)]
    for passed, (begin, end) in enumerate([*spans, (len(letters), len(letters))]):
        kept.take(letters, at, begin, passed * AFTER_A_CODE)
        at = end
    return kept
