"""XLIFF 1.0, 1.1 and 1.2: units with a target, or their segments from a CAT tool.

Source: OASIS, XLIFF 1.2; ITS 2.0 mapping by the attributes of `<target>` and of `<mrk mtype="seg">`.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Final

from app.documents.document import Document, Languages, QualityMark, Unit, counted, language_of
from app.documents.format import FileFormat, ReadOptions, Sample
from app.documents.retexting import Edit, Revision
from app.documents.xml.codes import codes_of
from app.documents.xml.its import ItsAttributes
from app.documents.xml.letters import text_edits
from app.documents.xml.markup import (
    XmlMarkup,
    local_name,
    parse_markup,
    plain_text,
    prefix_of,
    quoted,
    with_attributes,
    without_attribute,
)
from app.documents.xml.nesting import elements_inside
from app.documents.xml.prolog import prolog_of
from app.errors import InputError
from app.running.deadline import awaited
from app.text.languages import LanguagePair, base_language

__all__ = ["CONTAINERS", "TRANSLATED_STATE", "Xliff", "files_of_pair", "is_phrase", "is_xliff_2", "segment_markers", "text_of"]

# Elements with codes of the original format instead of text.
CODES: Final = frozenset({"bpt", "ept", "ph", "it", "sub"})
CONTAINERS: Final = frozenset({"body", "group", "bin-unit"})
BREAKS: Final = frozenset({"lb", "pb", "x-br", "x-newline"})
# Trados keeps text that a reviewer has deleted.
DELETED: Final = frozenset({"x-sdl-deleted"})
# Phrase writes its tags into the text: {1}, {b>, <b}.
PHRASE: Final = "http://www.memsource.com/mxlf/"
PHRASE_TAG: Final = re.compile(r"\{\w{1,4}[>}]|<\w{1,4}\}")
# The search begins at the root, so that it takes one step.
ROOT: Final = re.compile(r"<(?:[\w.-]++:)?xliff\b[^>]*+")
VERSION_2: Final = re.compile(r"\sversion\s*+=\s*+[\"']2\.|xliff:document:2\.")
LONGEST_ROOT: Final = 10_000
# State of a translation by a person, before review.
TRANSLATED_STATE: Final = "translated"
DIGITS: Final = re.compile(r"[0-9]{1,9}")
SDL: Final = "http://sdl.com/FileTypes/SdlXliff/1.0"


@dataclass(frozen=True)
class TargetSegment:
    """One pair of texts, and the elements for its mark; `number` counts segments of a unit from 1, 0 for the unit itself."""

    unit: Unit
    file: Any
    trans_unit: Any
    target: Any
    number: int


def is_xliff_2(text: str) -> bool:
    """Return True if the root of an XLIFF document is of version 2."""
    begin = prolog_of(text).end
    root = ROOT.match(text, begin, begin + LONGEST_ROOT)
    return root is not None and VERSION_2.search(root[0]) is not None


class Xliff(FileFormat):
    """Every unit with a target; alternatives from a memory are skipped.

    Marks are ITS MT Confidence on every target or segment, a note for people, and a rating of each `<file>`.
    """

    name: ClassVar = "xliff-1.2"
    title: ClassVar = "XLIFF 1.2"
    suffix: ClassVar = "xlf"
    media_type: ClassVar = "application/xliff+xml"

    def recognises(self, sample: Sample) -> bool:
        """Return True if the root is `<xliff>`, not of version 2."""
        return sample.root == "xliff" and not is_xliff_2(sample.text)

    def read(self, raw: bytes, name: str, options: ReadOptions) -> Document:
        """Read the units of one language pair."""
        markup = parse_markup(raw, name)
        files, languages = files_of_pair(markup, "file", "source-language", "target-language", options.pair)
        segments, skip_count, pending_sources = _read_segments(markup, files, options.limit)
        units = tuple(segment.unit for segment in segments)
        return Document(
            self.name, units, languages, skip_count, write=partial(_write_marks, markup, files, segments),
            retext=partial(_with_texts, markup, segments), holds_comment=lambda comment: takes_notes(markup),
            pending_sources=pending_sources,
        )  # fmt: skip


def _write_marks(markup: XmlMarkup, files: Sequence[Any], segments: Sequence[TargetSegment], marks: Sequence[QualityMark]) -> bytes:
    attributes = ItsAttributes(markup)
    edits: list[Edit] = []
    by_file: dict[Any, list[QualityMark]] = {file: [] for file in files}
    notes: dict[Any, list[str]] = {}
    for segment, mark in zip(awaited(segments), marks, strict=True):
        edits.append(attributes.tag_edit(segment.target, attributes.confidence(mark, segment.target)))
        by_file[segment.file].append(mark)
        prefix = f"segment {segment.number}: " if segment.number else ""
        sentences = notes.setdefault(segment.trans_unit, [])
        sentences.append(f"{prefix}{mark.sentence}")
        if mark.comment:
            sentences.append(f"{prefix}correction: {mark.comment}")
    if takes_notes(markup):
        for trans_unit, sentences in notes.items():
            edits += _note_edits(markup, trans_unit, sentences)
    edits += attributes.document_edits(list(by_file.items()))
    return markup.encode(edits)


def takes_notes(markup: XmlMarkup) -> bool:
    """Return True if notes may be added; Trados Studio rejects foreign notes in its own files."""
    return SDL not in markup.root.nsmap.values()


def _with_texts(
    markup: XmlMarkup, segments: Sequence[TargetSegment], texts: Mapping[int, Revision]
) -> tuple[bytes, frozenset[int]]:
    """Document with new translations, and the segments that cannot hold theirs.

    A target with only new segments gets the state `translated`.
    """
    codes = PHRASE_TAG if is_phrase(markup) else None
    edits: list[Edit] = []
    revisions: dict[int, TargetSegment] = {}
    for number, revision in awaited(texts.items()):
        segment = segments[number]
        text = segment.unit.translation
        segment_edits = text_edits(markup, segment.target, text, revision.text, _holds_text, _breaks, codes)
        if segment_edits is not None:
            edits += segment_edits
            revisions[number] = segment
    has_notes = takes_notes(markup)
    segment_counts = Counter(segment.trans_unit for segment in segments)
    revision_counts = Counter(segment.trans_unit for segment in revisions.values())
    for trans_unit, count in revision_counts.items():
        target = next(child for child in trans_unit if local_name(child) == "target")
        if has_notes and count == segment_counts[trans_unit]:
            edits.append(_translated(markup, target))
    if not has_notes:
        edits += _confirmed(markup, revisions.values())
    return markup.encode(edits), frozenset(texts.keys() - revisions.keys())


def _translated(markup: XmlMarkup, target: Any) -> Edit:
    """Edit that sets the state of a target to `translated`."""
    tag = with_attributes(markup.start_tag(target), {"state": TRANSLATED_STATE})
    # The old qualifier named a machine or a memory as the origin.
    return markup.tag_edit(target, without_attribute(tag, "state-qualifier"))


def _confirmed(markup: XmlMarkup, segments: Iterable[TargetSegment]) -> Iterator[Edit]:
    """Edits that set states for Trados, which stores them apart from the texts, by numbers of segments."""
    by_unit: dict[Any, set[str]] = {}
    for target_segment in segments:
        if (number := target_segment.target.get("mid")) is not None:
            by_unit.setdefault(target_segment.trans_unit, set()).add(number)
    for trans_unit, numbers in by_unit.items():
        for segment in trans_unit.iter(f"{{{SDL}}}seg"):
            if segment.get("id") in numbers:
                yield markup.tag_edit(segment, with_attributes(markup.start_tag(segment), {"conf": "Translated"}))


def _note_edits(markup: XmlMarkup, trans_unit: Any, sentences: Sequence[str]) -> Iterator[Edit]:
    """Edits that remove earlier notes of Assay, and add new ones after the target."""
    target = next(child for child in trans_unit if local_name(child) == "target")
    for child in trans_unit:
        if local_name(child) == "note" and child.get("from") == "assay":
            yield markup.removal(child)
    end = markup.spans[target].end
    indentation, prefix = markup.indentation(target), prefix_of(trans_unit)
    for sentence in sentences:
        tag = f'<{prefix}note from="assay" annotates="target">{quoted(sentence)}</{prefix}note>'
        yield Edit(end, end, indentation + tag)


def files_of_pair(
    markup: XmlMarkup, element: str, source: str, target: str, request_pair: LanguagePair | None
) -> tuple[list[Any], Languages]:
    """The `<file>` elements of one language pair, and the pair: that of the request if the document has it, else the first."""
    files = [file for _, file in elements_inside(markup, [markup.root], element, frozenset())]
    if not files:
        raise InputError("invalid-document", "this XLIFF has no <file>; export it again", ("file",))

    def pair(file: Any) -> Languages:
        root = markup.root
        return language_of(file.get(source) or root.get(source)), language_of(file.get(target) or root.get(target))

    pairs = [pair(file) for file in files]
    languages = _nearest_pair(pairs, request_pair)
    if request_pair is not None and languages == (request_pair.source, request_pair.target):
        return [file for file, its_pair in zip(files, pairs, strict=True) if its_pair == languages], languages
    bases = _bases(languages)
    return [file for file, its_pair in zip(files, pairs, strict=True) if _bases(its_pair) == bases], languages


def _nearest_pair(pairs: Sequence[Languages], request_pair: LanguagePair | None) -> Languages:
    """The pair of the request, else the first pair of its languages in other regions, else the first pair."""
    if request_pair is None:
        return pairs[0]
    exactly = (request_pair.source, request_pair.target)
    return exactly if exactly in pairs else next((pair for pair in pairs if _bases(pair) == _bases(exactly)), pairs[0])


def _bases(pair: Languages) -> Languages:
    source, target = (None if tag is None else base_language(tag) for tag in pair)
    return source, target


def _read_segments(markup: XmlMarkup, files: Sequence[Any], limit: int) -> tuple[list[TargetSegment], int, frozenset[str]]:
    """Segments with a target, the number of other units, and the sources of those."""
    skip_count = 0
    pending_sources: set[str] = set()
    file_set = set(files)
    phrase = is_phrase(markup)

    def segments() -> Iterator[TargetSegment]:
        nonlocal skip_count
        for file, trans_unit in elements_inside(markup, markup.root, "trans-unit", CONTAINERS):
            if file in file_set:
                unit_segments = list(_unit_segments(markup, file, trans_unit, phrase))
                if not unit_segments:
                    skip_count += 1
                    pending_sources.update(_sources(trans_unit, phrase))
                yield from unit_segments

    return list(counted(segments(), limit, markup.name)), skip_count, frozenset(pending_sources)


def _sources(trans_unit: Any, phrase: bool) -> Iterator[str]:
    """The source of a unit that may be translated."""
    if trans_unit.get("translate") != "no":
        yield from (text_of(child, phrase) for child in trans_unit if local_name(child) == "source")


def _unit_segments(markup: XmlMarkup, file: Any, trans_unit: Any, phrase: bool) -> Iterator[TargetSegment]:
    children = {local_name(child): child for child in reversed(trans_unit)}
    source, target = children.get("source"), children.get("target")
    if source is None or target is None or trans_unit.get("translate") == "no":
        return
    segments = segment_markers(markup, target)
    if not segments:
        yield from _segment(markup, file, trans_unit, source, target, 0, phrase)
        return
    cut = children.get("seg-source")
    sources = {mrk.get("mid"): mrk for mrk in segment_markers(markup, cut if cut is not None else source)}
    for number, segment in enumerate(segments, 1):
        # Each source is used once, so that targets with one number do not repeat it.
        original = sources.pop(segment.get("mid"), None)
        if original is not None:
            yield from _segment(markup, file, trans_unit, original, segment, number, phrase)


def segment_markers(markup: XmlMarkup, element: Any) -> list[Any]:
    """Segment markers of a unit's text; InputError (`invalid-document`) if one lies inside another."""
    segments = [mrk for mrk in element.iter("{*}mrk") if mrk.get("mtype") == "seg"]
    end = 0
    for segment in segments:
        span = markup.spans[segment]
        if span.start < end:
            raise markup.refuse(segment, "a segment may not stand in another; close the outer one first")
        end = span.end
    return segments


def _segment(
    markup: XmlMarkup, file: Any, trans_unit: Any, source: Any, target: Any, number: int, phrase: bool
) -> Iterator[TargetSegment]:
    original, translation = text_of(source, phrase), text_of(target, phrase)
    if original and translation:
        codes = _codes(source, phrase), _codes(target, phrase)
        # A limit of the unit is none of its segments.
        longest = None if number else _longest(trans_unit)
        yield TargetSegment(Unit(original, translation, markup.line(target), codes, longest), file, trans_unit, target, number)


def _longest(trans_unit: Any) -> int | None:
    """The largest number of characters of a unit; its size is in pixels by default, which depend on a font."""
    size = trans_unit.get("maxwidth", "")
    return int(size) if trans_unit.get("size-unit") == "char" and DIGITS.fullmatch(size) else None


def _codes(element: Any, phrase: bool) -> tuple[str, ...]:
    """Inline codes of a text, and the tags that Phrase writes into it."""
    return (*codes_of(element, _stands), *(PHRASE_TAG.findall(plain_text(element, _holds_text, _breaks)) if phrase else ()))


def is_phrase(markup: XmlMarkup) -> bool:
    """Return True if the document comes from Phrase, which writes its tags as text."""
    return any(uri.startswith(PHRASE) for uri in markup.root.nsmap.values())


def text_of(element: Any, phrase: bool) -> str:
    """Text of a source, a target or a segment without its tags, also those of Phrase."""
    text = plain_text(element, _holds_text, _breaks)
    return " ".join(PHRASE_TAG.sub("", text).split()) if phrase else text


def _holds_text(child: Any) -> bool:
    return local_name(child) not in CODES and _stands(child)


def _stands(child: Any) -> bool:
    return child.get("mtype") not in DELETED


def _breaks(child: Any) -> bool:
    return child.get("ctype") in BREAKS
