"""Language tags as people and tools write them, in their canonical form.

Source: BCP 47 (RFC 5646) for the grammar and its canonical form; the IANA registry and CLDR for codes that have another one now;
glibc for locales of POSIX (`en_US.UTF-8`, `sr_RS@latin`).
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from types import MappingProxyType
from typing import Final

from app.errors import InputError
from app.text.language_names import LANGUAGE_NAMES, SCRIPT_NAMES, TWO_LETTERS, language_name

__all__ = ["ACCEPTED", "LONGEST_TAG", "LanguageTag", "canonical_language", "is_known", "parse_tag", "read_tag", "tag_name"]

LONGEST_TAG: Final = 64
ACCEPTED: Final = "a language is given by its BCP 47 tag, such as 'en', 'en-US', 'zh-Hant' or 'sr-Latn-RS'"
# What says that there is no one language.
NO_LANGUAGE: Final = frozenset({"und", "mul", "zxx", "mis", "qaa"})
# Codes that are another one now; and the main language of a group, where both names mean it.
REPLACED: Final = MappingProxyType(
    {
        "iw": "he", "in": "id", "ji": "yi", "mo": "ro", "mol": "ro", "jw": "jv", "cmn": "zh", "arb": "ar", "pes": "fa", "swh": "sw",
        "ekk": "et", "lvs": "lv", "zsm": "ms", "npi": "ne", "ory": "or", "uzn": "uz", "azj": "az", "khk": "mn", "plt": "mg",
        "ydd": "yi", "als": "sq", "knn": "kok", "ayx": "nun", "fat": "ak",
    }
)  # fmt: skip
# Serbo-Croatian, which was written in Latin script where it was not called Serbian.
SERBO_CROATIAN: Final = frozenset({"sh", "hbs", "scr"})
# Only under these may a second code of three letters stand, which is the language then: zh-yue.
WITH_EXTENDED: Final = frozenset({"ar", "kok", "ms", "lv", "sgn", "sw", "uz", "zh"})
REGIONS: Final = MappingProxyType({"UK": "GB", "DD": "DE", "FX": "FR", "BU": "MM", "TP": "TL", "YU": "RS", "ZR": "CD", "YD": "YE"})
# Tags from before the grammar.
IRREGULAR: Final = MappingProxyType(
    {
        "art-lojban": "jbo", "en-gb-oed": "en-GB-oxendict", "i-hak": "hak", "i-klingon": "tlh", "i-lux": "lb", "i-navajo": "nv",
        "no-bok": "nb", "no-nyn": "nn", "zh-guoyu": "zh", "zh-hakka": "hak", "zh-min-nan": "nan", "zh-xiang": "hsn",
    }
)  # fmt: skip
# What stands behind @ in a locale: a script, a variant, or nothing that is said of a language.
MODIFIERS: Final = MappingProxyType(
    {
        "latin": "Latn", "cyrillic": "Cyrl", "devanagari": "Deva", "iqtelif": "Latn", "valencia": "valencia",
        "euro": "", "quot": "", "boldquot": "", "cjknarrow": "",
    }
)  # fmt: skip
# The script of a region where it is not that of the language elsewhere.
REGION_SCRIPTS: Final = MappingProxyType(
    {("zh", "TW"): "Hant", ("zh", "HK"): "Hant", ("zh", "MO"): "Hant", ("zh", "CN"): "Hans", ("zh", "SG"): "Hans"}
)
# Two codes for one written language, where one of them may be all there is.
RELATED: Final = MappingProxyType({"nb": "no", "no": "nb"})


@dataclass(frozen=True)
class LanguageTag:
    """A language and what is said of it, in canonical case; ``str`` writes it as a BCP 47 tag."""

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
        """This tag, then those that say less and less, down to the language: what may answer where nothing narrower is there."""
        bare = replace(self, variants=(), extensions=(), private="")
        script = self.script or REGION_SCRIPTS.get((self.language, self.region), "")
        tags = [self, replace(self, extensions=(), private=""), bare, replace(bare, script="")]
        tags += [LanguageTag(self.language, script), LanguageTag(self.language)]
        if self.language in RELATED:
            tags.append(LanguageTag(RELATED[self.language]))
        return list(dict.fromkeys(map(str, tags)))


def parse_tag(text: str) -> LanguageTag:
    """The tag that a text is; InputError (`unknown-language-pair`) says what is accepted."""
    tag = _parse(text) if len(text) <= LONGEST_TAG else None
    if tag is None or tag.language in NO_LANGUAGE:
        raise InputError("unknown-language-pair", ACCEPTED)
    return tag


def read_tag(text: str | None) -> LanguageTag | None:
    """The same of a field of a file, which may say nothing: None where it is empty, ``*all*``, ``und``, ``C`` or no tag."""
    tag = _parse(text) if text is not None and len(text) <= LONGEST_TAG else None
    return None if tag is None or tag.language in NO_LANGUAGE else tag


def canonical_language(text: str) -> str:
    """The canonical form of a tag; InputError says what is accepted."""
    return str(parse_tag(text))


def is_known(tag: LanguageTag) -> bool:
    """Whether the language has a name here; a code of three letters that has none may still be a language."""
    return tag.language in LANGUAGE_NAMES


def tag_name(text: str) -> str:
    """The English name of a tag, as ``Serbian (Latin, RS)``; the text itself where it is no tag or has no name."""
    tag = read_tag(text)
    if tag is None or not is_known(tag):
        return text
    more = [SCRIPT_NAMES.get(tag.script, tag.script), tag.region, *tag.variants, *tag.extensions, tag.private]
    shown = ", ".join(part for part in more if part)
    return f"{language_name(tag.language)} ({shown})" if shown else language_name(tag.language)


@lru_cache(maxsize=1024)
def _parse(text: str) -> LanguageTag | None:
    """The tag of a text of bounded length, looked at once from left to right; None where it is none."""
    plain = text.strip()
    if not plain.isascii():
        return None
    written, _, modifier = plain.partition("@")
    # A locale names an encoding behind a stop.
    written, stop, encoding = written.partition(".")
    if stop and not encoding.replace("-", "").replace("_", "").isalnum():
        return None
    written = IRREGULAR.get(written.lower(), written)
    added = ""
    if modifier:
        if modifier.lower() not in MODIFIERS:
            return None
        added = MODIFIERS[modifier.lower()]
    tag = _Subtags(written.replace("_", "-")).tag()
    if tag is None or not added:
        return tag
    if len(added) == 4:
        return tag if tag.script else replace(tag, script=added)
    return replace(tag, variants=tuple(dict.fromkeys((*tag.variants, added))))


class _Subtags:
    """The subtags of a tag, taken one after the other in the order of the grammar."""

    def __init__(self, text: str) -> None:
        self._left = text.split("-")[::-1]

    def _next(self) -> str:
        return self._left[-1] if self._left else ""

    def _take(self, fits: bool) -> str:
        return self._left.pop() if fits else ""

    def tag(self) -> LanguageTag | None:
        if not all(0 < len(part) <= 8 and part.isalnum() for part in self._left):
            return None
        language, script = self._language()
        part = self._next()
        script = self._take(len(part) == 4 and part.isalpha()).title() or script
        part = self._next()
        region = self._take((len(part) == 2 and part.isalpha()) or (len(part) == 3 and part.isdigit())).upper()
        variants = tuple(self._variants())
        extensions = sorted(self._extensions())
        private = "-".join(self._left[::-1]).lower() if self._next().lower() == "x" and len(self._left) > 1 else ""
        if not language or (self._left and not private):
            return None
        singletons = {extension[0] for extension in extensions}
        if len(set(variants)) < len(variants) or len(singletons) < len(extensions):
            return None
        return LanguageTag(language, script, REGIONS.get(region, region), variants, tuple(extensions), private)

    def _language(self) -> tuple[str, str]:
        """The code that is used now, and the script that goes with an old one; nothing where there is none."""
        part = self._next().lower()
        code = self._take(2 <= len(part) <= 3 and part.isalpha()).lower()
        code = TWO_LETTERS.get(code, code)
        extended = self._next()
        if code in WITH_EXTENDED and len(extended) == 3 and extended.isalpha():
            code = self._left.pop().lower()
            code = TWO_LETTERS.get(code, code)
        if code in SERBO_CROATIAN:
            return "sr", "Latn"
        return REPLACED.get(code, code), ""

    def _variants(self) -> Iterator[str]:
        while (part := self._next()) and (len(part) >= 5 or (len(part) == 4 and part[0].isdigit())):
            yield self._left.pop().lower()

    def _extensions(self) -> Iterator[str]:
        while len(self._next()) == 1 and self._next().lower() != "x" and len(self._left) > 1 and len(self._left[-2]) > 1:
            parts = [self._left.pop()]
            while len(self._next()) > 1:
                parts.append(self._left.pop())
            yield "-".join(parts).lower()
