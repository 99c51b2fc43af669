"""Letters of an element with their positions, for new text between its tags."""

import re
from collections.abc import Callable
from html import escape, unescape
from typing import Any, Final

from app.documents.retexting import NO_RUN, Edit, LetterChange, PlacedLetters, add_spelled, changes
from app.documents.xml.markup import TAG, XmlMarkup

__all__ = ["text_edits"]

REFERENCE: Final = re.compile(r"&(?:#[0-9]{1,7}|#x[0-9a-fA-F]{1,6}|lt|gt|amp|quot|apos);")
# Each code inside a text begins a new run; this is added to the numbers of the runs after it.
RUN_STEP: Final = 1_000_000
CDATA: Final = "<![CDATA["
# Limit of characters for texts with codes, since codes are searched in all letters.
LONGEST_WITH_CODES: Final = 1_000_000


def text_edits(
    markup: XmlMarkup,
    element: Any,
    old: str,
    new: str,
    holds_text: Callable[[Any], bool] = lambda child: True,
    breaks: Callable[[Any], bool] = lambda child: False,
    codes: "re.Pattern[str] | None" = None,
) -> list[Edit] | None:
    """Edits that change an element's plain text from `old` to `new` and keep all tags; None if that is impossible.

    `holds_text` and `breaks` are as in `plain_text`. Matches of `codes` in the text are no text either.
    """
    span = markup.spans[element]
    if codes is not None and span.after - span.inside > LONGEST_WITH_CODES:
        return None
    raw: set[int] = set()
    letters = _letters(markup, element, holds_text, breaks, raw)
    letters = letters if codes is None else _without(codes, letters)
    if letters.text != old:
        return None
    text_changes = changes(letters, new)
    if text_changes is None or any(_is_raw(change, raw) and "]]>" in new for change in text_changes):
        return None
    return [Edit(change.start, change.end, _escape(change, raw)) for change in text_changes]


def _escape(change: LetterChange, raw: set[int]) -> str:
    return change.text if _is_raw(change, raw) else escape(change.text, quote=False)


def _is_raw(change: LetterChange, raw: set[int]) -> bool:
    return change.run % RUN_STEP in raw


def _letters(
    markup: XmlMarkup, element: Any, holds_text: Callable[[Any], bool], breaks: Callable[[Any], bool], raw: set[int]
) -> PlacedLetters:
    """Letters of an element; `raw` receives the runs without escapes (CDATA)."""
    letters = PlacedLetters()
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


def _without(codes: "re.Pattern[str]", letters: PlacedLetters) -> PlacedLetters:
    """Letters without codes; each code begins a new run."""
    remainder = PlacedLetters()
    at = 0
    spans = [match.span() for match in codes.finditer(letters.text)]
    for code_count, (begin, end) in enumerate([*spans, (len(letters), len(letters))]):
        remainder.take(letters, at, begin, code_count * RUN_STEP)
        at = end
    return remainder
