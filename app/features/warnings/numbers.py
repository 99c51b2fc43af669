"""Numbers as values, whatever script and separators they are written in."""

import re
import unicodedata
from typing import Final

__all__ = ["number_values", "unmatched_numbers"]

# Groups are set off by . , ' or a blank; 万 and 亿 multiply.
NUMBER: Final = re.compile(r"(?:\d{1,3}(?: \d{3})+(?!\d)|\d+)(?:[.,'’٫٬\u00a0\u202f]\d+)*[万萬亿億]?")
TIMES: Final = {"万": 10_000, "萬": 10_000, "亿": 100_000_000, "億": 100_000_000}
SEPARATORS: Final = " .,'’٫٬\u00a0\u202f"


def number_values(text: str) -> list[tuple[str, frozenset[str]]]:
    """Every number of a text as it stands there, with the values it may have: 1.500 is 1500 or 1.5."""
    return [(match[0], _values(match[0])) for match in NUMBER.finditer(text)]


def _values(written: str) -> frozenset[str]:
    digits = "".join(str(unicodedata.digit(c)) if c.isdigit() else c for c in written)
    times = TIMES.get(digits[-1], 1)
    digits = digits.rstrip("".join(TIMES))
    used = [c for c in digits if c in SEPARATORS]
    whole = "".join(c for c in digits if c not in SEPARATORS)
    readings = []
    if used:
        head, _, tail = digits.rpartition(used[-1])
        decimal = "".join(c for c in head if c not in SEPARATORS) + "." + tail
        last_differs = len(set(used)) > 1
        if last_differs or (len(used) == 1 and len(tail) != 3):
            readings.append(decimal)
        elif len(used) == 1:
            readings += [whole, decimal]
        else:
            readings.append(whole)
    else:
        readings.append(whole)
    return frozenset(_canonical(reading, times) for reading in readings)


def _canonical(number: str, times: int) -> str:
    whole, _, fraction = number.partition(".")
    if times > 1:
        width = len(str(times)) - 1
        whole, fraction = whole + fraction[:width].ljust(width, "0"), fraction[width:]
    fraction = fraction.rstrip("0")
    return (whole.lstrip("0") or "0") + (f".{fraction}" if fraction else "")


def unmatched_numbers(source: str, translation: str) -> tuple[list[str], list[str]]:
    """Numbers of the source that the translation lacks, and numbers of the translation that the source lacks."""
    missing, there = number_values(source), number_values(translation)
    places: dict[str, list[int]] = {}
    for k in range(len(there) - 1, -1, -1):
        for value in there[k][1]:
            places.setdefault(value, []).append(k)
    taken: set[int] = set()
    lost = []
    for written, values in missing:
        match = None
        for value in values:
            of_value = places.get(value, [])
            while of_value and of_value[-1] in taken:
                of_value.pop()
            match = of_value[-1] if of_value and match is None else match
        if match is None:
            lost.append(written)
        else:
            taken.add(match)
    return lost, [written for k, (written, _) in enumerate(there) if k not in taken]
