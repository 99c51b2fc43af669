"""Corrections written into a document, and checked by reading it again."""

from collections.abc import Callable, Mapping
from typing import Final

from app.documents.document import Document
from app.documents.retexting import Revision
from app.errors import InputError

__all__ = ["with_corrections"]

# The second attempt omits corrections that the reader did not find after the first.
ATTEMPTS: Final = 2


def with_corrections(
    raw: bytes, read: Callable[[bytes], Document], texts: Mapping[int, Revision]
) -> tuple[Document, frozenset[int]]:
    """Write texts in place of the translations of units; return the document, and the units whose text it cannot hold.

    `read` parses such documents. The written file is read again to check that these units changed and no others did.
    """
    document = read(raw)
    failures: frozenset[int] = frozenset()
    for _ in range(ATTEMPTS):
        remainder = {number: text for number, text in texts.items() if number not in failures}
        if not remainder:
            break
        content, refusals = document.retext(remainder)
        failures |= refusals
        reread = _read_again(read, content)
        expected = {number: remainder[number] for number in remainder.keys() - refusals}
        wrong_units = remainder.keys() if reread is None else _wrong(document, reread, expected)
        if reread is not None and not wrong_units:
            return reread, failures
        failures |= frozenset(wrong_units)
    return document, frozenset(texts)


def _read_again(read: Callable[[bytes], Document], content: bytes) -> Document | None:
    try:
        return read(content)
    except InputError as error:
        if error.code == "too-slow":
            raise
        return None


def _wrong(original: Document, new_document: Document, texts: Mapping[int, Revision]) -> set[int]:
    """Units without their new text; all corrected units if any other unit changed."""
    if len(original.units) != len(new_document.units):
        return set(texts)
    wrong_units: set[int] = set()
    for number, (old, new) in enumerate(zip(original.units, new_document.units, strict=True)):
        expected = texts[number].text if number in texts else old.translation
        if (new.source, new.translation) != (old.source, expected):
            if number not in texts:
                return set(texts)
            wrong_units.add(number)
    return wrong_units
