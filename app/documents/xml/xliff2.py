"""XLIFF 2.0, 2.1 and 2.2: segments of units.

A confidence is written twice: as `<mrk type="its:generic">` around the content of the target, and as a match with a `matchQuality`
(0-100), which many tools show. Older tools write `its:any`.

Source: OASIS, XLIFF 2.1, ITS module and Translation Candidates module.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, count
from typing import Any, ClassVar, Final

from app.documents.document import Document, QualityMark, Unit, counted
from app.documents.format import FileFormat, ReadOptions, Sample
from app.documents.retexting import Edit, Revision, edits_of_units
from app.documents.xml.codes import codes_of
from app.documents.xml.its import ITS_NAMESPACE, ItsAttributes
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
from app.documents.xml.xliff import TRANSLATED_STATE, files_of_pair, is_xliff_2
from app.running.deadline import awaited

__all__ = ["CONTAINERS", "MATCHES", "ORIGIN", "Xliff2", "text_of"]

MATCHES: Final = "urn:oasis:names:tc:xliff:matches:2.0"
GENERIC: Final = ("its:generic", "its:any")
ORIGIN: Final = "assay"
ID_PREFIX: Final = f"{ORIGIN}-"
CONTAINERS: Final = frozenset({"group"})


@dataclass(frozen=True)
class Segment:
    """One segment: its texts, its elements, and its number in the unit, from 1."""

    unit: Unit
    file: Any
    parent: Any
    element: Any
    target: Any
    number: int


class Xliff2(FileFormat):
    """Every segment with a target.

    Marks are a confidence around every target's content, matches with their quality, notes for people, and a rating of
    each `<file>`.
    """

    name: ClassVar = "xliff-2"
    title: ClassVar = "XLIFF 2"
    suffix: ClassVar = "xlf"
    media_type: ClassVar = "application/xliff+xml"

    def recognises(self, sample: Sample) -> bool:
        """Return True if the root is `<xliff>` of version 2."""
        return sample.root == "xliff" and is_xliff_2(sample.text)

    def read(self, raw: bytes, name: str, options: ReadOptions) -> Document:
        """Read the segments of one language pair."""
        markup = parse_markup(raw, name)
        files, languages = files_of_pair(markup, "file", "srcLang", "trgLang", options.pair)
        segments, skip_count, pending_sources = _read_segments(markup, files, options.limit)
        units = tuple(segment.unit for segment in segments)
        return Document(
            self.name, units, languages, skip_count, write=partial(_write_marks, markup, files, segments),
            retext=partial(_with_texts, markup, segments), holds_comment=lambda comment: True, pending_sources=pending_sources,
        )  # fmt: skip


def _write_marks(markup: XmlMarkup, files: Sequence[Any], segments: Sequence[Segment], marks: Sequence[QualityMark]) -> bytes:
    attributes = ItsAttributes(markup)
    edits: list[Edit] = []
    by_file: dict[Any, list[QualityMark]] = {file: [] for file in files}
    by_unit: dict[Any, list[tuple[Segment, QualityMark]]] = {}
    ids: dict[Any, set[str | None]] = {}
    for segment, mark in zip(awaited(segments), marks, strict=True):
        if segment.parent not in ids:
            ids[segment.parent] = {element.get("id") for element in segment.parent.iter("*")}
        edits += _target_edits(markup, attributes, segment, mark, ids[segment.parent])
        by_file[segment.file].append(mark)
        by_unit.setdefault(segment.parent, []).append((segment, mark))
    for unit, segment_marks in by_unit.items():
        edits += _unit_edits(markup, unit, segment_marks)
    edits += attributes.document_edits(list(by_file.items()))
    return markup.encode(edits)


def _with_texts(markup: XmlMarkup, segments: Sequence[Segment], texts: Mapping[int, Revision]) -> tuple[bytes, frozenset[int]]:
    """Document with new translations in state `translated`; and the segments that cannot hold theirs."""

    def segment_edits(number: int, revision: Revision) -> list[Edit] | None:
        segment = segments[number]
        edits = text_edits(markup, segment.target, segment.unit.translation, revision.text, breaks=_breaks)
        return None if edits is None else [_translated(markup, segment.element), *edits]

    edits, failures = edits_of_units(texts, segment_edits)
    return markup.encode(edits), failures


def _translated(markup: XmlMarkup, segment: Any) -> Edit:
    """Edit that sets the state of a segment to `translated`; the standard requires removal of its old `subState`."""
    tag = markup.start_tag(segment)
    if segment.get("state") != TRANSLATED_STATE:
        tag = without_attribute(with_attributes(tag, {"state": TRANSLATED_STATE}), "subState")
    return markup.tag_edit(segment, tag)


def _target_edits(
    markup: XmlMarkup, attributes: ItsAttributes, segment: Segment, mark: QualityMark, ids: set[str | None]
) -> Iterator[Edit]:
    """Edits that update the marker around the target, or add one."""
    marker = _target_marker(segment.target)
    if marker is not None:
        yield attributes.tag_edit(marker, attributes.confidence(mark, marker))
        return
    span, prefix = markup.spans[segment.target], prefix_of(segment.target)
    marker_id = _free_id(ids, f"{ID_PREFIX}{segment.number}")
    tag = with_attributes(f"<{prefix}mrk>", {"id": marker_id, "type": "its:generic", **attributes.confidence(mark)})
    yield Edit(span.inside, span.inside, tag)
    yield Edit(span.after, span.after, f"</{prefix}mrk>")


def _target_marker(target: Any) -> Any:
    """Marker of MT Confidence around the complete target, or None."""
    children = [child for child in target if local_name(child)]
    if len(children) != 1 or (target.text or "").strip() or (children[0].tail or "").strip():
        return None
    marker = children[0]
    is_generic = local_name(marker) == "mrk" and marker.get("type", GENERIC[0]) in GENERIC
    return marker if is_generic and marker.get(f"{{{ITS_NAMESPACE}}}mtConfidence") is not None else None


def _free_id(ids: set[str | None], name: str) -> str:
    """First id of NAME, NAME-2, NAME-3, ... that is not in `ids`."""
    return next(candidate for candidate in chain([name], (f"{name}-{k}" for k in count(2))) if candidate not in ids)


def _unit_edits(markup: XmlMarkup, unit: Any, segment_marks: Sequence[tuple[Segment, QualityMark]]) -> Iterator[Edit]:
    """Edits that write matches and then notes, in the order of the schema."""
    children = [child for child in unit if local_name(child)]
    matches = next((child for child in children if local_name(child) == "matches"), None)
    notes = next((child for child in children if local_name(child) == "notes"), None)
    prefix, indentation = prefix_of(unit), markup.indentation(children[0])
    for box in (matches, notes):
        for child in () if box is None else box:
            if local_name(child) and child.get("id", "").startswith(ID_PREFIX):
                yield markup.removal(child)
    match_tags = [_match(prefix, segment, mark) for segment, mark in segment_marks if segment.element.get("id")]
    has_several = len(segment_marks) > 1
    note_tags = [tag for segment, mark in segment_marks for tag in _notes(prefix, segment, mark, has_several)]
    first = markup.begin(children[0])
    if matches is not None:
        yield _inside(markup, matches, match_tags)
    elif match_tags:
        box = f'<mtc:matches xmlns:mtc="{MATCHES}">{"".join(match_tags)}</mtc:matches>'
        yield Edit(first, first, indentation + box)
    if notes is not None:
        yield _inside(markup, notes, note_tags)
        return
    module = [child for child in children if local_name(child) not in ("originalData", "segment", "ignorable")]
    at = markup.spans[module[-1]].end if module else first
    yield Edit(at, at, f"{indentation}<{prefix}notes>{''.join(note_tags)}</{prefix}notes>")


def _inside(markup: XmlMarkup, box: Any, tags: Sequence[str]) -> Edit:
    """Edit that appends tags to a box, with its indentation."""
    span = markup.spans[box]
    if span.inside == span.end:
        # An empty box is one tag, which has no inside.
        return Edit(span.end - len("/>"), span.end, f">{''.join(tags)}</{prefix_of(box)}{local_name(box)}>")
    children = [child for child in box if local_name(child) and not child.get("id", "").startswith(ID_PREFIX)]
    indentation = markup.indentation(children[-1]) if children else ""
    at = markup.spans[children[-1]].end if children else span.inside
    return Edit(at, at, "".join(indentation + tag for tag in tags))


def _match(prefix: str, segment: Segment, mark: QualityMark) -> str:
    # A match has the translation by the machine, not its correction.
    translation, confidence = mark.original or (segment.unit.translation, mark.confidence)
    source, target = quoted(segment.unit.source), quoted(translation)
    texts = f"<{prefix}source>{source}</{prefix}source><{prefix}target>{target}</{prefix}target>"
    attributes = f'id="{ID_PREFIX}{segment.number}" ref="#{quoted(segment.element.get("id"))}" origin="{ORIGIN}" type="mt"'
    return f'<mtc:match xmlns:mtc="{MATCHES}" {attributes} matchQuality="{100 * confidence:.2f}">{texts}</mtc:match>'


def _notes(prefix: str, segment: Segment, mark: QualityMark, has_several: bool) -> Iterator[str]:
    label = f"segment {segment.number}: " if has_several else ""
    notes = [("", mark.sentence)]
    if mark.comment:
        notes.append(("-correction", f"correction: {mark.comment}"))
    for suffix, text in notes:
        start = f'<{prefix}note id="{ID_PREFIX}{segment.number}{suffix}" appliesTo="target" category="{ORIGIN}">'
        yield f"{start}{quoted(label + text)}</{prefix}note>"


def _read_segments(markup: XmlMarkup, files: Sequence[Any], limit: int) -> tuple[list[Segment], int, frozenset[str]]:
    """Segments with a target, the number of other segments, and the sources of those."""
    skip_count = 0
    pending_sources: set[str] = set()
    file_set = set(files)

    def segments() -> Iterator[Segment]:
        nonlocal skip_count
        for file, unit in elements_inside(markup, markup.root, "unit", CONTAINERS):
            elements = (child for child in unit if local_name(child) == "segment") if file in file_set else ()
            for number, element in enumerate(elements, 1):
                children = {local_name(child): child for child in element}
                source, target = children.get("source"), children.get("target")
                texts = ("", "") if source is None or target is None else (text_of(source), text_of(target))
                if all(texts) and unit.get("translate") != "no":
                    codes = codes_of(source), codes_of(target)
                    yield Segment(Unit(*texts, markup.line(target), codes), file, unit, element, target, number)
                else:
                    skip_count += 1
                    if source is not None and unit.get("translate") != "no":
                        pending_sources.add(text_of(source))

    return list(counted(segments(), limit, markup.name)), skip_count, frozenset(pending_sources)


def text_of(element: Any) -> str:
    """Text of a source or a target without its tags."""
    # In XLIFF 2 codes are empty elements without text.
    return plain_text(element, breaks=_breaks)


def _breaks(child: Any) -> bool:
    return child.get("subType") in ("xlf:lb", "xlf:pb")
