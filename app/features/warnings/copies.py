"""A translation that is its source."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Final

from app.features.warnings.words import is_translatable, plain_words

__all__ = ["copied_words", "is_code"]

# So many words that could have been translated are no name and no title.
FEWEST: Final = 3.0
# The share of the words of the longer side that both have.
SHARE: Final = 0.7
# Signs of programs by their kind: blocks, ends of statements, calls, assignments, other operators, statements of SQL.
CODE: Final = tuple(
    map(
        re.compile,
        (
            r"\{(?!\w{0,30}\})",
            r";(?=\s{0,9}(?:\}|\Z))",
            r"(?<=\w)\((?![a-z]{1,2}\))",
            r"(?<![=<>!])=(?![=>])",
            r"==|!=|<=|>=|=>|->|::|&&|\|\||\+\+|\+=",
            r"\b(?:SELECT|FROM|WHERE|INSERT INTO|UPDATE|DELETE|CREATE TABLE|ALTER TABLE|JOIN|VALUES|ORDER BY|GROUP BY|LIMIT)\b",
        ),
    )
)
FEWEST_KINDS: Final = 2
# One sign of them, or bracket, for so many words: what only quotes some code is a sentence.
WORDS_A_SIGN: Final = 2
MESSAGE: Final = re.compile(r"\{\w{1,30}, ?(?:plural|select|selectordinal),")
WORD: Final = re.compile(r"[^\W\d_]+")
BRACKETS: Final = re.compile(r"[()\[\];]")


def copied_words(source: str, translation: str, is_clear: bool) -> list[str]:
    """The words of a copy, or nothing where the translation is none: names, numbers, code and single words may be copied.

    `is_clear` says that the words are known to be of the source's language and not of the other: then titles count as well.
    """
    ours, theirs = plain_words(source), plain_words(translation)
    if not theirs or is_code(translation):
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


def is_code(text: str) -> bool:
    """Whether a text is a piece of a program: signs of two kinds that programs have, one for every two words.

    Placeholders and messages with plural forms are none.
    """
    if MESSAGE.search(text):
        return False
    signs = [len(kind.findall(text)) for kind in CODE]
    if sum(map(bool, signs)) < FEWEST_KINDS:
        return False
    # A sign may be a bracket as well.
    return WORDS_A_SIGN * max(sum(signs), len(BRACKETS.findall(text)) + sum(signs[3:])) >= len(WORD.findall(text))


def _weight(words: Sequence[str]) -> float:
    """How many words could have been translated. The first begins a sentence, if no other has a capital."""
    weight = sum(map(is_translatable, words))
    rest = words[1:]
    begins = bool(rest) and len(words[0]) > 1 and words[0].istitle() and all(map(is_translatable, rest))
    return weight + begins
