"""Words of numbers, dates and units by language, from Unicode's CLDR: ``python -m scripts.cldr``.

Writes ``app/checks/cldr.json``. Needs ``babel`` and ``unicode-rbnf``, which Assay itself does not use. The file has by
language:

- `numbers`: spelled cardinals and ordinals of 0 to 20, tens, 100 and 1000, with their values
- `months`: names with numbers
- `weekdays`: names with numbers, from 1 for Monday, and `short_weekdays`: abbreviations
- `magnitudes`: words such as million, with their powers of ten
- `units`: names of units
- `afternoons`: words of afternoons, evenings and nights

`signs` has the decimal sign and the sign of groups by tag. A region stands there if it differs from its language. A language has no
signs of its own if more than a third of its regions differ.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
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
    "cy",
    "da",
    "de",
    "el",
    "en",
    "es",
    "et",
    "fa",
    "fi",
    "fr",
    "ga",
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
SCRIPTS = {"sr": ("sr_Latn",)}
LARGEST_MINORITY = 1 / 3
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
# Languages with months and weekdays alone: their numbers count scores, and *míle* is a mile and a thousand.
CALENDARS = {"cy", "ga"}
# Single letters that stand for units behind a number; a `d` or `s` has other meanings there.
LETTERS = frozenset("′″glhmглм克升天年米周")
AFTERNOONS = ("pm", "afternoon1", "afternoon2", "evening1", "evening2", "night1")
LONGEST_UNIT = 3
SHORTEST_WORD = 4
FIRST_CHARACTER = "\u3040"
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


def names(group: Any, widths: Sequence[str] = ("wide", "abbreviated")) -> dict[str, int]:
    """Names of months or weekdays with their numbers, in every context and width but the one of single letters."""
    return {
        plain(name): number
        for context in ("format", "stand-alone")
        for width in widths
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
    """Return True for a word that is no abbreviation; a character of Chinese is a word."""
    return "." not in word and (len(word) >= SHORTEST_WORD or (not word.isascii() and (len(word) > 1 or word >= FIRST_CHARACTER)))


def words_of(language: str) -> dict[str, Any]:
    """All words of a language."""
    # Babel merges aliases into data that languages share.
    localedata._cache.clear()
    locale = Locale.parse(language)
    # Dates of a language in two scripts.
    scripts = [locale, *map(Locale.parse, SCRIPTS.get(language, ()))]
    calendar = {
        "months": {name: month for script in scripts for name, month in names(script.months).items()},
        "weekdays": {name: day + 1 for script in scripts for name, day in names(script.days, ["wide"]).items()},
        "short_weekdays": sorted({name for script in scripts for name in names(script.days, ["abbreviated"])}),
    }
    if language in CALENDARS:
        return calendar
    return {
        "numbers": number_words(language),
        **calendar,
        "magnitudes": magnitudes(locale),
        "units": units(locale),
        "afternoons": afternoons(locale),
    }


def signs() -> dict[str, str]:
    """The decimal sign and the sign of groups by tag: ",." for German, ".’" for Swiss German."""
    regions: dict[str, dict[str, str]] = {}
    for name in sorted(localedata.locale_identifiers()):
        locale = Locale.parse(name)
        symbols = dict(locale.number_symbols.get("latn", {}))
        # Scripts of a language share its signs.
        if symbols and (locale.script is None or locale.territory):
            regions.setdefault(locale.language, {})[locale.territory or ""] = symbols["decimal"] + symbols["group"][:1]
    signs_by_tag: dict[str, str] = {}
    for language, signs_by_region in regions.items():
        decimals = Counter(signs[0] for region, signs in signs_by_region.items() if len(region) == len("DE"))
        base = signs_by_region.pop("", "")
        if decimals and decimals[base[:1]] < (1 - LARGEST_MINORITY) * decimals.total():
            base = ""
        if base:
            signs_by_tag[language] = base
        signs_by_tag |= {f"{language}-{region}": signs for region, signs in signs_by_region.items() if signs != base}
    return {tag: text.replace("\u202f", "\u00a0") for tag, text in signs_by_tag.items()}


def main() -> None:
    """Write the file."""
    content: dict[str, Any] = {"source": f"Unicode CLDR, by Babel {__version__} and unicode-rbnf; Unicode License v3"}
    content["languages"] = {language: words_of(language) for language in LANGUAGES}
    content["signs"] = signs()
    lines = json.dumps(content, ensure_ascii=False, sort_keys=True, separators=(",", ":")).replace('},"', '},\n"')
    TARGET.write_text(lines + "\n", "utf-8")


if __name__ == "__main__":
    main()
