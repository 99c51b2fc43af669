"""A side of a segment: its text with its language and numbers."""

from dataclasses import dataclass
from functools import cached_property

from app.checks.meaning.numbers.runs import NumberRun, number_runs
from app.checks.meaning.numbers.written import Number, number_values

__all__ = ["Side"]


@dataclass(frozen=True)
class Side:
    """The source or the translation of a segment; an unknown language is empty."""

    text: str
    language: str

    @cached_property
    def numbers(self) -> list[Number]:
        """Numbers that are written with digits, in order."""
        return number_values(self.text, self.language)

    @cached_property
    def runs(self) -> list[NumberRun]:
        """Numbers that are written with words, in order."""
        return number_runs(self.text, self.language)
