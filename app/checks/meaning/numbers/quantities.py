"""Equal numbers with units or magnitudes that differ: 5 mg and 5 g, 3 million and 3 Milliarden."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final, NamedTuple

from app.checks.cldr import language_words, without_accents
from app.checks.meaning.numbers.conversions import FACTORS, is_converted
from app.checks.meaning.numbers.magnitudes import CHINESE_POWERS, has_magnitude, power_behind, scaled
from app.checks.meaning.numbers.side import Side
from app.checks.meaning.numbers.written import Number, digit_values
from app.checks.words import LETTER

__all__ = ["changed_quantities", "unit_behind", "without_equal_amounts"]

# Units by their size; a month is a twelfth of a year.
SIZES: Final = {
    "microgram": 1e-6, "milligram": 1e-3, "gram": 1.0, "kilogram": 1e3, "tonne": 1e6,
    "millimetre": 1e-3, "centimetre": 1e-2, "metre": 1.0, "kilometre": 1e3,
    "millilitre": 1e-3, "centilitre": 1e-2, "decilitre": 0.1, "litre": 1.0,
    "second": 1.0, "minute": 60.0, "hour": 3600.0, "day": 86400.0, "week": 604800.0, "month": 2629800.0, "year": 31557600.0,
}  # fmt: skip
# Quinze jours are two weeks.
DURATION_TOLERANCE: Final = 0.08
TOLERANCE: Final = 1e-6
# Units of a kind replace each other, as units of different kinds do not: 5 kg for 5 days. Translators take yards as metres.
KINDS: Final = {
    unit: kind
    for kind, units in {
        "mass": "microgram milligram gram kilogram tonne pound ounce stone",
        "length": "millimetre centimetre metre kilometre inch foot mile",
        "volume": "millilitre centilitre decilitre litre pint gallon",
        "temperature": "celsius fahrenheit",
        "duration": "second minute hour day week month year",
    }.items()
    for unit in units.split()
}
# Words behind a number, or letters of a script without blanks.
CHARACTER: Final = r"[\u3040-\u9fff\uac00-\ud7a3]"
WORD: Final = rf"(?:(?!{CHARACTER}){LETTER}){{1,20}}"
WORDS: Final = re.compile(rf"[ \u00a0\u202f-]{{0,2}}(°? ?{WORD}(?:[ .]{WORD}){{0,2}}|{CHARACTER}{{1,8}})")
FIRST_WORD: Final = re.compile(rf"[ \u00a0\u202f-]{{0,2}}°? ?(?:{CHARACTER}{{1,2}}|{WORD})")
FIRST_CHARACTER: Final = re.compile(CHARACTER)
# Texts with more quantities are tables, of which the first ones are compared.
LIMIT: Final = 20
# A magnitude of at least a thousand; ten and a hundred come and go.
SHORTEST_MAGNITUDE: Final = 2


class _Quantity(NamedTuple):
    """Values of a number without its sign and with it, and the sign: a unit or a power of ten."""

    values: frozenset[str]
    total_values: frozenset[str]
    sign: str
    words: str


def changed_quantities(source: Side, translation: Side) -> tuple[list[str], list[str]]:
    """Numbers whose unit or magnitude the other side replaces, with their replacements, or whose magnitude it drops or adds."""
    if not (source.numbers or translation.numbers):
        return [], []
    missing, replacements = _changed(_with_units(source, translation), _with_units(translation, source))
    first, second = (list(islice(_with_magnitudes(side), LIMIT)) for side in (source, translation))
    further_missing, further_replacements = _changed(first, second)
    further_missing += _without_magnitude(first, translation)
    further_replacements += _without_magnitude(second, source)
    return missing + further_missing, replacements + further_replacements


def without_equal_amounts(
    missing: list[Number], extra: list[Number], source: Side, translation: Side
) -> tuple[list[Number], list[Number]]:
    """Numbers of both sides without amounts that the other side has in another unit: 24 months are 2 years."""
    if not (missing and extra) or max(len(missing), len(extra)) > LIMIT:
        return missing, extra
    remaining, rest = [], list(extra)
    for number in missing:
        unit = unit_behind(source, number.end)
        match = next((rival for rival in rest if _is_equal(number, unit, rival, unit_behind(translation, rival.end))), None)
        if match is None:
            remaining.append(number)
        else:
            rest.remove(match)
    return remaining, rest


def _is_equal(number: Number, unit: str | None, rival: Number, rival_unit: str | None) -> bool:
    if unit not in SIZES or rival_unit not in SIZES or KINDS[unit] != KINDS[rival_unit]:
        return False
    tolerance = DURATION_TOLERANCE if KINDS[unit] == "duration" else TOLERANCE
    return any(
        abs(float(value) * SIZES[unit] - float(result) * SIZES[rival_unit]) <= tolerance * float(value) * SIZES[unit]
        for value in number.values
        for result in rival.values
    )


def unit_behind(side: Side, end: int) -> str | None:
    """Unit of the number that ends at `end`; None for another word."""
    match = WORDS.match(side.text, end)
    if match is None:
        return None
    words, units = without_accents(match[1]).replace("\u00b5", "\u03bc"), language_words(side.language).units
    if FIRST_CHARACTER.match(match[1]):
        beginnings = (words[:length] for length in range(len(words), 0, -1))
    else:
        parts = words.split(" ")
        beginnings = (" ".join(parts[:count]).replace("° ", "°") for count in range(len(parts), 0, -1))
    return next((units[beginning] for beginning in beginnings if beginning in units), None)


def _with_units(side: Side, opposite: Side) -> list[_Quantity]:
    """Quantities with units, without those that the opposite side converts: the 10 inches of 25 cm are no 10 cm."""
    results = [float(value) for result in opposite.numbers[:LIMIT] for value in result.values]
    quantities = []
    for number in side.numbers:
        unit = unit_behind(side, number.end)
        values = digit_values(number.text)
        if unit not in KINDS or (unit in FACTORS and any(is_converted(float(value), unit, results) for value in values)):
            continue
        quantities.append(_Quantity(values, frozenset(), unit, _phrase(side, number)))
        if len(quantities) == LIMIT:
            break
    return quantities


def _with_magnitudes(side: Side) -> Iterator[_Quantity]:
    for number in side.numbers:
        power, word = power_behind(side.text, number.end, side.language)
        # The m of 100m may be metres.
        if power > SHORTEST_MAGNITUDE and (len(word) > 1 or word in CHINESE_POWERS):
            values = digit_values(number.text)
            yield _Quantity(values, frozenset(scaled(value, power) for value in values), str(power), _phrase(side, number))


def _phrase(side: Side, number: Number) -> str:
    """A number with the word behind it, or a letter or two of a script without blanks."""
    match = FIRST_WORD.match(side.text, number.end)
    return side.text[number.start : number.end if match is None else match.end()]


def _changed(first: Sequence[_Quantity], second: Sequence[_Quantity]) -> tuple[list[str], list[str]]:
    """Quantities of both sides with equal values, comparable signs and no sign in common."""
    missing, replacements = [], []
    for quantity in first:
        rivals = [rival for rival in second if quantity.values & rival.values and _kind(rival) == _kind(quantity)]
        equals = [rival for rival in first if quantity.values & rival.values]
        is_equal = any(rival.sign == equal.sign or rival.total_values & equal.total_values for rival in rivals for equal in equals)
        if rivals and not is_equal:
            missing.append(quantity.words)
            replacements += [rival.words for rival in rivals]
    return missing, replacements


def _kind(quantity: _Quantity) -> str:
    """Kind of a sign, one for masses and volumes: no translation turns 20 mg into 20 ml."""
    kind = KINDS.get(quantity.sign, "magnitude")
    return "mass" if kind == "volume" else kind


def _without_magnitude(quantities: Sequence[_Quantity], opposite: Side) -> list[str]:
    """Quantities whose numbers the opposite side repeats without any magnitude, unless it copies them."""
    if not quantities or has_magnitude(opposite.text, opposite.language):
        return []
    values = frozenset(value for number in opposite.numbers for value in number.values)
    return [
        quantity.words
        for quantity in quantities
        if quantity.values & values and not quantity.total_values & values and quantity.words not in opposite.text
    ]
