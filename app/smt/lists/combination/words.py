"""Words of system outputs for combination: marks stand alone, and how texts were spaced is remembered."""

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

__all__ = ["Spacing", "Word", "split_words"]


@dataclass(frozen=True)
class Word:
    """A word as it was written, and whether it follows the word before without a blank."""

    text: str
    glued: bool = False


def split_words(text: str) -> list[Word]:
    """Tokens between blanks, with the marks at their beginning and end split off; marks inside, as hyphens, stay."""
    words = []
    for token in text.split():
        begin, end = 0, len(token)
        while begin < end and _is_mark(token[begin]):
            begin += 1
        while end > begin and _is_mark(token[end - 1]):
            end -= 1
        parts = [*token[:begin], token[begin:end], *token[end:]]
        words += [Word(part, place > 0) for place, part in enumerate(part for part in parts if part)]
    return words


def _is_mark(character: str) -> bool:
    return unicodedata.category(character)[0] in "PS"


class Spacing:
    """Where texts of one segment have no blank between two words: combined texts are spaced likewise."""

    def __init__(self, texts: Iterable[Sequence[Word]]) -> None:
        self._glued: dict[tuple[str, str], bool] = {}
        for words in texts:
            for before, word in pairwise(words):
                # The first text that has the two words side by side says how.
                self._glued.setdefault((before.text, word.text), word.glued)

    def joined(self, words: Sequence[Word]) -> str:
        """The text of words; two that no text had side by side are spaced as the second one was where it stood."""
        pieces = []
        for place, word in enumerate(words):
            if place and not self._glued.get((words[place - 1].text, word.text), word.glued):
                pieces.append(" ")
            pieces.append(word.text)
        return "".join(pieces)
