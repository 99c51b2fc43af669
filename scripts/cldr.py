"""Words of numbers, dates and units by language, from Unicode's CLDR: ``python -m scripts.cldr``.

Writes ``app/checks/cldr.json``. Needs ``babel`` and ``unicode-rbnf``, which Assay itself does not use. The file has by
language:

- `numbers`: spelled cardinals and ordinals of 0 to 20, tens, 100 and 1000, with their values
- `months`: names with numbers
- `weekdays`: names
- `magnitudes`: words such as million, with their powers of ten
- `units`: names of units
- `afternoons`: words of afternoons, evenings and nights
"""

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from babel import Locale, __version__, localedata
from unicode_rbnf import FormatPurpose, RbnfEngine
from unicode_rbnf.engine import NoRuleForNumberError

TARGET = Path(__file__).parents[1] / "app" / "checks" / "cldr.json"
LANGUAGES = [
    "ar",
    "bg",
    "ca",
    "cs",
    "da",
    "de",
    "el",
    "en",
    "es",
    "et",
    "fa",
    "fi",
    "fr",
    "he",
    "hi",
    "hr",
    "hu",
    "id",
    "it",
    "ja",
    "ko",
    "lt",
    "lv",
    "ms",
    "nb",
    "ne",
    "nl",
    "pl",
    "pt",
    "ro",
    "ru",
    "si",
    "sk",
    "sl",
    "sq",
    "sr",
    "sv",
    "ta",
    "th",
    "tr",
    "uk",
    "vi",
    "zh",
]
VALUES = (*range(21), *range(30, 101, 10), 1000)
UNITS = {
    "length-inch": "inch", "length-foot": "foot", "length-yard": "yard", "length-mile": "mile", "mass-pound": "pound",
    "mass-ounce": "ounce", "mass-stone": "stone", "speed-mile-per-hour": "mile", "volume-gallon": "gallon", "area-acre": "acre",
    "area-square-foot": "square-foot", "area-square-mile": "square-mile", "temperature-fahrenheit": "fahrenheit",
    "volume-pint": "pint",
    "mass-kilogram": "kilogram", "mass-gram": "gram", "mass-milligram": "milligram", "mass-microgram": "microgram",
    "mass-tonne": "tonne", "mass-metric-ton": "tonne", "mass-ton": "tonne",
    "length-kilometer": "kilometre", "length-meter": "metre", "length-centimeter": "centimetre", "length-millimeter": "millimetre",
    "volume-liter": "litre", "volume-deciliter": "decilitre", "volume-centiliter": "centilitre", "volume-milliliter": "millilitre",
    "temperature-celsius": "celsius",
    "duration-second": "second", "duration-minute": "minute", "duration-hour": "hour", "duration-day": "day",
    "duration-week": "week", "duration-month": "month", "duration-year": "year",
}  # fmt: skip
# Single letters that stand for units behind a number; a `d` or `s` has other meanings there.
LETTERS = frozenset("′″glhmглм克升天年米周")
AFTERNOONS = ("pm", "afternoon1", "afternoon2", "evening1", "evening2", "night1")
LONGEST_UNIT = 3
SHORTEST_WORD = 4
WORD = re.compile(r"[^\W\d_]+(?:[ -][^\W\d_]+)*")


def plain(text: str) -> str:
    """A word as keys have it."""
    return text.lower().replace("\u00ad", "").strip(" .'\u00a0\u200f\u200e\u202f")


def forms_of(engine: RbnfEngine, value: int) -> Iterator[tuple[str, str]]:
    """Spelled forms of a number with the names of their rules."""
    for purpose in (FormatPurpose.CARDINAL, FormatPurpose.ORDINAL):
        # A language may lack spelled ordinals.
        with suppress(ValueError, NoRuleForNumberError):
            yield from engine.format_number(value, purpose).text_by_ruleset.items()


def number_words(language: str) -> dict[str, int]:
    """Spelled numbers with their values."""
    code = {"nb": "no"}.get(language, language)
    if code not in RbnfEngine.get_supported_languages():
        return {}
    engine, words = RbnfEngine.for_language(code), dict[str, int]()
    for value in VALUES:
        for name, text in forms_of(engine, value):
            # Years, verbose forms and numbering repeat the words of cardinals.
            if (
                name.startswith("spellout-")
                and not any(c.isdigit() for c in text)
                and len(plain(text)) > (language in ("zh", "ja"))
            ):
                words.setdefault(plain(text), value)
    return words


def texts_of(data: Any) -> Iterator[str]:
    """Texts at any depth, without the names of rates (per gram)."""
    for key, value in data.items() if hasattr(data, "items") else ():
        if key == "per":
            continue
        if isinstance(value, str):
            yield value
        elif hasattr(value, "items"):
            yield from texts_of(value)


def magnitudes(locale: Locale) -> dict[str, int]:
    """Words of powers of ten."""
    words: dict[str, int] = {}
    for style in ("long", "short"):
        for forms in dict(locale.compact_decimal_formats.get(style, {})).values():
            for power, pattern in forms.items():
                text = getattr(pattern, "pattern", str(pattern)).replace("'", "")
                zeros, word = text.count("0"), plain(re.sub(r"[0\u00a0 ]", "", text))
                if zeros and word:
                    words.setdefault(word, len(str(power)) - zeros)
    return words


def names(group: Any) -> dict[str, int]:
    """Names of months or weekdays with their numbers, in every context and width but the one of single letters."""
    return {
        plain(name): number
        for context in ("format", "stand-alone")
        for width in ("wide", "abbreviated")
        for number, name in dict(group[context][width]).items()
        if len(plain(name)) > 1 and not plain(name).isdigit()
    }


def units(locale: Locale) -> dict[str, str]:
    """Names and signs of customary units."""
    units_by_word: dict[str, str] = {}
    for key, unit in UNITS.items():
        data = locale._data["unit_patterns"].get(key, {})
        for text in texts_of(data):
            word = plain(text.replace("{0}", ""))
            if (len(word) > 1 or word in LETTERS) and len(word.split()) <= LONGEST_UNIT:
                units_by_word.setdefault(word, unit)
    return units_by_word


def afternoons(locale: Locale) -> list[str]:
    """Longest words of the names of afternoons, evenings and nights: tarde of *de la tarde*."""
    names = [
        (name, max(re.split(r"[ \u00a0\u2019]", plain(text)), key=len))
        for widths in locale.day_periods.values()
        for width in ("abbreviated", "wide")
        for name, text in dict(widths.get(width, {})).items()
    ]
    words = {word for name, word in names if name in AFTERNOONS and is_clear(word)}
    # The nights of a language may be its mornings too.
    return sorted(words - {word for name, word in names if name.startswith("morning")})


def is_clear(word: str) -> bool:
    """Return True for a word that is no abbreviation."""
    return "." not in word and (len(word) >= SHORTEST_WORD or not word.isascii())


def words_of(language: str) -> dict[str, Any]:
    """All words of a language."""
    # Babel merges aliases into data that languages share.
    localedata._cache.clear()
    locale = Locale.parse(language)
    return {
        "numbers": number_words(language),
        "months": names(locale.months),
        "weekdays": sorted(names(locale.days)),
        "magnitudes": magnitudes(locale),
        "units": units(locale),
        "afternoons": afternoons(locale),
    }


def main() -> None:
    """Write the file."""
    content = {"source": f"Unicode CLDR, by Babel {__version__} and unicode-rbnf; Unicode License v3", "languages": {}}
    content["languages"] = {language: words_of(language) for language in LANGUAGES}
    lines = json.dumps(content, ensure_ascii=False, sort_keys=True, separators=(",", ":")).replace('},"', '},\n"')
    TARGET.write_text(lines + "\n", "utf-8")


if __name__ == "__main__":
    main()
