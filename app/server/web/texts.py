"""The texts of pages in the reader's language: which language that is, its catalogue, and what templates call."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Final

from fastapi import Request

from app.server.web.languages import LANGUAGES, WRITTEN_IN, Language
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
# More than any browser sends; the header's size is bounded by the server.
MOST_RANGES: Final = 50


@cache
def catalogue(language: str) -> Mapping[str, str]:
    """Translations into a language, by the English text; nothing for English."""
    path = LOCALES / f"{language}.json"
    texts: dict[str, str] = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    return texts


@cache
def offered() -> tuple[Language, ...]:
    """The languages that pages can be read in, English first."""
    return tuple(spoken for tag, spoken in LANGUAGES.items() if tag == WRITTEN_IN or (LOCALES / f"{tag}.json").is_file())


@dataclass(frozen=True)
class Texts:
    """What a page is written with: called, it translates a text and fills its places."""

    language: Language
    translated: Mapping[str, str] = field(default_factory=dict)

    def __call__(self, text: str, **places: object) -> str:
        """The text in this language, or as it is where nobody translated it; places are filled where some are given."""
        form = self.translated.get(text, text)
        return fill(form, places, self.language) if places else form

    def number(self, value: float, digits: int | None = None) -> str:
        """A number as this language writes it."""
        return self.language.number(value, digits)

    def day(self, written: str) -> str:
        """The day that an ISO 8601 text begins with."""
        return self.language.day(written)

    def percent(self, share: float, digits: int = 0) -> str:
        """A share of one as percent."""
        return self("{share} %", share=self.number(100 * share, digits))

    def language_name(self, tag: str) -> str:
        """The name of a language by its tag, with its script and region: ``Serbian (Latin, RS)``; a tag without a name as it is."""
        language = base_language(tag)
        name, whole = tag_name(language), tag_name(tag)
        return self(name) + whole.removeprefix(name)

    def pair_name(self, source: str, target: str) -> str:
        """The names of a pair of languages, as ``Romanian → English``."""
        return f"{self.language_name(source)} → {self.language_name(target)}"

    def pair_title(self, written: str) -> str:
        """Names and tags of a pair, as ``Romanian → English (ro-en)``."""
        t = self
        if written == ANY_PAIR:
            return t("any languages")
        pair = LanguagePair.parse(written)
        return f"{self.pair_name(pair.source, pair.target)} ({pair})"


def texts_for(language: str) -> Texts:
    """The texts of a language that is offered."""
    return Texts(LANGUAGES[language], catalogue(language))


def nearest(tag: str, there: Iterable[str]) -> str | None:
    """Which of the languages a BCP 47 tag or range means, by RFC 4647's lookup: ``de-AT`` is ``de`` where there is no ``de-AT``.

    Chinese as it is written elsewhere is answered by the Chinese that is there. What is longer than a tag is none.
    """
    by_tag = {name.lower(): name for name in there}
    ranges = wider(tag)
    exact = next((by_tag[shorter] for shorter in ranges if shorter in by_tag), None)
    if exact is not None or not ranges:
        return exact
    return next((name for low, name in by_tag.items() if low.partition("-")[0] == ranges[-1]), None)


def wider(tag: str) -> list[str]:
    """A tag or range, then what is left of it by taking subtags from its end; nothing where it is too long for one."""
    if len(tag) > LONGEST_TAG:
        return []
    ranges = [tag.strip().lower().replace("_", "-")]
    while "-" in ranges[-1]:
        ranges.append(ranges[-1].rpartition("-")[0])
    return ranges


def accepted(header: str, there: Iterable[str]) -> str:
    """The language that an Accept-Language header likes best of those there; English where it likes none.

    By quality, then by place; what has the quality 0 is not taken by ``*`` either.
    """
    names = [WRITTEN_IN, *(name for name in there if name != WRITTEN_IN)]
    ranges = [_range(part, place) for place, part in enumerate(header.split(",", MOST_RANGES)[:MOST_RANGES])]
    refused = {nearest(name, names) for weight, _, name in ranges if weight == 0 and name != "*"}
    for weight, _, name in sorted(ranges):
        if weight == 0:
            continue
        language = next((tag for tag in names if tag not in refused), None) if name == "*" else nearest(name, names)
        if language is not None:
            return language
    return WRITTEN_IN


def _range(part: str, place: int) -> tuple[float, int, str]:
    """The weight, negative so that it sorts; the place, and the range."""
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
    """The language that the address asks for with ``?lang=``, where it is there."""
    wanted = request.query_params.get("lang", "")
    return nearest(wanted, [spoken.tag for spoken in offered()]) if wanted else None


def reader_texts(request: Request) -> Texts:
    """The texts for who asks: as the address says, or the browser was told before, or its own languages are."""
    there = [spoken.tag for spoken in offered()]
    remembered = _cookie(request.headers.getlist("cookie"))
    language = chosen_language(request) or (remembered if remembered in there else None)
    return texts_for(language or accepted(",".join(request.headers.getlist("accept-language")), there))


def _cookie(headers: Iterable[str]) -> str | None:
    """The language in headers called Cookie; in linear time, which a reader of all that cookies may be does not keep to."""
    for line in headers:
        for part in line.split(";"):
            name, _, value = part.strip().partition("=")
            if name == LANGUAGE_COOKIE:
                return value
    return None
