"""Texts with placeholders: the part of ICU's MessageFormat that pages need.

``{name}`` is a placeholder. ``{name, plural, one {# file} other {# files}}`` has a form for each plural category of the language
by CLDR's names; ``#`` is the number. Braces and apostrophes cannot be quoted. `static/messages.js` implements this format for
scripts.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from app.server.web.languages import PageLanguage

__all__ = ["MessagePlace", "fill", "places_of"]

PLURAL: Final = "plural"
OTHER: Final = "other"


@dataclass(frozen=True)
class MessagePlace:
    """A placeholder in a text: its name, and its plural forms by category, if any."""

    name: str
    forms: Mapping[str, str]


def fill(text: str, places: Mapping[str, object], language: PageLanguage, counted: object = None) -> str:
    """Fill the placeholders of a text, with numbers in the language's format. A placeholder without a value stays."""
    out: list[str] = []
    at = 0
    while at < len(text):
        if text[at] == "#" and counted is not None:
            out.append(_format(counted, language))
        elif text[at] == "{" and (end := _closing(text, at)) > 0:
            out.append(_filled(text[at : end + 1], places, language))
            at = end
        else:
            out.append(text[at])
        at += 1
    return "".join(out)


def _filled(placeholder: str, places: Mapping[str, object], language: PageLanguage) -> str:
    place = _place(placeholder[1:-1])
    if place.name not in places:
        return placeholder
    value = places[place.name]
    if not place.forms:
        return _format(value, language)
    category = language.plural(value) if isinstance(value, int | float) else OTHER
    form = place.forms.get(category, place.forms.get(OTHER, ""))
    return fill(form, places, language, value)


def _format(value: object, language: PageLanguage) -> str:
    return language.number(value) if isinstance(value, int | float) else str(value)


def places_of(text: str) -> list[MessagePlace]:
    """All placeholders of a text, including those in plural forms; ValueError for unbalanced braces."""
    places: list[MessagePlace] = []
    at = 0
    while at < len(text):
        if text[at] == "}":
            raise ValueError("a brace is closed that was not opened")
        if text[at] == "{":
            end = _closing(text, at)
            if end < 0:
                raise ValueError("a brace is not closed")
            place = _place(text[at + 1 : end])
            places.append(place)
            for form in place.forms.values():
                places += places_of(form)
            at = end
        at += 1
    return places


def _place(inside: str) -> MessagePlace:
    name, _, rest = inside.partition(",")
    kind, _, forms = rest.partition(",")
    return MessagePlace(name.strip(), _forms(forms) if kind.strip() == PLURAL else {})


def _forms(text: str) -> dict[str, str]:
    """Forms such as ``one {# file} other {# files}`` by category."""
    forms: dict[str, str] = {}
    at = 0
    while (opened := text.find("{", at)) >= 0 and (end := _closing(text, opened)) > 0:
        forms[text[at:opened].strip()] = text[opened + 1 : end]
        at = end + 1
    return forms


def _closing(text: str, opened: int) -> int:
    """Position of the brace that closes the one at `opened`; -1 without one."""
    depth = 0
    for at in range(opened, len(text)):
        depth += {"{": 1, "}": -1}.get(text[at], 0)
        if depth == 0:
            return at
    return -1
