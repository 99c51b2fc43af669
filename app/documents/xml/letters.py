"""The text of an element as letters with their places, so that other words can be put between its tags."""

import re
from collections.abc import Callable, Iterator
from html import unescape
from typing import Any, Final
from xml.sax.saxutils import escape

from app.documents.retexting import Change, Letter, changes, collapsed, spelled
from app.documents.xml.markup import TAG, Edit, Markup

__all__ = ["text_edits"]

REFERENCE: Final = re.compile(r"&(?:#[0-9]{1,7}|#x[0-9a-fA-F]{1,6}|lt|gt|amp|quot|apos);")
# What is behind a code that is part of the text is another run, numbered so many further on.
AFTER_A_CODE: Final = 1_000_000
CDATA: Final = "<![CDATA["


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
    raw: set[int] = set()
    letters = collapsed(_without(codes, list(_letters(markup, element, holds_text, breaks, raw))))
    if "".join(letter.text for letter in letters) != old:
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
) -> Iterator[Letter]:
    """Letters of an element; runs whose characters stand for themselves are told to `raw`."""
    text, span = markup.text, markup.spans[element]
    starts = {markup.spans[child].start: child for child in element.iter("*") if child is not element}
    at, run = span.inside, 0
    for match in TAG.finditer(text, span.inside, span.after):
        if match.start() < at:
            continue
        yield from spelled(text, at, match.start(), REFERENCE, unescape, run)
        run, at = run + 1, match.end()
        if match[0].startswith(CDATA):
            raw.add(run)
            for place in range(match.start() + len(CDATA), match.end() - len("]]>")):
                yield Letter(text[place], place, place + 1, run)
            run += 1
        child = starts.get(match.start())
        if child is not None and breaks(child):
            yield Letter(" ", match.start(), match.start(), None)
        if child is not None and not holds_text(child):
            at = markup.spans[child].end
    yield from spelled(text, at, span.after, REFERENCE, unescape, run)


def _without(codes: "re.Pattern[str] | None", letters: list[Letter]) -> list[Letter]:
    """The letters that are no codes, in another run behind each."""
    if codes is None:
        return letters
    kept: list[Letter] = []
    at = passed = 0
    for match in codes.finditer("".join(letter.text for letter in letters)):
        kept += [_moved(letter, passed) for letter in letters[at : match.start()]]
        at, passed = match.end(), passed + 1
    return kept + [_moved(letter, passed) for letter in letters[at:]]


def _moved(letter: Letter, by: int) -> Letter:
    return letter if letter.run is None else Letter(letter.text, letter.start, letter.end, letter.run + by * AFTER_A_CODE)
