"""Language tags as people and tools write them, in their canonical form.

Source: BCP 47 (RFC 5646) for the grammar and its canonical form; the IANA registry and CLDR for replaced codes;
glibc for locales of POSIX (`en_US.UTF-8`, `sr_RS@latin`).
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from types import MappingProxyType
from typing import Final

from app.errors import InputError
from app.text.language_names import LANGUAGE_NAMES, REGIONS, SCRIPT_NAMES, SCRIPTS, TWO_LETTERS, VARIANTS, language_name

__all__ = [
    "LONGEST_TAG",
    "TAG_FORM",
    "LanguageTag",
    "canonical_language",
    "has_known_parts",
    "is_known",
    "parse_tag",
    "read_tag",
    "tag_name",
]

LONGEST_TAG: Final = 64
TAG_FORM: Final = "write a language as its BCP 47 tag, such as 'en', 'en-US', 'zh-Hant' or 'sr-Latn-RS'"
# Codes for undetermined, multiple, no or private languages.
NO_LANGUAGE: Final = frozenset({"und", "mul", "zxx", "mis", "qaa"})
# Replacements of old codes; also the main language of a group whose name usually means it.
REPLACEMENTS: Final = MappingProxyType(
    {
        "iw": "he", "in": "id", "ji": "yi", "mo": "ro", "mol": "ro", "jw": "jv", "cmn": "zh", "arb": "ar", "pes": "fa", "swh": "sw",
        "ekk": "et", "lvs": "lv", "zsm": "ms", "npi": "ne", "ory": "or", "uzn": "uz", "azj": "az", "khk": "mn", "plt": "mg",
        "ydd": "yi", "als": "sq", "knn": "kok", "ayx": "nun", "fat": "ak",
    }
)  # fmt: skip
# Old codes of Serbo-Croatian, read as Serbian in Latin script.
SERBO_CROATIAN: Final = frozenset({"sh", "hbs", "scr"})
# Languages that a second three-letter code may follow. That code then is the language: zh-yue.
EXTENSIBLE_LANGUAGES: Final = frozenset({"ar", "kok", "ms", "lv", "sgn", "sw", "uz", "zh"})
OLD_REGIONS: Final = MappingProxyType(
    {"UK": "GB", "DD": "DE", "FX": "FR", "BU": "MM", "TP": "TL", "YU": "RS", "ZR": "CD", "YD": "YE"}
)
# Grandfathered tags, from before the grammar of BCP 47.
IRREGULAR: Final = MappingProxyType(
    {
        "art-lojban": "jbo", "en-gb-oed": "en-GB-oxendict", "i-hak": "hak", "i-klingon": "tlh", "i-lux": "lb", "i-navajo": "nv",
        "no-bok": "nb", "no-nyn": "nn", "zh-guoyu": "zh", "zh-hakka": "hak", "zh-min-nan": "nan", "zh-xiang": "hsn",
    }
)  # fmt: skip
# Modifiers of a locale, after @: a script, a variant, or empty if they say nothing about the language.
MODIFIERS: Final = MappingProxyType(
    {
        "latin": "Latn", "cyrillic": "Cyrl", "devanagari": "Deva", "iqtelif": "Latn", "valencia": "valencia",
        "euro": "", "quot": "", "boldquot": "", "cjknarrow": "",
    }
)  # fmt: skip
# Scripts of regions that differ from the script of the language elsewhere.
REGION_SCRIPTS: Final = MappingProxyType(
    {("zh", "TW"): "Hant", ("zh", "HK"): "Hant", ("zh", "MO"): "Hant", ("zh", "CN"): "Hans", ("zh", "SG"): "Hans"}
)
# Two codes for one written language; a resource may have either.
TWIN_CODES: Final = MappingProxyType({"nb": "no", "no": "nb"})


@dataclass(frozen=True)
class LanguageTag:
    """A language with its subtags, in canonical case; ``str`` writes the BCP 47 tag."""

    language: str
    script: str = ""
    region: str = ""
    variants: tuple[str, ...] = ()
    extensions: tuple[str, ...] = ()
    private: str = ""

    def __str__(self) -> str:
        parts = (self.language, self.script, self.region, *self.variants, *self.extensions, self.private)
        return "-".join(part for part in parts if part)

    def wider(self) -> list[str]:
        """Tags from this one down to the bare language, each less specific; resources are looked up in this order."""
        bare = replace(self, variants=(), extensions=(), private="")
        script = self.script or REGION_SCRIPTS.get((self.language, self.region), "")
        tags = [self, replace(self, extensions=(), private=""), bare, replace(bare, script="")]
        tags += [LanguageTag(self.language, script), LanguageTag(self.language)]
        if self.language in TWIN_CODES:
            tags.append(LanguageTag(TWIN_CODES[self.language]))
        return list(dict.fromkeys(map(str, tags)))


def parse_tag(text: str) -> LanguageTag:
    """Parse a tag; InputError (`unknown-language-pair`) shows the accepted form."""
    tag = _parse(text) if len(text) <= LONGEST_TAG else None
    if tag is None or tag.language in NO_LANGUAGE:
        raise InputError("unknown-language-pair", TAG_FORM)
    return tag


def read_tag(text: str | None) -> LanguageTag | None:
    """Parse a tag in a field of a file; None if the field is empty, ``*all*``, ``und``, ``C`` or no tag."""
    tag = _parse(text) if text is not None and len(text) <= LONGEST_TAG else None
    return None if tag is None or tag.language in NO_LANGUAGE else tag


def canonical_language(text: str) -> str:
    """Canonical form of a tag; InputError (`unknown-language-pair`) shows the accepted form."""
    return str(parse_tag(text))


def is_known(tag: LanguageTag) -> bool:
    """Return True if the language has a name in the tables. A three-letter code without one may still be valid."""
    return tag.language in LANGUAGE_NAMES


def has_known_parts(tag: LanguageTag) -> bool:
    """Return True if script, region and variants of a tag exist; ``mt-large`` has the form of a tag, but names no variant."""
    return tag.script in {"", *SCRIPTS} and tag.region in {"", *REGIONS} and VARIANTS.issuperset(tag.variants)


def tag_name(text: str) -> str:
    """English name of a tag, as ``Serbian (Latin, RS)``; the text itself if it is no tag or has no name."""
    tag = read_tag(text)
    if tag is None or not is_known(tag):
        return text
    details = [SCRIPT_NAMES.get(tag.script, tag.script), tag.region, *tag.variants, *tag.extensions, tag.private]
    description = ", ".join(part for part in details if part)
    return f"{language_name(tag.language)} ({description})" if description else language_name(tag.language)


@lru_cache(maxsize=1024)
def _parse(text: str) -> LanguageTag | None:
    """Tag of a text of bounded length, read once from left to right; None if the text is no tag."""
    plain = text.strip()
    if not plain.isascii():
        return None
    locale, _, modifier = plain.partition("@")
    # A locale names an encoding after a full stop.
    locale, stop, encoding = locale.partition(".")
    if stop and not encoding.replace("-", "").replace("_", "").isalnum():
        return None
    locale = IRREGULAR.get(locale.lower(), locale)
    subtag = ""
    if modifier:
        if modifier.lower() not in MODIFIERS:
            return None
        subtag = MODIFIERS[modifier.lower()]
    tag = _Subtags(locale.replace("_", "-")).tag()
    if tag is None or not subtag:
        return tag
    if len(subtag) == 4:
        return tag if tag.script else replace(tag, script=subtag)
    return replace(tag, variants=tuple(dict.fromkeys((*tag.variants, subtag))))


class _Subtags:
    """Subtags of a tag, consumed from left to right in the order of the grammar."""

    def __init__(self, text: str) -> None:
        self._subtags = text.split("-")[::-1]

    def _next(self) -> str:
        return self._subtags[-1] if self._subtags else ""

    def _take(self, fits: bool) -> str:
        return self._subtags.pop() if fits else ""

    def tag(self) -> LanguageTag | None:
        if not all(0 < len(part) <= 8 and part.isalnum() for part in self._subtags):
            return None
        language, script = self._language()
        part = self._next()
        script = self._take(len(part) == 4 and part.isalpha()).title() or script
        part = self._next()
        region = self._take((len(part) == 2 and part.isalpha()) or (len(part) == 3 and part.isdigit())).upper()
        variants = tuple(self._variants())
        extensions = sorted(self._extensions())
        private = "-".join(self._subtags[::-1]).lower() if self._next().lower() == "x" and len(self._subtags) > 1 else ""
        if not language or (self._subtags and not private):
            return None
        singletons = {extension[0] for extension in extensions}
        if len(set(variants)) < len(variants) or len(singletons) < len(extensions):
            return None
        return LanguageTag(language, script, OLD_REGIONS.get(region, region), variants, tuple(extensions), private)

    def _language(self) -> tuple[str, str]:
        """Present code of the language and the script that an old code implies; empty strings if they are missing."""
        part = self._next().lower()
        code = self._take(2 <= len(part) <= 3 and part.isalpha()).lower()
        code = TWO_LETTERS.get(code, code)
        extension = self._next()
        if code in EXTENSIBLE_LANGUAGES and len(extension) == 3 and extension.isalpha():
            code = self._subtags.pop().lower()
            code = TWO_LETTERS.get(code, code)
        if code in SERBO_CROATIAN:
            return "sr", "Latn"
        return REPLACEMENTS.get(code, code), ""

    def _variants(self) -> Iterator[str]:
        while (part := self._next()) and (len(part) >= 5 or (len(part) == 4 and part[0].isdigit())):
            yield self._subtags.pop().lower()

    def _extensions(self) -> Iterator[str]:
        while len(self._next()) == 1 and self._next().lower() != "x" and len(self._subtags) > 1 and len(self._subtags[-2]) > 1:
            parts = [self._subtags.pop()]
            while len(self._next()) > 1:
                parts.append(self._subtags.pop())
            yield "-".join(parts).lower()
