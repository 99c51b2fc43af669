"""Texts of pages in the reader's language: the choice of the language, its catalogue, and formatting in templates."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Final

from fastapi import Request

from app.server.web.languages import LANGUAGES, WRITTEN_IN, PageLanguage
from app.server.web.messages import fill
from app.text import tag_name
from app.text.language_tags import LONGEST_TAG
from app.text.languages import ANY_PAIR, LanguagePair, base_language

__all__ = [
    "LANGUAGE_COOKIE",
    "LANGUAGE_SECONDS",
    "Texts",
    "accepted",
    "catalogue",
    "chosen_language",
    "nearest",
    "offered",
    "reader_texts",
    "texts_for",
    "wider",
]

LOCALES: Final = Path(__file__).parent / "locales"
LANGUAGE_COOKIE: Final = "assay_lang"
LANGUAGE_SECONDS: Final = 365 * 24 * 3600
# No browser sends more; the server limits the size of the header.
MOST_RANGES: Final = 50


@cache
def catalogue(language: str) -> Mapping[str, str]:
    """Translations into a language by English text; empty for English."""
    path = LOCALES / f"{language}.json"
    texts: dict[str, str] = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    return texts


@cache
def offered() -> tuple[PageLanguage, ...]:
    """Languages of the pages, English first."""
    return tuple(language for tag, language in LANGUAGES.items() if tag == WRITTEN_IN or (LOCALES / f"{tag}.json").is_file())


@dataclass(frozen=True)
class Texts:
    """Texts of a page; a call translates a text and fills its placeholders."""

    language: PageLanguage
    translated: Mapping[str, str] = field(default_factory=dict)

    def __call__(self, text: str, **places: object) -> str:
        """Translate a text, if a translation exists; fill its placeholders if `places` has values."""
        form = self.translated.get(text, text)
        return fill(form, places, self.language) if places else form

    def number(self, value: float, digits: int | None = None) -> str:
        """A number in the language's format."""
        return self.language.number(value, digits)

    def day(self, text: str) -> str:
        """The date at the start of an ISO 8601 text, in the language's format."""
        return self.language.day(text)

    def percent(self, share: float, digits: int = 0) -> str:
        """A share as percent."""
        return self("{share} %", share=self.number(100 * share, digits))

    def language_name(self, tag: str) -> str:
        """Name of a language tag with script and region, such as ``Serbian (Latin, RS)``; a tag without a name stays."""
        language = base_language(tag)
        name, full_name = tag_name(language), tag_name(tag)
        return self(name) + full_name.removeprefix(name)

    def pair_name(self, source: str, target: str) -> str:
        """Names of a language pair, such as ``Romanian → English``."""
        return f"{self.language_name(source)} → {self.language_name(target)}"

    def pair_title(self, tag: str) -> str:
        """Names and tags of a pair, such as ``Romanian → English (ro-en)``."""
        t = self
        if tag == ANY_PAIR:
            return t("any languages")
        pair = LanguagePair.parse(tag)
        return f"{self.pair_name(pair.source, pair.target)} ({pair})"


def texts_for(language: str) -> Texts:
    """Texts in one of the languages of the pages."""
    return Texts(LANGUAGES[language], catalogue(language))


def nearest(tag: str, languages: Iterable[str]) -> str | None:
    """The language nearest to a BCP 47 tag or range, by RFC 4647's lookup: ``de`` for ``de-AT`` without texts in ``de-AT``.

    Without a match, another variety of the language is taken, such as ``zh-CN`` for ``zh-TW``. None for a text longer than a tag.
    """
    by_tag = {name.lower(): name for name in languages}
    ranges = wider(tag)
    exact = next((by_tag[shorter] for shorter in ranges if shorter in by_tag), None)
    if exact is not None or not ranges:
        return exact
    return next((name for low, name in by_tag.items() if low.partition("-")[0] == ranges[-1]), None)


def wider(tag: str) -> list[str]:
    """A tag or range, then its shorter forms without the last subtags; empty for a text longer than a tag."""
    if len(tag) > LONGEST_TAG:
        return []
    ranges = [tag.strip().lower().replace("_", "-")]
    while "-" in ranges[-1]:
        ranges.append(ranges[-1].rpartition("-")[0])
    return ranges


def accepted(header: str, languages: Iterable[str]) -> str:
    """The language that an Accept-Language header prefers among `languages`; English without a match.

    Ranges are ordered by quality, then by place. ``*`` never stands for a language with quality 0.
    """
    names = [WRITTEN_IN, *(name for name in languages if name != WRITTEN_IN)]
    ranges = [_range(part, place) for place, part in enumerate(header.split(",", MOST_RANGES)[:MOST_RANGES])]
    excluded = {nearest(name, names) for weight, _, name in ranges if weight == 0 and name != "*"}
    for weight, _, name in sorted(ranges):
        if weight == 0:
            continue
        language = next((tag for tag in names if tag not in excluded), None) if name == "*" else nearest(name, names)
        if language is not None:
            return language
    return WRITTEN_IN


def _range(part: str, place: int) -> tuple[float, int, str]:
    """The negated weight (for sorting), the place, and the range."""
    name, *parameters = part.split(";")
    weight = 1.0
    for parameter in parameters:
        key, _, value = parameter.partition("=")
        if key.strip().lower() == "q":
            try:
                weight = float(value)
            except ValueError:
                weight = 0.0
    return (-weight if 0 <= weight <= 1 else 0.0, place, name.strip())


def chosen_language(request: Request) -> str | None:
    """The language of ``?lang=`` in the address; None without a match."""
    tag = request.query_params.get("lang", "")
    return nearest(tag, [language.tag for language in offered()]) if tag else None


def reader_texts(request: Request) -> Texts:
    """Texts in the reader's language: from the address, else from the cookie, else from Accept-Language."""
    tags = [language.tag for language in offered()]
    cookie = _cookie(request.headers.getlist("cookie"))
    language = chosen_language(request) or (cookie if cookie in tags else None)
    return texts_for(language or accepted(",".join(request.headers.getlist("accept-language")), tags))


def _cookie(headers: Iterable[str]) -> str | None:
    """The language in Cookie headers, read in linear time; general cookie parsers take longer for hostile headers."""
    for line in headers:
        for part in line.split(";"):
            name, _, value = part.strip().partition("=")
            if name == LANGUAGE_COOKIE:
                return value
    return None
