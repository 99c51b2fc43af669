"""XLIFF 1.2, and the older 1.0 and 1.1: units with a target, or the segments that a CAT tool has cut them into.

Source: OASIS, XLIFF 1.2; ITS 2.0 mapping by the attributes of `<target>` and of `<mrk mtype="seg">`.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Final

from app.documents.document import Document, Languages, Mark, Unit, counted, language_of
from app.documents.format import Format, ReadOptions, Sample
from app.documents.retexting import Revised
from app.documents.xml.its import Its
from app.documents.xml.letters import text_edits
from app.documents.xml.markup import (
    Edit,
    Markup,
    local_name,
    parse_markup,
    plain_text,
    prefix_of,
    quoted,
    with_attributes,
    without_attribute,
)
from app.documents.xml.nesting import contained
from app.documents.xml.prolog import prolog_of
from app.errors import InputError
from app.running.deadline import awaited
from app.text.languages import LanguagePair, base_language

__all__ = ["TRANSLATED", "Xliff", "chosen_files", "is_xliff_2"]

# What these hold is the native format's code, no text.
CODES: Final = frozenset({"bpt", "ept", "ph", "it", "sub"})
CONTAINERS: Final = frozenset({"body", "group", "bin-unit"})
BREAKS: Final = frozenset({"lb", "pb", "x-br", "x-newline"})
# Trados: text that a reviewer has deleted is still in the file.
DELETED: Final = frozenset({"x-sdl-deleted"})
# Phrase writes its tags into the text: {1}, {b>, <b}.
PHRASE: Final = "http://www.memsource.com/mxlf/"
PHRASE_TAG: Final = re.compile(r"\{\w{1,4}[>}]|<\w{1,4}\}")
# From the root on, so that there is one place to look at.
ROOT: Final = re.compile(r"<(?:[\w.-]++:)?xliff\b[^>]*+")
VERSION_2: Final = re.compile(r"\sversion\s*+=\s*+[\"']2\.|xliff:document:2\.")
LONGEST_ROOT: Final = 10_000
# What a person has translated, and nobody has looked over.
TRANSLATED: Final = "translated"
SDL: Final = "http://sdl.com/FileTypes/SdlXliff/1.0"


@dataclass(frozen=True)
class Place:
    """One pair of texts, and the elements on which marks are written."""

    unit: Unit
    file: Any
    trans_unit: Any
    marked: Any
    number: int


def is_xliff_2(text: str) -> bool:
    """Whether the root of an XLIFF document is of version 2."""
    begin = prolog_of(text).end
    root = ROOT.match(text, begin, begin + LONGEST_ROOT)
    return root is not None and VERSION_2.search(root[0]) is not None


class Xliff(Format):
    """Every unit with a target; alternatives from a memory are not read.

    Marks are ITS MT Confidence on every target or segment, a note for people, and a rating of each `<file>`.
    """

    name: ClassVar = "xliff-1.2"
    title: ClassVar = "XLIFF 1.2"
    suffix: ClassVar = "xlf"
    media_type: ClassVar = "application/xliff+xml"

    def recognises(self, sample: Sample) -> bool:
        """The root is `<xliff>` and not of version 2."""
        return sample.root == "xliff" and not is_xliff_2(sample.text)

    def read(self, raw: bytes, name: str, options: ReadOptions) -> Document:
        """The units of one language pair."""
        markup = parse_markup(raw, name)
        files, languages = chosen_files(markup, "file", "source-language", "target-language", options.pair)
        places, skipped = _places(markup, files, options.most)
        units = tuple(place.unit for place in places)
        return Document(
            self.name, units, languages, skipped, write=partial(_written, markup, files, places),
            retext=partial(_with_texts, markup, places), holds_comment=lambda comment: takes_notes(markup),
        )  # fmt: skip


def _written(markup: Markup, files: Sequence[Any], places: Sequence[Place], marks: Sequence[Mark]) -> bytes:
    its = Its(markup)
    edits: list[Edit] = []
    by_file: dict[Any, list[Mark]] = {file: [] for file in files}
    notes: dict[Any, list[str]] = {}
    for place, mark in zip(awaited(places), marks, strict=True):
        edits.append(its.tag_edit(place.marked, its.confidence(mark, place.marked)))
        by_file[place.file].append(mark)
        prefix = f"segment {place.number}: " if place.number else ""
        told = notes.setdefault(place.trans_unit, [])
        told.append(f"{prefix}{mark.sentence}")
        told += [f"{prefix}correction: {mark.comment}"] if mark.comment else []
    if takes_notes(markup):
        for trans_unit, sentences in notes.items():
            edits += _note_edits(markup, trans_unit, sentences)
    edits += its.document_edits(list(by_file.items()))
    return markup.encode(edits)


def takes_notes(markup: Markup) -> bool:
    """Whether notes may be added: Trados Studio does not expect those of others in its own files."""
    return SDL not in markup.root.nsmap.values()


def _with_texts(markup: Markup, places: Sequence[Place], texts: Mapping[int, Revised]) -> tuple[bytes, frozenset[int]]:
    """The document with other texts in place of translations; a target all of which is new is translated by a person."""
    codes = PHRASE_TAG if _is_phrase(markup) else None
    edits: list[Edit] = []
    put: dict[int, Place] = {}
    for number, revised in awaited(texts.items()):
        place = places[number]
        made = text_edits(markup, place.marked, place.unit.translation, revised.text, _holds_text, _breaks, codes)
        if made is not None:
            edits += made
            put[number] = place
    noted = takes_notes(markup)
    segments, corrected = (Counter(place.trans_unit for place in some) for some in (places, put.values()))
    for trans_unit, count in corrected.items():
        target = next(child for child in trans_unit if local_name(child) == "target")
        if noted and count == segments[trans_unit]:
            edits.append(_translated(markup, target))
    if not noted:
        edits += _confirmed(markup, put.values())
    return markup.encode(edits), frozenset(texts.keys() - put.keys())


def _translated(markup: Markup, target: Any) -> Edit:
    """The edit that gives a target the state of what a person has translated."""
    span = markup.spans[target]
    tag = with_attributes(markup.text[span.start : span.inside], {"state": TRANSLATED})
    # It said that this came from a machine or a memory.
    return Edit(span.start, span.inside, without_attribute(tag, "state-qualifier"))


def _confirmed(markup: Markup, places: Iterable[Place]) -> Iterator[Edit]:
    """The same for Trados, which keeps the states of segments beside the texts, under the segments' numbers."""
    by_unit: dict[Any, set[str]] = {}
    for place in places:
        if (number := place.marked.get("mid")) is not None:
            by_unit.setdefault(place.trans_unit, set()).add(number)
    for trans_unit, numbers in by_unit.items():
        for segment in trans_unit.iter(f"{{{SDL}}}seg"):
            if segment.get("id") in numbers:
                span = markup.spans[segment]
                yield Edit(span.start, span.inside, with_attributes(markup.text[span.start : span.inside], {"conf": "Translated"}))


def _note_edits(markup: Markup, trans_unit: Any, sentences: Sequence[str]) -> Iterator[Edit]:
    """Our old notes go, the new ones come after the target."""
    target = next(child for child in trans_unit if local_name(child) == "target")
    for child in trans_unit:
        if local_name(child) == "note" and child.get("from") == "assay":
            yield markup.removal(child)
    end = markup.spans[target].end
    indentation, prefix = markup.indentation(target), prefix_of(trans_unit)
    for sentence in sentences:
        tag = f'<{prefix}note from="assay" annotates="target">{quoted(sentence)}</{prefix}note>'
        yield Edit(end, end, indentation + tag)


def chosen_files(
    markup: Markup, element: str, source: str, target: str, wanted: LanguagePair | None
) -> tuple[list[Any], Languages]:
    """The `<file>` elements of one language pair: the wanted one where it is there, else that of the first file."""
    files = [file for _, file in contained(markup, [markup.root], element, frozenset())]
    if not files:
        raise InputError("invalid-document", "there is no <file> in this XLIFF", ("file",))

    def pair(file: Any) -> Languages:
        root = markup.root
        return language_of(file.get(source) or root.get(source)), language_of(file.get(target) or root.get(target))

    pairs = [pair(file) for file in files]
    languages = _wanted_among(pairs, wanted)
    if wanted is not None and languages == (wanted.source, wanted.target):
        return [file for file, its_pair in zip(files, pairs, strict=True) if its_pair == languages], languages
    bases = _bases(languages)
    return [file for file, its_pair in zip(files, pairs, strict=True) if _bases(its_pair) == bases], languages


def _wanted_among(pairs: Sequence[Languages], wanted: LanguagePair | None) -> Languages:
    """The pair that is wanted, the first of the same languages in other regions, or the first one."""
    if wanted is None:
        return pairs[0]
    exactly = (wanted.source, wanted.target)
    return exactly if exactly in pairs else next((pair for pair in pairs if _bases(pair) == _bases(exactly)), pairs[0])


def _bases(pair: Languages) -> Languages:
    source, target = (None if tag is None else base_language(tag) for tag in pair)
    return source, target


def _places(markup: Markup, files: Sequence[Any], most: int) -> tuple[list[Place], int]:
    skipped, chosen = 0, set(files)
    phrase = _is_phrase(markup)

    def places() -> Iterator[Place]:
        nonlocal skipped
        for file, trans_unit in contained(markup, markup.root, "trans-unit", CONTAINERS):
            if file in chosen:
                there = list(_unit_places(markup, file, trans_unit, phrase))
                skipped += not there
                yield from there

    return list(counted(places(), most, markup.name)), skipped


def _unit_places(markup: Markup, file: Any, trans_unit: Any, phrase: bool) -> Iterator[Place]:
    children = {local_name(child): child for child in reversed(trans_unit)}
    source, target = children.get("source"), children.get("target")
    if source is None or target is None or trans_unit.get("translate") == "no":
        return
    segments = _segments(markup, target)
    if not segments:
        yield from _place(markup, file, trans_unit, source, target, 0, phrase)
        return
    cut = children.get("seg-source")
    sources = {mrk.get("mid"): mrk for mrk in _segments(markup, cut if cut is not None else source)}
    for number, segment in enumerate(segments, 1):
        # Taken once: a source that many targets name would be read as often.
        original = sources.pop(segment.get("mid"), None)
        if original is not None:
            yield from _place(markup, file, trans_unit, original, segment, number, phrase)


def _segments(markup: Markup, element: Any) -> list[Any]:
    """What a unit's text is cut into; InputError where a segment lies in another."""
    segments = [mrk for mrk in element.iter("{*}mrk") if mrk.get("mtype") == "seg"]
    end = 0
    for segment in segments:
        span = markup.spans[segment]
        if span.start < end:
            raise markup.refuse(segment, "a segment may not stand in another")
        end = span.end
    return segments


def _place(markup: Markup, file: Any, trans_unit: Any, source: Any, target: Any, number: int, phrase: bool) -> Iterator[Place]:
    original, translation = _text(source), _text(target)
    if phrase:
        original, translation = (" ".join(PHRASE_TAG.sub("", text).split()) for text in (original, translation))
    if original and translation:
        yield Place(Unit(original, translation, markup.line(target)), file, trans_unit, target, number)


def _is_phrase(markup: Markup) -> bool:
    return any(uri.startswith(PHRASE) for uri in markup.root.nsmap.values())


def _text(element: Any) -> str:
    return plain_text(element, _holds_text, _breaks)


def _holds_text(child: Any) -> bool:
    return local_name(child) not in CODES and child.get("mtype") not in DELETED


def _breaks(child: Any) -> bool:
    return child.get("ctype") in BREAKS
