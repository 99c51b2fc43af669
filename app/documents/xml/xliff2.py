"""XLIFF 2.0, 2.1 and 2.2: segments of units.

A confidence is an `<mrk type="its:generic">` around the target's content, as the ITS module of XLIFF 2.1 says, and a match of the
Translation Candidates module whose `matchQuality` (0-100) many tools show. Readers also meet `its:any`, which older tools write.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, count
from typing import Any, ClassVar, Final

from app.documents.document import Document, Mark, Unit, counted
from app.documents.format import Format, ReadOptions, Sample
from app.documents.retexting import Revised
from app.documents.xml.its import ITS, Its
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
from app.documents.xml.xliff import TRANSLATED, chosen_files, is_xliff_2
from app.running.deadline import awaited

__all__ = ["Xliff2"]

MATCHES: Final = "urn:oasis:names:tc:xliff:matches:2.0"
GENERIC: Final = ("its:generic", "its:any")
OURS: Final = "assay"
WRITTEN: Final = f"{OURS}-"
CONTAINERS: Final = frozenset({"group"})


@dataclass(frozen=True)
class Place:
    """One segment: its texts, its elements, and its number within the unit."""

    unit: Unit
    file: Any
    parent: Any
    segment: Any
    target: Any
    number: int


class Xliff2(Format):
    """Every segment with a target.

    Marks are a confidence around every target's content, matches with their quality, notes for people, and a rating of
    each `<file>`.
    """

    name: ClassVar = "xliff-2"
    title: ClassVar = "XLIFF 2"
    suffix: ClassVar = "xlf"
    media_type: ClassVar = "application/xliff+xml"

    def recognises(self, sample: Sample) -> bool:
        """The root is `<xliff>` of version 2."""
        return sample.root == "xliff" and is_xliff_2(sample.text)

    def read(self, raw: bytes, name: str, options: ReadOptions) -> Document:
        """The segments of one language pair."""
        markup = parse_markup(raw, name)
        files, languages = chosen_files(markup, "file", "srcLang", "trgLang", options.pair)
        places, skipped = _places(markup, files, options.most)
        units = tuple(place.unit for place in places)
        return Document(
            self.name, units, languages, skipped, write=partial(_written, markup, files, places),
            retext=partial(_with_texts, markup, places), holds_comment=lambda comment: True,
        )  # fmt: skip


def _written(markup: Markup, files: Sequence[Any], places: Sequence[Place], marks: Sequence[Mark]) -> bytes:
    its = Its(markup)
    edits: list[Edit] = []
    by_file: dict[Any, list[Mark]] = {file: [] for file in files}
    by_unit: dict[Any, list[tuple[Place, Mark]]] = {}
    ids: dict[Any, set[str | None]] = {}
    for place, mark in zip(awaited(places), marks, strict=True):
        if place.parent not in ids:
            ids[place.parent] = {element.get("id") for element in place.parent.iter("*")}
        edits += _target_edits(markup, its, place, mark, ids[place.parent])
        by_file[place.file].append(mark)
        by_unit.setdefault(place.parent, []).append((place, mark))
    for unit, marked in by_unit.items():
        edits += _unit_edits(markup, unit, marked)
    edits += its.document_edits(list(by_file.items()))
    return markup.encode(edits)


def _with_texts(markup: Markup, places: Sequence[Place], texts: Mapping[int, Revised]) -> tuple[bytes, frozenset[int]]:
    """The document with other texts in place of translations, each of which a person has translated then."""
    edits: list[Edit] = []
    left: set[int] = set()
    for number, revised in awaited(texts.items()):
        place = places[number]
        made = text_edits(markup, place.target, place.unit.translation, revised.text, breaks=_breaks)
        if made is None:
            left.add(number)
        else:
            edits += [_translated(markup, place.segment), *made]
    return markup.encode(edits), frozenset(left)


def _translated(markup: Markup, segment: Any) -> Edit:
    """The edit that gives a segment its new state; whoever changes that must take a part of the old one away."""
    span = markup.spans[segment]
    tag = markup.text[span.start : span.inside]
    if segment.get("state") != TRANSLATED:
        tag = without_attribute(with_attributes(tag, {"state": TRANSLATED}), "subState")
    return Edit(span.start, span.inside, tag)


def _target_edits(markup: Markup, its: Its, place: Place, mark: Mark, taken: set[str | None]) -> Iterator[Edit]:
    """Update the marker that is there around the whole target, or put one around it."""
    around = _whole(place.target)
    if around is not None:
        yield its.tag_edit(around, its.confidence(mark, around))
        return
    span, prefix = markup.spans[place.target], prefix_of(place.target)
    tag = with_attributes(
        f"<{prefix}mrk>", {"id": _free(taken, f"{WRITTEN}{place.number}"), "type": "its:generic", **its.confidence(mark)}
    )
    yield Edit(span.inside, span.inside, tag)
    yield Edit(span.after, span.after, f"</{prefix}mrk>")


def _whole(target: Any) -> Any:
    """A marker of MT Confidence that holds all of the target."""
    children = [child for child in target if local_name(child)]
    if len(children) != 1 or (target.text or "").strip() or (children[0].tail or "").strip():
        return None
    marker = children[0]
    ours = local_name(marker) == "mrk" and marker.get("type", GENERIC[0]) in GENERIC
    return marker if ours and marker.get(f"{{{ITS}}}mtConfidence") is not None else None


def _free(taken: set[str | None], name: str) -> str:
    """An id that nothing else in a unit has."""
    return next(tried for tried in chain([name], (f"{name}-{k}" for k in count(2))) if tried not in taken)


def _unit_edits(markup: Markup, unit: Any, marked: Sequence[tuple[Place, Mark]]) -> Iterator[Edit]:
    """Matches first, notes after them, as the schema orders the children of a unit."""
    children = [child for child in unit if local_name(child)]
    matches = next((child for child in children if local_name(child) == "matches"), None)
    notes = next((child for child in children if local_name(child) == "notes"), None)
    prefix, indentation = prefix_of(unit), markup.indentation(children[0])
    for box in (matches, notes):
        for child in () if box is None else box:
            if local_name(child) and child.get("id", "").startswith(WRITTEN):
                yield markup.removal(child)
    offers = [_match(prefix, place, mark) for place, mark in marked if place.segment.get("id")]
    note_tags = [tag for place, mark in marked for tag in _notes(prefix, place, mark, len(marked) > 1)]
    first = markup.begin(children[0])
    if matches is not None:
        yield _inside(markup, matches, offers)
    elif offers:
        box = f'<mtc:matches xmlns:mtc="{MATCHES}">{"".join(offers)}</mtc:matches>'
        yield Edit(first, first, indentation + box)
    if notes is not None:
        yield _inside(markup, notes, note_tags)
        return
    module = [child for child in children if local_name(child) not in ("originalData", "segment", "ignorable")]
    at = markup.spans[module[-1]].end if module else first
    yield Edit(at, at, f"{indentation}<{prefix}notes>{''.join(note_tags)}</{prefix}notes>")


def _inside(markup: Markup, box: Any, tags: Sequence[str]) -> Edit:
    """Append to a box that is there, in its own indentation."""
    span = markup.spans[box]
    if span.inside == span.end:
        # An empty one has no inside yet.
        return Edit(span.end - len("/>"), span.end, f">{''.join(tags)}</{prefix_of(box)}{local_name(box)}>")
    children = [child for child in box if local_name(child) and not child.get("id", "").startswith(WRITTEN)]
    indentation = markup.indentation(children[-1]) if children else ""
    at = markup.spans[children[-1]].end if children else span.inside
    return Edit(at, at, "".join(indentation + tag for tag in tags))


def _match(prefix: str, place: Place, mark: Mark) -> str:
    # A match is what the machine said.
    judged = place.unit.translation if mark.original is None else mark.original
    source, target = quoted(place.unit.source), quoted(judged)
    texts = f"<{prefix}source>{source}</{prefix}source><{prefix}target>{target}</{prefix}target>"
    about = f'id="{WRITTEN}{place.number}" ref="#{quoted(place.segment.get("id"))}" origin="{OURS}" type="mt"'
    return f'<mtc:match xmlns:mtc="{MATCHES}" {about} matchQuality="{100 * mark.confidence:.2f}">{texts}</mtc:match>'


def _notes(prefix: str, place: Place, mark: Mark, several: bool) -> Iterator[str]:
    about = f"segment {place.number}: " if several else ""
    told = [("", mark.sentence), *([("-correction", f"correction: {mark.comment}")] if mark.comment else [])]
    for suffix, text in told:
        start = f'<{prefix}note id="{WRITTEN}{place.number}{suffix}" appliesTo="target" category="{OURS}">'
        yield f"{start}{quoted(about + text)}</{prefix}note>"


def _places(markup: Markup, files: Sequence[Any], most: int) -> tuple[list[Place], int]:
    skipped, chosen = 0, set(files)

    def places() -> Iterator[Place]:
        nonlocal skipped
        for file, unit in contained(markup, markup.root, "unit", CONTAINERS):
            segments = (child for child in unit if local_name(child) == "segment") if file in chosen else ()
            for number, segment in enumerate(segments, 1):
                children = {local_name(child): child for child in segment}
                source, target = children.get("source"), children.get("target")
                texts = ("", "") if source is None or target is None else (_text(source), _text(target))
                if all(texts) and unit.get("translate") != "no":
                    yield Place(Unit(*texts, markup.line(target)), file, unit, segment, target, number)
                else:
                    skipped += 1

    return list(counted(places(), most, markup.name)), skipped


def _text(element: Any) -> str:
    # Codes are empty elements here and hold no text.
    return plain_text(element, breaks=_breaks)


def _breaks(child: Any) -> bool:
    return child.get("subType") in ("xlf:lb", "xlf:pb")
