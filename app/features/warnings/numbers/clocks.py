"""Hours of one half of the day that the other side puts into the other half: 3:30 p.m. and 3:30 Uhr."""

import re
from collections.abc import Iterator
from itertools import islice
from typing import Final, Literal

from app.features.warnings.cldr import language_words, without_accents
from app.features.warnings.numbers.written import AFTERNOON, HALF_DAY, HOURS, NUMBER

__all__ = ["changed_halves"]

Half = Literal["a", "p", ""]
HOUR: Final = re.compile(r"0?[1-9]|1[0-9]|2[0-3]", re.ASCII)
MINUTES: Final = re.compile(r"[.:h]\d\d", re.ASCII)
# Minutes after an hour and its separator.
MINUTES_OF: Final = re.compile(r"\d ?[:hH時点點] ?\Z")
MORNING: Final = re.compile(r"(?:上午|早上|凌晨|清晨|午前|朝) ?の?\Z")
# Half a day before an hour has this many characters.
MARK: Final = 4
SHORTEST_STEM: Final = 4
# Texts with more hours are tables, of which the first ones are compared.
LIMIT: Final = 20


def changed_halves(source: str, translation: str, languages: tuple[str, str]) -> tuple[list[str], list[str]]:
    """Hours of the source and of the translation in different halves of the day; both empty unless both exist."""
    texts = (source, translation)
    hours = [list(islice(_hours(text), LIMIT)) for text in texts]
    missing: list[str] = []
    replacements: list[str] = []
    for first, second, words, further in ((0, 1, missing, replacements), (1, 0, replacements, missing)):
        for hour, half, word in hours[first]:
            if half != "p" or hour > HOURS - 1 or any(rival == hour + HOURS for rival, _, _ in hours[second]):
                continue
            equal = [(mark, text) for rival, mark, text in hours[second] if rival == hour]
            is_unmarked = not any(mark for mark, _ in equal) and not _names_afternoon(texts[second], languages[second])
            if equal and (is_unmarked or all(mark == "a" for mark, _ in equal)):
                words.append(word)
                further.append(equal[0][1])
    return missing, replacements


def _hours(text: str) -> Iterator[tuple[int, Half, str]]:
    """Numbers of a text that may be hours, with their half of the day and their words."""
    for match in NUMBER.finditer(text):
        begin, end = match.span()
        digits = MINUTES.sub("", match[0]) if MINUTES.search(match[0]) else match[0]
        if not HOUR.fullmatch(digits) or MINUTES_OF.search(text, max(0, begin - 3), begin):
            continue
        behind = HALF_DAY.match(text, end)
        half: Half = "" if behind is None else "p" if behind[1] in "pP" else "a"
        if AFTERNOON.search(text, max(0, begin - MARK), begin):
            half = "p"
        elif MORNING.search(text, max(0, begin - MARK), begin):
            half = "a"
        yield int(digits), half, match[0] if behind is None else text[begin : behind.end()]


def _names_afternoon(text: str, language: str) -> bool:
    """Return True if a text names an afternoon, an evening or a night, or its language has no such names."""
    plain, words = without_accents(text), language_words(language).afternoons
    return not words or any((word[:-1] if len(word) > SHORTEST_STEM else word) in plain for word in words)
