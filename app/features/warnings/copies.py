"""A translation that is its source."""

from collections import Counter
from collections.abc import Sequence
from typing import Final

from app.features.warnings.words import is_translatable, plain_words

__all__ = ["copied_words"]

# So many words that could have been translated are no name and no title.
FEWEST: Final = 3.0
# The share of the words of the longer side that both have.
SHARE: Final = 0.7


def copied_words(source: str, translation: str, is_clear: bool) -> list[str]:
    """The words of a copy, or nothing where the translation is none: names, numbers, code and single words may be copied.

    `is_clear` says that the words are known to be of the source's language and not of the other: then titles count as well.
    """
    ours, theirs = plain_words(source), plain_words(translation)
    if not theirs:
        return []
    left = Counter(word.lower() for word in ours)
    both: list[str] = []
    for word in theirs:
        if left[word.lower()] > 0:
            left[word.lower()] -= 1
            both.append(word)
    if len(both) < SHARE * max(len(ours), len(theirs)):
        return []
    weight = _weight(both)
    return both if (weight >= FEWEST and (is_clear or 2 * weight >= len(both))) or (is_clear and len(both) >= FEWEST) else []


def _weight(words: Sequence[str]) -> float:
    """How many words could have been translated. The first begins a sentence, if no other has a capital."""
    weight = sum(map(is_translatable, words))
    rest = words[1:]
    begins = bool(rest) and len(words[0]) > 1 and words[0].istitle() and all(map(is_translatable, rest))
    return weight + begins
