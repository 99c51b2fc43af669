"""TMX 1.4 and its forerunners: units of a translation memory.

Source: LISA OSCAR, TMX 1.4b; a `<prop>` of its own carries what a tool adds.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Final

from app.documents.document import Document, Languages, Mark, Unit, counted, language_of
from app.documents.format import Format, ReadOptions, Sample
from app.documents.xml.markup import Edit, Markup, local_name, parse_markup, plain_text, quoted
from app.documents.xml.nesting import contained

__all__ = ["Tmx"]

XML: Final = "{http://www.w3.org/XML/1998/namespace}lang"
QUALITY: Final = "x-assay-quality"
TOLD: Final = "x-assay"
CODES: Final = frozenset({"bpt", "ept", "it", "ph", "ut", "sub"})
CONTAINERS: Final = frozenset({"body"})


@dataclass(frozen=True)
class Place:
    """A unit's texts and the variant on which marks are written."""

    unit: Unit
    variant: Any


class Tmx(Format):
    """Every unit that has the wanted languages, or those of the first unit.

    Marks are two properties on every translation: its confidence, and a sentence for people.
    """

    name: ClassVar = "tmx"
    title: ClassVar = "TMX"
    suffix: ClassVar = "tmx"
    media_type: ClassVar = "application/x-tmx+xml"

    def recognises(self, sample: Sample) -> bool:
        """The root is `<tmx>`."""
        return sample.root == "tmx"

    def read(self, raw: bytes, name: str, options: ReadOptions) -> Document:
        """The units of one language pair."""
        markup = parse_markup(raw, name)
        places, languages, skipped = _places(markup, options)
        units = tuple(place.unit for place in places)
        return Document(self.name, units, languages, skipped, write=partial(_written, markup, places))


def _written(markup: Markup, places: Sequence[Place], marks: Sequence[Mark]) -> bytes:
    edits: list[Edit] = []
    for place, mark in zip(places, marks, strict=True):
        variant = place.variant
        children = [child for child in variant if local_name(child)]
        edits += [markup.removal(c) for c in children if local_name(c) == "prop" and c.get("type") in (QUALITY, TOLD)]
        segment = next(child for child in children if local_name(child) == "seg")
        at, indentation = markup.spans[segment].start, markup.indentation(segment)
        props = (f'<prop type="{QUALITY}">{mark.number}</prop>', f'<prop type="{TOLD}">{quoted(mark.sentence)}</prop>')
        at -= len(indentation)
        edits.append(Edit(at, at, "".join(indentation + prop for prop in props)))
    return markup.encode(edits)


def _language(variant: Any) -> str | None:
    return language_of(variant.get(XML) or variant.get("lang"))


def _places(markup: Markup, options: ReadOptions) -> tuple[list[Place], Languages, int]:
    header, wanted = next(markup.root.iter("{*}header"), None), options.pair
    units = [
        (unit, {_language(child): child for child in reversed(unit) if local_name(child) == "tuv"})
        for _, unit in contained(markup, [markup.root], "tu", CONTAINERS)
    ]
    languages = (wanted.source, wanted.target) if wanted else _guess(header, units)
    places = list(counted(_translated(markup, (variants for _, variants in units), languages), options.most, markup.name))
    return places, languages, len(units) - len(places)


def _translated(markup: Markup, units: Iterable[dict[str | None, Any]], languages: Languages) -> Iterator[Place]:
    for variants in units:
        source, target = (_text(variants.get(language)) for language in languages)
        if source and target:
            variant = variants[languages[1]]
            yield Place(Unit(source, target, markup.line(variant)), variant)


def _guess(header: Any, units: Sequence[tuple[Any, dict[str | None, Any]]]) -> Languages:
    """The header's source language, or the first one; and the first other language."""
    there = [language for _, variants in units[:1] for language in reversed(variants)]
    header_language = language_of(header.get("srclang")) if header is not None else None
    source = header_language if header_language in there else next(iter(there), header_language)
    return source, next((language for language in there if language != source), None)


def _text(variant: Any) -> str:
    segment = None if variant is None else next((child for child in variant if local_name(child) == "seg"), None)
    return "" if segment is None else plain_text(segment, lambda child: local_name(child) not in CODES)
