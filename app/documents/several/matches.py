"""Alternatives in XLIFF 2: matches of the Translation Candidates module beside the targets of segments.

Source: OASIS, XLIFF 2.1, Translation Candidates module; `ref` of a match names a span of the source.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, Final

from app.documents.several.alternatives import TARGET
from app.documents.several.candidates import CandidateFile, CandidateUnit, add_candidate, candidate_file
from app.documents.xml.markup import XmlMarkup, local_name
from app.documents.xml.nesting import elements_inside
from app.documents.xml.xliff import files_of_pair
from app.documents.xml.xliff2 import CONTAINERS, MATCHES, ORIGIN, Xliff2, text_of
from app.text.languages import LanguagePair

__all__ = ["read_matches"]

MATCH: Final = f"{{{MATCHES}}}matches/{{{MATCHES}}}match"


def read_matches(markup: XmlMarkup, pair: LanguagePair | None, limit: int) -> CandidateFile:
    """Segments with their target and their matches, named by `origin` or type."""
    files, languages = files_of_pair(markup, "file", "srcLang", "trgLang", pair)
    file_set, omissions = set(files), Counter[str]()

    def units() -> Iterator[CandidateUnit]:
        for file, unit in elements_inside(markup, markup.root, "unit", CONTAINERS):
            if file in file_set:
                yield from _unit_candidates(markup, unit, omissions)

    return candidate_file(Xliff2.name, units(), limit, markup.name, languages, omissions)


def _unit_candidates(markup: XmlMarkup, unit: Any, omissions: Counter[str]) -> Iterator[CandidateUnit]:
    segments = [child for child in unit if local_name(child) == "segment"]
    if unit.get("translate") == "no":
        yield from (CandidateUnit("", {}, markup.line(segment)) for segment in segments)
        return
    parts = [{local_name(child): child for child in segment} for segment in segments]
    sources = [text_of(part["source"]) if "source" in part else "" for part in parts]
    candidates: list[dict[str, str]] = [
        {TARGET: text} if "target" in part and (text := text_of(part["target"])) else {} for part in parts
    ]
    places = _places(segments, parts, sources)
    for match in unit.iterfind(MATCH):
        target = next((child for child in match if local_name(child) == "target"), None)
        text = "" if target is None else text_of(target)
        place = places.get(match.get("ref", "").rpartition("#")[2].rpartition("/")[2]) if match.get("ref") else None
        if place is None and not match.get("ref") and len(segments) == 1:
            place = 0
        omission = _omission(match, text, place)
        if omission is not None:
            omissions[omission] += 1
        elif place is not None:
            names = [match.get("origin"), match.get("type"), "match"]
            add_candidate(candidates[place], names, text, markup.line(match))
    for segment, source, texts in zip(segments, sources, candidates, strict=True):
        yield CandidateUnit(source, texts, markup.line(segment))


def _omission(match: Any, text: str, place: int | None) -> str | None:
    """Reason of a match that is no candidate; None for a candidate."""
    if match.get("reference") == "yes":
        return "reference"
    if match.get("origin") == ORIGIN:
        return "assay"
    if not text:
        return "empty"
    return "part" if place is None else None


def _places(segments: list[Any], parts: list[dict[str, Any]], sources: list[str]) -> Mapping[str, int]:
    """Place of each segment by its id, and by the ids of markers around its complete source."""
    places: dict[str, int] = {}
    for place, (segment, part, source) in enumerate(zip(segments, parts, sources, strict=True)):
        if segment.get("id"):
            places[segment.get("id")] = place
        for marker in part["source"].iter("{*}mrk") if "source" in part else ():
            if marker.get("id") and text_of(marker) == source:
                places[marker.get("id")] = place
    return places
