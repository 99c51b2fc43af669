"""TMX 1.4 and its forerunners: units of a translation memory.

Source: LISA OSCAR, TMX 1.4b; additions of tools go into `<prop>` elements.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import Any, ClassVar, Final

from app.documents.document import Document, Languages, QualityMark, Unit, counted, language_of
from app.documents.format import FileFormat, ReadOptions, Sample
from app.documents.retexting import Edit, Revision, edits_of_units
from app.documents.xml.letters import text_edits
from app.documents.xml.markup import XmlMarkup, local_name, parse_markup, plain_text, quoted, with_attributes
from app.documents.xml.nesting import elements_inside
from app.running.deadline import awaited
from app.text.languages import base_language, same_language

__all__ = ["Tmx"]

XML: Final = "{http://www.w3.org/XML/1998/namespace}lang"
QUALITY: Final = "x-assay-quality"
SENTENCE: Final = "x-assay"
CORRECTION: Final = "x-assay-correction"
PROPERTIES: Final = frozenset({QUALITY, SENTENCE, CORRECTION})
CODES: Final = frozenset({"bpt", "ept", "it", "ph", "ut", "sub"})
CONTAINERS: Final = frozenset({"body"})


@dataclass(frozen=True)
class MemoryUnit:
    """Texts of a unit, and the variant element for its mark."""

    unit: Unit
    variant: Any


class Tmx(FileFormat):
    """Every unit of the language pair of the request, or else of the first unit.

    A mark is two properties of a translation: its confidence, and a sentence for people.
    """

    name: ClassVar = "tmx"
    title: ClassVar = "TMX"
    suffix: ClassVar = "tmx"
    media_type: ClassVar = "application/x-tmx+xml"

    def recognises(self, sample: Sample) -> bool:
        """Return True if the root is `<tmx>`."""
        return sample.root == "tmx"

    def read(self, raw: bytes, name: str, options: ReadOptions) -> Document:
        """Read the units of one language pair."""
        markup = parse_markup(raw, name)
        memory_units, languages, skip_count, pending_sources = _read_units(markup, options)
        units = tuple(memory_unit.unit for memory_unit in memory_units)
        return Document(
            self.name, units, languages, skip_count, write=partial(_write_marks, markup, memory_units),
            retext=partial(_with_texts, markup, memory_units), holds_comment=lambda comment: True, pending_sources=pending_sources,
        )  # fmt: skip


def _write_marks(markup: XmlMarkup, memory_units: Sequence[MemoryUnit], marks: Sequence[QualityMark]) -> bytes:
    edits: list[Edit] = []
    for memory_unit, mark in zip(awaited(memory_units), marks, strict=True):
        variant = memory_unit.variant
        children = [child for child in variant if local_name(child)]
        edits += [markup.removal(c) for c in children if local_name(c) == "prop" and c.get("type") in PROPERTIES]
        segment = next(child for child in children if local_name(child) == "seg")
        at, indentation = markup.begin(segment), markup.indentation(segment)
        props = [f'<prop type="{QUALITY}">{mark.number}</prop>', f'<prop type="{SENTENCE}">{quoted(mark.sentence)}</prop>']
        if mark.comment:
            props.append(f'<prop type="{CORRECTION}">{quoted(mark.comment)}</prop>')
        edits.append(Edit(at, at, "".join(indentation + prop for prop in props)))
    return markup.encode(edits)


def _with_texts(
    markup: XmlMarkup, memory_units: Sequence[MemoryUnit], texts: Mapping[int, Revision]
) -> tuple[bytes, frozenset[int]]:
    """Memory with new translations and their dates; and the units that cannot hold theirs."""

    def unit_edits(number: int, revision: Revision) -> list[Edit] | None:
        variant, text = memory_units[number].variant, memory_units[number].unit.translation
        edits = text_edits(markup, _segment(variant), text, revision.text, _holds_text)
        time = {"changedate": f"{datetime.fromtimestamp(revision.changed, UTC):%Y%m%dT%H%M%SZ}"}
        tag = with_attributes(markup.start_tag(variant), time)
        return None if edits is None else [markup.tag_edit(variant, tag), *edits]

    edits, failures = edits_of_units(texts, unit_edits)
    return markup.encode(edits), failures


def _language(variant: Any) -> str | None:
    return language_of(variant.get(XML) or variant.get("lang"))


def _read_units(markup: XmlMarkup, options: ReadOptions) -> tuple[list[MemoryUnit], Languages, int, frozenset[str]]:
    header = next(markup.root.iter("{*}header"), None)
    pair = options.pair
    units = [(unit, _variants(unit)) for _, unit in elements_inside(markup, [markup.root], "tu", CONTAINERS)]
    languages = (pair.source, pair.target) if pair else _guess(header, units)
    pairs = _memory_units(markup, (variants for _, variants in units), languages)
    memory_units = list(counted(pairs, options.limit, markup.name))
    # Without units of these languages, the languages of the file are reported.
    sources = {_text(_variant(variants, languages[0])) for _, variants in units}
    pending_sources = sources - {"", *(memory_unit.unit.source for memory_unit in memory_units)}
    languages = languages if memory_units else _guess(header, units)
    return memory_units, languages, len(units) - len(memory_units), frozenset(pending_sources)


def _variants(unit: Any) -> dict[str | None, Any]:
    """Variants of a unit by tag, the last first, and then by language without subtags."""
    variants = {_language(child): child for child in reversed(unit) if local_name(child) == "tuv"}
    for tag, child in list(variants.items()):
        if tag is not None:
            variants.setdefault(base_language(tag), child)
    return variants


def _variant(variants: dict[str | None, Any], tag: str | None) -> Any:
    """Variant of a tag, or of its language if the unit lacks the tag."""
    return variants.get(tag) if tag is None or tag in variants else variants.get(base_language(tag))


def _memory_units(markup: XmlMarkup, units: Iterable[dict[str | None, Any]], languages: Languages) -> Iterator[MemoryUnit]:
    for variants in units:
        source, target = (_text(_variant(variants, language)) for language in languages)
        if source and target:
            variant = _variant(variants, languages[1])
            yield MemoryUnit(Unit(source, target, markup.line(variant)), variant)


def _guess(header: Any, units: Sequence[tuple[Any, dict[str | None, Any]]]) -> Languages:
    """Source language of the header, or of the first variant; and the first further language, which a unit may lack."""
    tags = _tags(units[:1])
    first = language_of(header.get("srclang")) if header is not None else None
    source = next((tag for tag in tags if first is not None and same_language(tag, first)), next(iter(tags), first))
    further = (tag for unit in awaited(units) for tag in _tags([unit]) if source is not None and not same_language(tag, source))
    return source, next(further, None)


def _tags(units: Iterable[tuple[Any, object]]) -> list[str]:
    """Languages of the variants of units."""
    return [tag for unit, _ in units for child in unit if local_name(child) == "tuv" and (tag := _language(child))]


def _text(variant: Any) -> str:
    segment = None if variant is None else _segment(variant)
    return "" if segment is None else plain_text(segment, _holds_text)


def _segment(variant: Any) -> Any:
    return next((child for child in variant if local_name(child) == "seg"), None)


def _holds_text(child: Any) -> bool:
    return local_name(child) not in CODES
