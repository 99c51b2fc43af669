"""Composed texts (NFC), and the places of their characters in the original.

The order of n marks in a row costs n² in Unicode's algorithm, so that longer rows of marks are composed in parts.
"""

from collections.abc import Iterator, Sequence
from typing import Final
from unicodedata import combining, is_normalized, normalize

__all__ = ["composed", "composed_with_places"]

# Characters of a part that is looked at as a whole: at least, and at most.
PART, LONGEST_PART = 128, 256
# Characters that are composed together at most. No language puts as many marks on a letter.
MOST_MARKS: Final = 32


def composed(texts: Sequence[str]) -> Sequence[str]:
    """Texts in NFC: a letter with its accents is one character where Unicode has one."""
    return [text if _is_composed(text) else composed_with_places(text)[0] for text in texts]


def composed_with_places(text: str) -> tuple[str, list[tuple[int, int]]]:
    """The text in NFC, and begin and end in `text` of each of its characters; no places if the text is composed already."""
    if _is_composed(text):
        return text, []
    parts: list[str] = []
    places: list[tuple[int, int]] = []
    for begin, end in _joined_letters(text):
        part = normalize("NFC", text[begin:end])
        parts.append(part)
        places += [(begin, end)] * len(part)
    return "".join(parts), places


def _is_composed(text: str) -> bool:
    if text.isascii():
        return True
    if len(text) <= LONGEST_PART:
        return is_normalized("NFC", text)
    begin = 0
    while begin < len(text):
        end = min(begin + PART, len(text))
        while end < min(begin + LONGEST_PART, len(text)) and _joins(text[end - 1], text[end]):
            end += 1
        if not is_normalized("NFC", text[begin:end]):
            return False
        begin = end
    return True


def _joined_letters(text: str) -> Iterator[tuple[int, int]]:
    """Begin and end of each letter with its marks."""
    begin = 0
    for end in range(1, len(text) + 1):
        if end == len(text) or end - begin == MOST_MARKS or not _joins(text[begin:end], text[end]):
            yield begin, end
            begin = end


def _joins(before: str, character: str) -> bool:
    """True for a mark, and for a letter that composes with the text before it, as the parts of a Hangul syllable do."""
    return combining(character) > 0 or len(normalize("NFC", normalize("NFC", before)[-1] + character)) == 1
