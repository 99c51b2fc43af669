"""Corrections written into a document, and read again to see that they are there."""

from collections.abc import Callable, Mapping
from typing import Final

from app.documents.document import Document
from app.documents.retexting import Revised
from app.errors import InputError

__all__ = ["with_corrections"]

# The second time without those that were not there when they were read again.
ATTEMPTS: Final = 2


def with_corrections(
    raw: bytes, read: Callable[[bytes], Document], texts: Mapping[int, Revised]
) -> tuple[Document, frozenset[int]]:
    """A document that has other texts in place of the translations of these units, and the units whose text it cannot hold.

    `read` is what reads such documents. Whatever is written is what is read again, and no other unit changes.
    """
    document = read(raw)
    left: frozenset[int] = frozenset()
    for _ in range(ATTEMPTS):
        wanted = {number: text for number, text in texts.items() if number not in left}
        if not wanted:
            break
        content, refused = document.retext(wanted)
        left |= refused
        there = _read_again(read, content)
        wrong = wanted.keys() if there is None else _wrong(document, there, {k: wanted[k] for k in wanted.keys() - refused})
        if there is not None and not wrong:
            return there, left
        left |= frozenset(wrong)
    return document, frozenset(texts)


def _read_again(read: Callable[[bytes], Document], content: bytes) -> Document | None:
    try:
        return read(content)
    except InputError as error:
        if error.code == "too-slow":
            raise
        return None


def _wrong(before: Document, after: Document, texts: Mapping[int, Revised]) -> set[int]:
    """Units that should have another text and have not; all, where another than these is not as it was."""
    if len(before.units) != len(after.units):
        return set(texts)
    wrong: set[int] = set()
    for number, (old, new) in enumerate(zip(before.units, after.units, strict=True)):
        expected = texts[number].text if number in texts else old.translation
        if (new.source, new.translation) != (old.source, expected):
            if number not in texts:
                return set(texts)
            wrong.add(number)
    return wrong
