"""Findings that need several strings: plural forms, and translations that differ or coincide."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from app.checks import SegmentWarning
from app.checks.structure.plural_categories import CATEGORIES, categories_for
from app.operations.review.judging import finding
from app.operations.review.request import Finding
from app.operations.review.strings import ReviewString
from app.text.languages import base_language

__all__ = ["findings_across"]

INFO: Final = SegmentWarning("", severity="info")
# Single words such as "Open" have several meanings, and several words one translation.
FEWEST_WORDS: Final = 3


def findings_across(strings: Sequence[ReviewString], language: str) -> Iterator[Finding]:
    """Findings about changed strings of one language beside all of its strings. O(strings)."""
    yield from _plurals(strings, language)
    yield from _differences(strings, "inconsistent")
    yield from _differences(strings, "ambiguous")


def _plurals(strings: Sequence[ReviewString], language: str) -> Iterator[Finding]:
    """Keys whose plural forms lack a category of the language by CLDR."""
    forms: defaultdict[tuple[str, str], list[ReviewString]] = defaultdict(list)
    for string in strings:
        if string.plural in CATEGORIES:
            forms[string.path, string.key].append(string)
    for key_strings in forms.values():
        categories = {string.plural for string in key_strings}
        missing = [name for name in categories_for(base_language(language)).integers if name not in categories]
        change = next((string for string in key_strings if string.is_changed), None)
        if missing and change is not None:
            yield finding(change, "plurals", f"plural forms of {language} are missing: {', '.join(missing)}")


def _differences(strings: Sequence[ReviewString], code: str) -> Iterator[Finding]:
    """Changed strings with a text that has another counterpart elsewhere."""
    by_text: defaultdict[str, dict[str, ReviewString]] = defaultdict(dict)
    for string in strings:
        text, counterpart = _sides(string, code)
        if len(text.split()) >= FEWEST_WORDS and not string.plural:
            by_text[text].setdefault(counterpart, string)
    for counterparts in by_text.values():
        if len(counterparts) > 1:
            yield from _about(list(counterparts.values()), code)


def _about(strings: Iterable[ReviewString], code: str) -> Iterator[Finding]:
    """A finding about each changed string, which names another one."""
    strings = list(strings)
    for string in strings:
        if string.is_changed:
            rival = next(rival for rival in strings if rival is not string)
            text = rival.translation if code == "inconsistent" else rival.source
            place = f"{rival.path}, line {rival.place[0]}"
            verb = "is translated as" if code == "inconsistent" else "stands for"
            yield finding(string, code, f"{verb} “{text}” in {place}", INFO)


def _sides(string: ReviewString, code: str) -> tuple[str, str]:
    """The text that is shared, and the text that differs, without case and blanks at ends."""
    sides = string.source.strip().casefold(), string.translation.strip().casefold()
    return sides if code == "inconsistent" else sides[::-1]
