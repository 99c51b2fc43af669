"""Values of words, held for the words that texts repeat."""

from collections.abc import Callable
from typing import Final, Generic, TypeVar

__all__ = ["WordTable"]

V = TypeVar("V")
# Words that a table holds, and their letters: no word of a dictionary is longer.
WORDS_AT_HAND: Final = 1 << 14
LONGEST_AT_HAND: Final = 40


class WordTable(dict[str, V], Generic[V]):
    """A function of words as a mapping, so that `map` looks up the words of a text without a call of Python for each.

    A full table is emptied; long words are never held.
    """

    def __init__(self, value_of: Callable[[str], V]) -> None:
        super().__init__()
        self._value_of = value_of

    def __missing__(self, word: str) -> V:
        value = self._value_of(word)
        if len(word) <= LONGEST_AT_HAND:
            if len(self) >= WORDS_AT_HAND:
                self.clear()
            self[word] = value
        return value
