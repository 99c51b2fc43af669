"""TMX 1.4 and its forerunners: units of a translation memory.

Source: LISA OSCAR, TMX 1.4b; a `<prop>` of its own carries what a tool adds.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import Any, ClassVar, Final

from app.documents.document import Document, Languages, Mark, Unit, counted, language_of
from app.documents.format import Format, ReadOptions, Sample
from app.documents.retexting import Revised
from app.documents.xml.letters import text_edits
from app.documents.xml.markup import Edit, Markup, local_name, parse_markup, plain_text, quoted, with_attributes
from app.documents.xml.nesting import contained
from app.running.deadline import awaited
from app.text.languages import base_language, same_language

__all__ = ["Tmx"]

XML: Final = "{http://www.w3.org/XML/1998/namespace}lang"
QUALITY: Final = "x-assay-quality"
TOLD: Final = "x-assay"
CORRECTION: Final = "x-assay-correction"
OURS: Final = frozenset({QUALITY, TOLD, CORRECTION})
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
        return Document(
            self.name, units, languages, skipped, write=partial(_written, markup, places),
            retext=partial(_with_texts, markup, places), holds_comment=lambda comment: True,
        )  # fmt: skip


def _written(markup: Markup, places: Sequence[Place], marks: Sequence[Mark]) -> bytes:
    edits: list[Edit] = []
    for place, mark in zip(awaited(places), marks, strict=True):
        variant = place.variant
        children = [child for child in variant if local_name(child)]
        edits += [markup.removal(c) for c in children if local_name(c) == "prop" and c.get("type") in OURS]
        segment = next(child for child in children if local_name(child) == "seg")
        at, indentation = markup.begin(segment), markup.indentation(segment)
        props = [f'<prop type="{QUALITY}">{mark.number}</prop>', f'<prop type="{TOLD}">{quoted(mark.sentence)}</prop>']
        if mark.comment:
            props.append(f'<prop type="{CORRECTION}">{quoted(mark.comment)}</prop>')
        edits.append(Edit(at, at, "".join(indentation + prop for prop in props)))
    return markup.encode(edits)


def _with_texts(markup: Markup, places: Sequence[Place], texts: Mapping[int, Revised]) -> tuple[bytes, frozenset[int]]:
    """The memory with other texts in place of translations, and when each was changed."""
    edits: list[Edit] = []
    left: set[int] = set()
    for number, revised in awaited(texts.items()):
        place = places[number]
        made = text_edits(markup, _segment(place.variant), place.unit.translation, revised.text, _holds_text)
        if made is None:
            left.add(number)
            continue
        span, changed = markup.spans[place.variant], datetime.fromtimestamp(revised.changed, UTC)
        tag = with_attributes(markup.text[span.start : span.inside], {"changedate": f"{changed:%Y%m%dT%H%M%SZ}"})
        edits += [Edit(span.start, span.inside, tag), *made]
    return markup.encode(edits), frozenset(left)


def _language(variant: Any) -> str | None:
    return language_of(variant.get(XML) or variant.get("lang"))


def _places(markup: Markup, options: ReadOptions) -> tuple[list[Place], Languages, int]:
    header, wanted = next(markup.root.iter("{*}header"), None), options.pair
    units = [(unit, _variants(unit)) for _, unit in contained(markup, [markup.root], "tu", CONTAINERS)]
    languages = (wanted.source, wanted.target) if wanted else _guess(header, units)
    places = list(counted(_translated(markup, (variants for _, variants in units), languages), options.most, markup.name))
    # Where nothing is of the wanted languages, the file says which it has.
    return places, languages if places else _guess(header, units), len(units) - len(places)


def _variants(unit: Any) -> dict[str | None, Any]:
    """The variants of a unit by their tags, in the order of the file backwards, and behind them by their languages alone."""
    variants = {_language(child): child for child in reversed(unit) if local_name(child) == "tuv"}
    for tag, child in list(variants.items()):
        if tag is not None:
            variants.setdefault(base_language(tag), child)
    return variants


def _variant(variants: dict[str | None, Any], tag: str | None) -> Any:
    """The variant of a tag, or of its language where this unit says it otherwise."""
    return variants.get(tag) if tag is None or tag in variants else variants.get(base_language(tag))


def _translated(markup: Markup, units: Iterable[dict[str | None, Any]], languages: Languages) -> Iterator[Place]:
    for variants in units:
        source, target = (_text(_variant(variants, language)) for language in languages)
        if source and target:
            variant = _variant(variants, languages[1])
            yield Place(Unit(source, target, markup.line(variant)), variant)


def _guess(header: Any, units: Sequence[tuple[Any, dict[str | None, Any]]]) -> Languages:
    """The header's source language, or the first one; and the first other language."""
    there = [tag for unit, _ in units[:1] for child in unit if local_name(child) == "tuv" and (tag := _language(child))]
    first = language_of(header.get("srclang")) if header is not None else None
    source = next((tag for tag in there if first is not None and same_language(tag, first)), next(iter(there), first))
    return source, next((tag for tag in there if source is not None and not same_language(tag, source)), None)


def _text(variant: Any) -> str:
    segment = None if variant is None else _segment(variant)
    return "" if segment is None else plain_text(segment, _holds_text)


def _segment(variant: Any) -> Any:
    return next((child for child in variant if local_name(child) == "seg"), None)


def _holds_text(child: Any) -> bool:
    return local_name(child) not in CODES
