"""Findings that need several strings: plural forms, and translations that differ or coincide."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence, Set
from typing import Final

from app.checks import SegmentWarning
from app.checks.structure.plural_categories import CATEGORIES, categories_for
from app.operations.review.judging import finding
from app.operations.review.request import Finding
from app.operations.review.reviewed import ReviewString
from app.text.languages import base_language

__all__ = ["findings_across"]

# File, line and column.
Place = tuple[str, int, int]
INFO: Final = SegmentWarning("", severity="info")
WARNING: Final = SegmentWarning("", severity="warning")
# Single words such as "Open" have several meanings, and several words one translation.
FEWEST_WORDS: Final = 3


def findings_across(strings: Sequence[ReviewString], language: str, suspects: Set[Place] = frozenset()) -> Iterator[Finding]:
    """Findings about changed strings of one language beside all of its strings. O(strings).

    `suspects` are places of strings with findings of their own. Such a string with the translation of one without findings has
    probably been confused with it.
    """
    yield from _plurals(strings, language)
    yield from _differences(strings, "inconsistent", suspects)
    yield from _differences(strings, "ambiguous", suspects)
    yield from _moved(strings)


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


def _differences(strings: Sequence[ReviewString], code: str, suspects: Set[Place]) -> Iterator[Finding]:
    """Changed strings with a text that has another counterpart elsewhere."""
    by_text: defaultdict[str, dict[str, ReviewString]] = defaultdict(dict)
    for string in strings:
        text, counterpart = _sides(string, code)
        if len(text.split()) >= FEWEST_WORDS and not string.plural:
            by_text[text].setdefault(counterpart, string)
    for counterparts in by_text.values():
        if len(counterparts) > 1:
            yield from _about(list(counterparts.values()), code, suspects)


def _moved(strings: Sequence[ReviewString]) -> Iterator[Finding]:
    """Strings whose new translation was that of another source before: both were probably confused."""
    changes = [string for string in strings if _has_new_translation(string)]
    by_text = {string.earlier[1].strip(): string for string in changes if string.earlier is not None}
    for string in changes:
        rival = by_text.get(string.translation.strip())
        if rival is not None and _folded(rival.source) != _folded(string.source):
            text = f"has the earlier translation of “{rival.source}” in {rival.path}, line {rival.place[0]}"
            yield finding(string, "ambiguous", text, WARNING)


def _has_new_translation(string: ReviewString) -> bool:
    """Return True for a translation that changed while its source did not."""
    if string.earlier is None or not string.is_changed:
        return False
    return string.earlier[0] == string.source and string.earlier[1] != string.translation


def _folded(text: str) -> str:
    return text.strip().casefold()


def _about(strings: Iterable[ReviewString], code: str, suspects: Set[Place]) -> Iterator[Finding]:
    """A finding about each changed string, which names another one."""
    strings = list(strings)
    is_suspect = {id(string): (string.path, *string.place[:2]) in suspects for string in strings}
    # The first two strings, those without findings before all others, hold a rival of each string.
    rivals = sorted(strings, key=lambda string: is_suspect[id(string)])[:2]
    for string in strings:
        if string.is_changed:
            rival = rivals[0] if rivals[0] is not string else rivals[1]
            is_confused = code == "ambiguous" and is_suspect[id(string)] and not is_suspect[id(rival)]
            text = rival.translation if code == "inconsistent" else rival.source
            place = f"{rival.path}, line {rival.place[0]}"
            verb = "is translated as" if code == "inconsistent" else "has the translation of"
            yield finding(string, code, f"{verb} “{text}” in {place}", WARNING if is_confused else INFO)


def _sides(string: ReviewString, code: str) -> tuple[str, str]:
    """The text that is shared, and the text that differs, without case and blanks at ends."""
    sides = _folded(string.source), _folded(string.translation)
    return sides if code == "inconsistent" else sides[::-1]
