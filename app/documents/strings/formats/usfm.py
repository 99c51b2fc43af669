r"""USFM of Bibles: ``de/41-MAT.usfm``.

Source: USFM 3.1 (docs.usfm.bible). Notes, figures and attributes are no part of a text, markers of characters are left out of it.
"""

import re
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from typing import ClassVar, Final, NamedTuple

from app.documents.strings.entry import StringEntry, StringFormat
from app.documents.strings.usfm_markers import BLANKS, PARAGRAPHS, UsfmToken, usfm_tokens
from app.documents.strings.usfm_words import usfm_pieces, with_words
from app.text.reading.encodings import refuse

__all__ = ["Usfm"]

BYTE_ORDER_MARK: Final = "\ufeff"
BOOK: Final = re.compile(r"[ \t]*+([A-Za-z0-9]{3})(?![A-Za-z0-9])")
CHAPTER: Final = re.compile(r"[ \t]*+([0-9]{1,3})(?![0-9])")
# Ranges and segments; marks of direction may stand before and behind a sign.
VERSE: Final = re.compile(r"[ \t]*+([0-9]{1,3}[a-z]?(?:[\u200e\u200f]?[-,][\u200e\u200f]?[0-9]{1,3}[a-z]?){0,9})(?![0-9A-Za-z])")
DIRECTION: Final = re.compile("[\u200e\u200f]")
NO_BOOK: Final = r"a book begins with \id and its code of three letters, as \id GEN"
# Faults of numbers by their marker.
NUMBERS: Final = {
    "id": (BOOK, NO_BOOK),
    "c": (CHAPTER, r"a chapter has a number, as \c 3"),
    "v": (VERSE, r"a verse has a number, as \v 3, \v 3a or \v 3-4, and stands in a chapter of a book"),
}


class Usfm(StringFormat):
    r"""Verses, and headings and other paragraphs with a text of their own.

    Text over several paragraphs belongs to its verse. A heading within a verse divides it into two texts.
    """

    name: ClassVar = "usfm"
    title: ClassVar = "USFM (Bibles)"
    suffixes: ClassVar = (".usfm", ".sfm")

    def entries(self, text: str, name: str) -> list[StringEntry]:
        r"""Verses by ``GEN 1:3``, ``GEN 1:3-4`` or ``GEN 1:3a``; headings by ``GEN mt``, ``GEN 1 s`` and ``GEN 1 s#2``.

        The marker ``\s1`` is ``\s``, as the documentation has it.
        """
        counts: Counter[str] = Counter()
        entries = []
        for part in _parts(text, name):
            words = usfm_pieces(text, name, part.start, part.end)
            if words:
                counts[part.key] += 1
                key = part.key if counts[part.key] == 1 else f"{part.key}#{counts[part.key]}"
                entries.append(StringEntry(key, "".join(word.value for word in words), words[0].start, words[-1].end))
        return entries

    def spelled(self, new: str, text: str, entry: StringEntry) -> str:
        """The words that differ; markers and notes between them stay."""
        return with_words(new, text, entry.start, entry.end)


class _Part(NamedTuple):
    """A part of a file with one text, and its key."""

    key: str
    start: int
    end: int


def _parts(text: str, name: str) -> Iterator[_Part]:
    """Verses, headings and other paragraphs, some of them blank."""
    begin = len(BYTE_ORDER_MARK) if text.startswith(BYTE_ORDER_MARK) else 0
    markers = [token for token in usfm_tokens(text, name, begin, len(text)) if token.kind in PARAGRAPHS]
    if text[begin : markers[0].start if markers else len(text)].strip(BLANKS):
        raise refuse("invalid-document", name, NO_BOOK, text, begin)
    book = chapter = verse = outer_verse = key = ""
    start = 0
    for (kind, marker, place, at), following in pairwise([*markers, UsfmToken("structure", "", len(text), len(text))]):
        # A heading without text, such as those of chunks, divides no verse.
        is_blank = kind == "heading" and not text[at : following.start].strip(BLANKS)
        if is_blank or (kind == "verses" and verse and key == verse):
            continue
        if key:
            yield _Part(key, start, place)
        key, start = "", at
        if marker in NUMBERS:
            number = NUMBERS[marker][0].match(text, at)
            if number is None or (marker == "v" and not chapter):
                raise refuse("invalid-document", name, NUMBERS[marker][1], text, place)
            book = number[1].upper() if marker == "id" else book
            chapter = {"id": "", "c": number[1]}.get(marker, chapter)
            key = verse = DIRECTION.sub("", f"{book} {chapter}:{number[1]}") if marker == "v" else ""
            start = number.end()
        elif marker in {"esb", "esbe"}:
            # A sidebar stands within a verse, and is no part of it.
            verse, outer_verse = ("", verse) if marker == "esb" else (outer_verse, "")
        elif kind in {"verses", "heading"}:
            level = marker if marker.startswith("toc") else marker.removesuffix("1")
            key = verse if kind == "verses" and verse else " ".join(filter(None, [book, chapter, level]))
        if key and not book:
            raise refuse("invalid-document", name, NO_BOOK, text, place)
    if key:
        yield _Part(key, start, len(text))
