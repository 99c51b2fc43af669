"""A side of a segment: its text with its language, numbers and kinds of words."""

import re
from functools import cached_property, lru_cache
from typing import Final

from app.checks.meaning.numbers.readings import NUMBER, kinds_of
from app.checks.meaning.numbers.runs import NumberRun, number_runs
from app.checks.meaning.numbers.written import Number, number_values
from app.text.languages import base_language

__all__ = ["Side"]

DIGIT: Final = re.compile(r"\d")
# Tags of requests are few.
_language = lru_cache(maxsize=256)(base_language)


class Side:
    """The source or the translation of a segment; an unknown language is empty.

    `has_digits` is true if the text has a digit, and `kinds` has the flags of its words of letters.
    """

    def __init__(self, text: str, tag: str) -> None:
        self.text: Final = text
        self.tag: Final = tag
        self.language: Final = _language(tag)
        self.has_digits: Final = DIGIT.search(text) is not None
        self.kinds: Final = kinds_of(text, self.language)

    @cached_property
    def numbers(self) -> list[Number]:
        """Numbers that are written with digits, in order."""
        return number_values(self.text, self.language) if self.has_digits else []

    @cached_property
    def runs(self) -> list[NumberRun]:
        """Numbers that are written with words, in order."""
        return number_runs(self.text, self.language) if self.kinds & NUMBER else []
