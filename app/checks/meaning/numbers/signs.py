"""Decimal signs and signs of groups that give a number another value, or that belong to the language of the source."""

import re
from collections.abc import Iterator
from itertools import islice
from typing import Final, NamedTuple

from app.checks.cldr import decimal_signs
from app.checks.meaning.numbers.magnitudes import power_behind, scaled
from app.checks.meaning.numbers.quantities import unit_behind
from app.checks.meaning.numbers.side import Side
from app.checks.meaning.numbers.written import Number, digit_values

__all__ = ["changed_signs"]

# Three digits behind a sign are a group or a fraction: 1,500. A fraction of one or two digits is clear: 1.5.
THOUSANDS: Final = re.compile(r"[1-9]\d{0,2}[.,]\d{3}", re.ASCII)
FRACTION: Final = re.compile(r"\d{1,6}[.,]\d{1,2}", re.ASCII)
MAY_DIFFER: Final = re.compile(r"\d[.,]\d", re.ASCII)
# Evidence of an amount behind a number, which is no version, section, date or time of the day.
AMOUNT: Final = re.compile(r"[ \u00a0\u202f]?(?:%|[$€£¥₽₹₩]|[KMGT]i?B\b|[kMG]?Hz\b|(?:[kM]bit|[KMG]bps)\b)")
NO_DECIMAL: Final = frozenset({"hour", "minute"})
LIMIT: Final = 20


class Signs(NamedTuple):
    """Numbers of the source with another value in the translation, their counterparts, and True if one is no copy."""

    missing: list[str]
    extra: list[str]
    misleads: bool


def changed_signs(source: Side, translation: Side) -> Signs:
    """Numbers that a translation copies or writes with signs that mean another value in its language. O(length).

    A copy leaves doubt, since writers mix signs. 1,500 in English and 1,5 in German are different for certain.
    """
    pairs: dict[str, str] = {}
    if MAY_DIFFER.search(source.text) and MAY_DIFFER.search(translation.text):
        signs = decimal_signs(source.tag), decimal_signs(translation.tag)
        if all(signs):
            pairs = dict(islice(_pairs(source, translation, signs), LIMIT))
    return Signs(list(pairs), list(dict.fromkeys(pairs.values())), any(number != copy for number, copy in pairs.items()))


def _pairs(source: Side, translation: Side, signs: tuple[str, str]) -> Iterator[tuple[str, str]]:
    numbers, results = (
        {number.text: _reading(number.text, of_side) for number in _plain(side)}
        for side, of_side in zip((source, translation), signs, strict=True)
    )
    has_one_sign = signs[0][0] == signs[1][0]
    for text, reading in numbers.items():
        if not reading or reading in results.values():
            continue
        values = digit_values(text)
        rival = next((rival for rival, result in results.items() if result and values & digit_values(rival)), "")
        # Writers of languages with points for decimals, such as Arabic, have points for groups too: 76.000.
        is_clear = not (has_one_sign and THOUSANDS.fullmatch(text) and THOUSANDS.fullmatch(rival))
        if rival and is_clear and results[rival] not in numbers.values():
            yield text, rival
    if has_one_sign:
        # A copied sign has the same meaning.
        return
    texts = {number.text for number in source.numbers[:LIMIT]}
    copies = (copy for copy in translation.numbers[:LIMIT] if copy.text in texts and signs[1][0] not in copy.text)
    yield from ((copy.text, copy.text) for copy in copies if FRACTION.fullmatch(copy.text) and _is_amount(translation, copy))


def _plain(side: Side) -> list[Number]:
    """Numbers without a magnitude: 2.8 billion are 2.800 million in some languages."""
    return [number for number in side.numbers[:LIMIT] if not power_behind(side.text, number.end, side.language)[0]]


def _reading(text: str, signs: str) -> str:
    """The value of a number by the signs of its language; empty for a sign that the language has not."""
    if not THOUSANDS.fullmatch(text):
        values = digit_values(text)
        return next(iter(values)) if len(values) == 1 else ""
    head, sign, tail = text[:-4], text[-4], text[-3:]
    return scaled(f"{head}.{tail}", 0) if sign == signs[0] else head + tail if sign == signs[1] else ""


def _is_amount(side: Side, number: Number) -> bool:
    text, end = side.text, number.end
    unit = unit_behind(side, end)
    return bool(AMOUNT.match(text, end) or power_behind(text, end, side.language)[0]) or (
        unit is not None and unit not in NO_DECIMAL
    )
