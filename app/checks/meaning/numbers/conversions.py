"""Customary units, which translations convert into metric ones."""

import re
from collections.abc import Sequence
from typing import Final

from app.checks.cldr import language_words, without_accents

__all__ = ["FACTORS", "convertible", "is_converted", "is_roughly_celsius"]

# Metric values of a unit, by the common units of the other side.
FACTORS: Final = {
    "inch": (2.54, 25.4, 0.0254),
    "foot": (0.3048, 30.48),
    "yard": (0.9144,),
    "mile": (1.609, 1609.0),
    "pound": (0.4536, 453.6),
    "ounce": (28.35, 0.02835),
    "stone": (6.35,),
    "gallon": (3.785, 4.546),
    "pint": (0.473, 0.568, 473.0, 568.0),
    "acre": (0.4047, 4047.0),
    "square-foot": (0.0929,),
    "square-mile": (2.59,),
    "fahrenheit": (),
}
# A translation rounds: 20 feet are 6 metres, 300 pounds 140 kilos.
TOLERANCE: Final = 0.1
ROUNDING: Final = 0.6
DEGREES: Final = 1.5
# Ovens have steps of five degrees: 350 °F are 175 or 180 °C.
STEP: Final = 5
STEP_DEGREES: Final = 4.0
# A freely rounded temperature: 100 °F are "almost 40" or "over 30" °C, and never 10.
ROUGH_DEGREES: Final = 8.0
ROUGH_SHARE: Final = 0.4
UNIT: Final = re.compile(r"[ \u00a0\u202f-]{0,2}(?:square[ -])?([^\W\d_]{1,20}|[\u2032\u2033'\"°])")
# Abbreviations of units that are words of many languages: 5 in., but not 1998 in Paris or 1998 St. Gallen.
ABBREVIATIONS: Final = frozenset({"in", "st"})
ABBREVIATION_END: Final = re.compile(r"\.?(?:[),;:]|\Z)|\. [^\W\d_]")
RANGE: Final = re.compile(r" ?(?:-|–|to|bis|à|a|до) ?\d[\d.,]{0,12}")


def convertible(text: str, end: int, language: str) -> str | None:
    """Unit of the number that ends at `end`, or that a range (2 to 3 inches) begins with; None if nothing converts it."""
    following = RANGE.match(text, end)
    match = UNIT.match(text, following.end() if following else end)
    if match is None:
        return None
    word = without_accents(match[1])
    if word == "°":
        return "fahrenheit"
    if word in ("'", "\u2032"):
        return "foot"
    if word in ABBREVIATIONS and not ABBREVIATION_END.match(text, match.end()):
        return None
    unit = language_words(language).units.get(word)
    if "square" in match[0] and f"square-{unit}" in FACTORS:
        return f"square-{unit}"
    return unit if unit in FACTORS else None


def is_converted(value: float, unit: str, metric_values: Sequence[float]) -> bool:
    """True if one of the other numbers is a value in a customary unit, converted and rounded."""
    results = [value * factor for factor in FACTORS[unit]]
    if unit == "fahrenheit":
        # Temperatures, and differences of temperatures.
        celsius = (value - 32) * 5 / 9
        if any(abs(metric - celsius) <= (DEGREES if metric % STEP else STEP_DEGREES) for metric in metric_values):
            return True
        results = [value * 5 / 9]
    return any(_is_near(metric, result) for metric in metric_values for result in results)


def is_roughly_celsius(fahrenheit: float, celsius: float) -> bool:
    """True if a temperature, or a difference of temperatures, may be freely rounded to degrees Celsius."""
    difference = fahrenheit * 5 / 9
    is_difference = abs(celsius - difference) <= max(DEGREES, ROUGH_SHARE * difference)
    return is_difference or abs(celsius - (fahrenheit - 32) * 5 / 9) <= ROUGH_DEGREES


def _is_near(metric: float, result: float) -> bool:
    return abs(metric - result) <= max(TOLERANCE * abs(result), ROUNDING * metric.is_integer())
