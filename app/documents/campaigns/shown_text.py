"""Texts as Pearmut 1.1 shows them: a few tags act as HTML there, and places count UTF-16 units."""

import re
from bisect import bisect_right
from dataclasses import dataclass
from typing import Final

__all__ = ["ShownText", "guarded_form", "plain_form"]

# WORD JOINER, invisible and without a width.
JOINER: Final = "\u2060"
# Pearmut inserts these tags as they are (`contentToCharSpans` and `isMediaContent` of its page); other signs are shown one by one.
TAG: Final = r"(?:/?(?:br|strong|b|i|p|em|h1|h2|h3)>|(?:audio|video|img|iframe) )"
ACTIVE_TAG: Final = re.compile(rf"<(?={JOINER}*+{TAG})")
INERT_TAG: Final = re.compile(rf"<{JOINER}(?={JOINER}*+{TAG})")
LARGEST_SINGLE_UNIT: Final = "\uffff"


def guarded_form(text: str) -> str:
    """The text with a joiner inside each tag that Pearmut would act on, so that people see the tag."""
    return ACTIVE_TAG.sub(f"<{JOINER}", text)


def plain_form(text: str) -> str:
    """The text before `guarded_form`; a text that had such joiners itself keeps them."""
    return INERT_TAG.sub("<", text)


@dataclass(frozen=True)
class ShownText:
    """A text, its form in a campaign, and the first UTF-16 unit there of each character; the last entry is the length."""

    text: str
    form: str
    units: tuple[int, ...]

    @classmethod
    def of(cls, text: str, guarded: bool = True) -> "ShownText":
        """A text of an input file; one of another maker's campaign is not `guarded` by joiners."""
        joined_places = {match.start() for match in ACTIVE_TAG.finditer(text)} if guarded else set()
        units = [0]
        for place, character in enumerate(text):
            width = 2 if character > LARGEST_SINGLE_UNIT else 1
            units.append(units[-1] + width + (place in joined_places))
        return cls(text, guarded_form(text) if guarded else text, tuple(units))

    @property
    def length(self) -> int:
        """Length in UTF-16 units; special tokens such as ``[missing]`` follow from this place on."""
        return self.units[-1]

    def to_units(self, start: int, end: int) -> tuple[int, int]:
        """First and last UTF-16 unit of the characters from `start` to before `end`."""
        return self.units[start], self.units[end] - 1

    def to_characters(self, first: int, last: int) -> tuple[int, int]:
        """Characters, from the first to before the second, that hold the UTF-16 units from `first` to `last`."""
        count = len(self.text)
        return min(bisect_right(self.units, first) - 1, count), min(bisect_right(self.units, last), count)
