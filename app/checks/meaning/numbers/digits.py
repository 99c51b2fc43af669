"""Numbers in digits of one side only, compared by their values."""

import re
from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from typing import Final, NamedTuple

from app.checks.cldr import language_words
from app.checks.meaning.numbers.clocks import other_halves
from app.checks.meaning.numbers.conversions import convertible, is_converted, is_roughly_celsius
from app.checks.meaning.numbers.dates.months import months_of
from app.checks.meaning.numbers.magnitudes import scaled
from app.checks.meaning.numbers.quantities import without_equal_amounts
from app.checks.meaning.numbers.side import Side
from app.checks.meaning.numbers.spoken import implied_values, spoken_values
from app.checks.meaning.numbers.written import Number

__all__ = ["UnmatchedNumbers", "unmatched_digits"]

# Dates and times as one number, which other languages write with other separators: 03.04.2021, 2021.04.03, 15.30.
DAY: Final = re.compile(r"(?:\d\d?\.\d\d?\.(?:\d{4}|\d\d)|\d{4}\.\d\d?\.\d\d?)")
# A day of a named month: 15.3.
DAY_OF_YEAR: Final = re.compile(r"[0-3]?\d\.[01]?\d")
TIME: Final = re.compile(r"(?:[01]?\d|2[0-4])\.[0-5]\d")
YEAR_DIGITS: Final = 7
# Texts with more unmatched numbers are tables.
CONVERSIONS: Final = 20
# Fewest digits of a telephone number.
TELEPHONE: Final = 7
DEGREE_DIGITS: Final = 3
# Characters between feet and inches.
FEET: Final = 7
SMALL: Final = frozenset({*map(str, range(21)), "100"})
OFTEN_WORDS: Final = frozenset({"1", "100"})


class UnmatchedNumbers(NamedTuple):
    """Numbers of the source without a counterpart, those of the translation, and True if one replaces another."""

    missing: list[str]
    extra: list[str]
    misleads: bool


def unmatched_digits(source: Side, translation: Side) -> UnmatchedNumbers:
    """Numbers in digits that only one side has."""
    missing, extra = _paired(source.numbers, translation.numbers)
    if not (missing or extra):
        return UnmatchedNumbers([], [], False)
    missing, extra = _without_dates(missing, extra, months_of(translation.text, translation.language))
    extra, missing = _without_dates(extra, missing, months_of(source.text, source.language))
    digits = "".join(map(_digits, missing))
    if not (missing or extra) or (len(digits) >= TELEPHONE and digits == "".join(map(_digits, extra))):
        # Groups of telephone numbers differ.
        return UnmatchedNumbers([], [], False)
    sides = _Digits(source), _Digits(translation)
    missing, extra = sides[0].without_words(missing, sides[1]), sides[1].without_words(extra, sides[0])
    missing, extra = sides[0].unconverted(missing, extra)
    extra, missing = sides[1].unconverted(extra, missing)
    missing, extra = without_equal_amounts(missing, extra, source, translation)
    missing, extra, are_hours = other_halves(missing, extra, source, translation)
    if not (missing and extra):
        missing, extra = sides[0].doubtful(missing, sides[1]), sides[1].doubtful(extra, sides[0])
    # One number replaces another, and is no rough conversion of it.
    is_rough = are_hours or sides[0].may_convert(missing, extra) or sides[1].may_convert(extra, missing)
    misleads = bool(missing and extra) and not is_rough
    return UnmatchedNumbers([number.text for number in missing], [number.text for number in extra], misleads)


class _Digits:
    """Numbers in digits of a side, and other writings of them."""

    def __init__(self, side: Side) -> None:
        self._text: Final = side.text
        self._language: Final = side.language
        self._numbers: Final = side.numbers
        self.lacks_words: Final = not language_words(side.language).numbers

    @cached_property
    def _word_values(self) -> frozenset[str]:
        values = spoken_values(self._text, self._language) | months_of(self._text, self._language)
        return frozenset(map(str, values))

    @cached_property
    def _digit_values(self) -> frozenset[str]:
        return frozenset(value for number in self._numbers for value in number.values)

    @cached_property
    def _year_values(self) -> frozenset[str]:
        return _implied(self._digit_values)

    def without_words(self, numbers: list[Number], opposite: "_Digits") -> list[Number]:
        """Numbers that the other side neither writes as words nor implies."""
        return [
            number
            for number in numbers
            if not (
                number.values & (opposite._word_values | opposite._year_values)
                or _implied(number.values) & (opposite._word_values | opposite._digit_values)
            )
        ]

    def has_unit(self, number: Number) -> bool:
        """True for a number in a customary unit, or for degrees by tens (80s)."""
        is_ten = len(number.text) <= DEGREE_DIGITS and self._text[number.end : number.end + 1] == "s"
        return is_ten or self._unit(number) is not None

    def _unit(self, number: Number) -> str | None:
        return convertible(self._text, number.end, self._language)

    def may_convert(self, numbers: list[Number], results: list[Number]) -> bool:
        """True if every number has a unit and may be one of `results` in another unit; translators round.

        English degrees may be degrees Fahrenheit; in other languages they are not.
        """
        celsius = [float(value) for result in results for value in result.values]
        return all(
            self.has_unit(number)
            and (
                self._unit(number) != "fahrenheit"
                or (self._language == "en" and any(is_roughly_celsius(float(v), c) for v in number.values for c in celsius))
            )
            for number in numbers
        )

    def doubtful(self, numbers: list[Number], opposite: "_Digits") -> list[Number]:
        """Numbers of this side that stay doubtful where the other side has no further number.

        Words may stand for 1 (an article), 100 (percent), a number in a customary unit, and a small one of an unknown language.
        """
        return [
            number
            for number in numbers
            if not (number.values & (SMALL if opposite.lacks_words else OFTEN_WORDS) or self.has_unit(number))
        ]

    def unconverted(self, numbers: list[Number], results: list[Number]) -> tuple[list[Number], list[Number]]:
        """Numbers without those in customary units that `results`, or this side itself, convert; the rest of both."""
        if len(numbers) > CONVERSIONS or len(results) > CONVERSIONS:
            return numbers, results
        remaining, rest, feet_end = [], list(results), None
        for number in numbers:
            # 6-foot-6 is one height.
            if feet_end is not None and number.start - feet_end <= FEET:
                feet_end = None
                continue
            unit = self._unit(number)
            result = None if unit is None else self._result(number, unit, rest)
            if result is None:
                remaining.append(number)
                continue
            rest = [candidate for candidate in rest if candidate is not result]
            feet_end = number.end if unit == "foot" else None
        return remaining, rest

    def _result(self, number: Number, unit: str, results: list[Number]) -> Number | None:
        in_text = [candidate for candidate in self._numbers[:CONVERSIONS] if candidate.start != number.start]
        return next((result for result in [*results, *in_text] if _is_converted(number, unit, result)), None)


def _digits(number: Number) -> str:
    return "".join(c for c in number.text if c.isdigit())


def _is_converted(number: Number, unit: str, result: Number) -> bool:
    return any(is_converted(float(value), unit, [float(metric) for metric in result.values]) for value in number.values)


def _implied(values: frozenset[str]) -> frozenset[str]:
    return frozenset(map(str, implied_values(int(value) for value in values if value.isdecimal() and len(value) < YEAR_DIGITS)))


def _paired(missing: list[Number], numbers: list[Number]) -> tuple[list[Number], list[Number]]:
    """Remaining numbers of both sides after one of each value is taken from both."""
    places: dict[str, list[int]] = {}
    for k in range(len(numbers) - 1, -1, -1):
        for value in numbers[k].values:
            places.setdefault(value, []).append(k)
    matched_places: set[int] = set()
    missing_numbers: list[Number] = []
    for number in missing:
        match = None
        # 5,000 is 5000 before it is 5, which may be the 5 of 5 million.
        for value in sorted(number.values, key=lambda value: (-len(value), value)):
            of_value = places.get(value, [])
            while of_value and of_value[-1] in matched_places:
                of_value.pop()
            match = of_value[-1] if of_value and match is None else match
        if match is None:
            missing_numbers.append(number)
        else:
            matched_places.add(match)
    return missing_numbers, [number for k, number in enumerate(numbers) if k not in matched_places]


def _without_dates(first: Sequence[Number], second: Sequence[Number], months: frozenset[int]) -> tuple[list[Number], list[Number]]:
    """Remaining numbers of both after dates and times of the first whose parts are among the second or its months."""
    parts = Counter(value for number in second for value in number.values) + Counter(map(str, months))
    remaining: list[Number] = []
    date_parts: Counter[str] = Counter()
    for number in first:
        counts = (
            Counter(scaled(part, 0) for part in number.text.split(".")) if _is_moment(number.text, bool(months)) else Counter[str]()
        )
        if counts and all(parts[value] >= times for value, times in counts.items()):
            parts.subtract(counts)
            date_parts.update(counts)
        else:
            remaining.append(number)
    return remaining, _without(second, date_parts)


def _is_moment(text: str, has_months: bool) -> bool:
    if not text.isascii():
        return False
    return bool(DAY.fullmatch(text) or TIME.fullmatch(text) or (has_months and DAY_OF_YEAR.fullmatch(text)))


def _without(numbers: Sequence[Number], values: Counter[str]) -> list[Number]:
    """The numbers without one number per value."""
    counts, remaining = values.copy(), []
    for number in numbers:
        value = next((value for value in number.values if counts[value] > 0), None)
        if value is None:
            remaining.append(number)
        else:
            counts[value] -= 1
    return remaining
