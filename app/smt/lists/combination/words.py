"""Words of system outputs for combination: punctuation is separate, and the original spacing is kept."""

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

__all__ = ["Spacing", "Word", "split_words"]


@dataclass(frozen=True)
class Word:
    """A word as written; `glued` is True if no blank precedes it."""

    text: str
    glued: bool = False


def split_words(text: str) -> list[Word]:
    """Split a text at blanks, and punctuation from both ends of each token; inner marks, such as hyphens, stay."""
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
    """Spacing between words, learnt from the texts of a segment and applied to combined texts."""

    def __init__(self, texts: Iterable[Sequence[Word]]) -> None:
        self._spacing: dict[tuple[str, str], bool] = {}
        for words in texts:
            for before, word in pairwise(words):
                # The first text with two adjacent words decides their spacing.
                self._spacing.setdefault((before.text, word.text), word.glued)

    def joined(self, words: Sequence[Word]) -> str:
        """Return the text of words; a new pair of words is spaced as the second word was in its own text."""
        pieces = []
        for place, word in enumerate(words):
            if place and not self._spacing.get((words[place - 1].text, word.text), word.glued):
                pieces.append(" ")
            pieces.append(word.text)
        return "".join(pieces)
