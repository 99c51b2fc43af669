"""The languages of pages: native names, CLDR's plural rules, and formats of numbers and days."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from decimal import ROUND_HALF_UP, Decimal, localcontext
from typing import Final

__all__ = ["LANGUAGES", "WRITTEN_IN", "PageLanguage"]

# Language of the texts in templates and scripts; translations are the files locales/TAG.json.
WRITTEN_IN: Final = "en"
NARROW_SPACE: Final = "\u202f"
MILLION: Final = 10**6


def _one(number: float) -> str:
    return "one" if number == 1 else "other"


def _one_many(number: float) -> str:
    return "one" if number == 1 else "many" if number and number % MILLION == 0 else "other"


def _zero_is_one(number: float) -> str:
    return "one" if abs(number) < 2 else "many" if number % MILLION == 0 else "other"


def _romanian(number: float) -> str:
    if number == 1:
        return "one"
    return "few" if number % 1 or number == 0 or 1 <= abs(number) % 100 <= 19 else "other"


def _always_other(number: float) -> str:
    return "other"


@dataclass(frozen=True)
class PageLanguage:
    """Plural rule, number format and day format of a language.

    `categories` are the plural categories of whole numbers below a million.
    """

    tag: str
    own_name: str
    plural: Callable[[float], str]
    categories: tuple[str, ...]
    decimal: str
    group: str
    smallest_grouped: int
    day_form: str

    def number(self, value: float, digits: int | None = None) -> str:
        """A number with the language's separators and `digits` decimals; by default as many as needed, at most three.

        Halves are rounded away from zero, like `Intl` in scripts, so a number looks alike on every page.
        """
        with localcontext() as context:
            context.rounding = ROUND_HALF_UP
            plain = f"{Decimal(repr(float(value))):,.{3 if digits is None else digits}f}"
        plain = plain.rstrip("0").removesuffix(".") if digits is None else plain
        group = self.group if abs(value) >= self.smallest_grouped else ""
        return plain.translate({ord(","): group, ord("."): self.decimal})

    def day(self, text: str) -> str:
        """The date at the start of an ISO 8601 text, in the language's format; a text without a date stays unchanged."""
        try:
            return self.day_form.format(date.fromisoformat(text[:10]))
        except ValueError:
            return text


# https://cldr.unicode.org/ : plurals and numbers; English days are ISO 8601's.
LANGUAGES: Final = {
    language.tag: language
    for language in (
        PageLanguage("en", "English", _one, ("one", "other"), ".", ",", 1000, "{0}"),
        PageLanguage("de", "Deutsch", _one, ("one", "other"), ",", ".", 1000, "{0.day:02}.{0.month:02}.{0.year}"),
        PageLanguage("fr", "Français", _zero_is_one, ("one", "other"), ",", NARROW_SPACE, 1000, "{0.day:02}/{0.month:02}/{0.year}"),
        PageLanguage("es", "Español", _one_many, ("one", "other"), ",", ".", 10_000, "{0.day:02}/{0.month:02}/{0.year}"),
        PageLanguage("ro", "Română", _romanian, ("one", "few", "other"), ",", ".", 1000, "{0.day:02}.{0.month:02}.{0.year}"),
        PageLanguage("zh", "中文", _always_other, ("other",), ".", ",", 1000, "{0.year}年{0.month}月{0.day}日"),
    )
}
