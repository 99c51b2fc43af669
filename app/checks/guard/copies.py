"""Copies: translations equal to their sources."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Final

from app.checks.words import is_translatable, plain_words

__all__ = ["copied_words", "is_code"]

# This many translatable words are no name and no title.
WORD_MINIMUM: Final = 3.0
# This many suffice in a sentence: names and titles end without a full stop.
WORDS_OF_SENTENCE: Final = 2.0
SENTENCE_ENDS: Final = (".", "!", "?")
FEWEST_WORDS: Final = 2
# Share of common words on the longer side.
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
# Words per sign or bracket: a sentence that quotes code has more.
WORDS_A_SIGN: Final = 2
MESSAGE: Final = re.compile(r"\{\w{1,30}, ?(?:plural|select|selectordinal),")
WORD: Final = re.compile(r"[^\W\d_]+")
BRACKETS: Final = re.compile(r"[()\[\];]")


def copied_words(source: str, translation: str, is_clear: bool) -> list[str]:
    """The words of a copy, empty for another translation; names, numbers, code and single words may be copied.

    `is_clear`: the words clearly belong to the source language alone; then titles count as copies too.
    """
    source_words, target_words = plain_words(source), plain_words(translation)
    if not target_words or is_code(translation):
        return []
    counts = Counter(word.lower() for word in source_words)
    common: list[str] = []
    for word in target_words:
        if counts[word.lower()] > 0:
            counts[word.lower()] -= 1
            common.append(word)
    if len(common) < SHARE * max(len(source_words), len(target_words)):
        return []
    if len({word.lower() for word in common}) < FEWEST_WORDS:
        # Ha ha ha! No, no, no!
        return []
    weight = _weight(common)
    is_sentence = source == translation and translation.endswith(SENTENCE_ENDS) and weight >= WORDS_OF_SENTENCE
    is_long = weight >= WORD_MINIMUM or is_sentence
    return common if (is_long and (is_clear or 2 * weight >= len(common))) or (is_clear and len(common) >= WORD_MINIMUM) else []


def is_code(text: str) -> bool:
    """True for a piece of a program: signs of two kinds of program syntax, one for every two words.

    Placeholders and messages with plural forms are no programs.
    """
    if MESSAGE.search(text):
        return False
    signs = [len(kind.findall(text)) for kind in CODE]
    if sum(map(bool, signs)) < FEWEST_KINDS:
        return False
    # Some signs are brackets too.
    return WORDS_A_SIGN * max(sum(signs), len(BRACKETS.findall(text)) + sum(signs[3:])) >= len(WORD.findall(text))


def _weight(words: Sequence[str]) -> float:
    """Number of translatable words. A capital on the first word alone marks the beginning of a sentence."""
    weight = sum(map(is_translatable, words))
    rest = words[1:]
    begins = bool(rest) and len(words[0]) > 1 and words[0].istitle() and all(map(is_translatable, rest))
    return weight + begins
