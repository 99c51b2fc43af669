"""Alternatives in XLIFF 1.2: `<alt-trans>` beside the target of a unit.

Source: OASIS, XLIFF 1.2, alt-trans; its `mid` names the segment that it translates.
"""

from collections import Counter
from collections.abc import Iterator
from typing import Any, Final

from app.documents.document import Languages, language_of
from app.documents.several.candidates import CandidateFile, CandidateUnit, add_candidate, candidate_file
from app.documents.xml.markup import XmlMarkup, local_name
from app.documents.xml.nesting import elements_inside
from app.documents.xml.xliff import CONTAINERS, Xliff, files_of_pair, is_phrase, segment_markers, text_of
from app.text.languages import LanguagePair, same_language

__all__ = ["TARGET", "read_alternatives"]

# Name of the translation that a unit has chosen.
TARGET: Final = "target"
LANGUAGE: Final = "{http://www.w3.org/XML/1998/namespace}lang"
Omissions = Counter[str]


def read_alternatives(markup: XmlMarkup, pair: LanguagePair | None, limit: int) -> CandidateFile:
    """Segments with their target and their alternatives, named by `origin`, tool or type."""
    files, languages = files_of_pair(markup, "file", "source-language", "target-language", pair)
    file_set, omissions, phrase = set(files), Omissions(), is_phrase(markup)

    def units() -> Iterator[CandidateUnit]:
        for file, unit in elements_inside(markup, markup.root, "trans-unit", CONTAINERS):
            if file in file_set:
                yield from _unit_candidates(markup, unit, languages, omissions, phrase)

    return candidate_file(Xliff.name, units(), limit, markup.name, languages, omissions)


def _unit_candidates(
    markup: XmlMarkup, unit: Any, languages: Languages, omissions: Omissions, phrase: bool
) -> Iterator[CandidateUnit]:
    children = {local_name(child): child for child in reversed(unit)}
    source, target = children.get("source"), children.get("target")
    if source is None or unit.get("translate") == "no":
        yield CandidateUnit("", {}, markup.line(unit))
        return
    cut = children.get("seg-source")
    markers = segment_markers(markup, cut if cut is not None else source)
    # The source of each segment by its number, or of the unit.
    sources = {marker.get("mid"): marker for marker in markers} or {None: source}
    candidates: dict[str | None, dict[str, str]] = {number: {} for number in sources}
    if target is not None:
        _add(markup, candidates, target, None, [TARGET], omissions, phrase)
    for alternative in unit:
        if local_name(alternative) == "alt-trans":
            _add_alternative(markup, candidates, alternative, languages, omissions, phrase)
    for number, element in sources.items():
        yield CandidateUnit(text_of(element, phrase), candidates[number], markup.line(element))


def _add_alternative(
    markup: XmlMarkup,
    candidates: dict[str | None, dict[str, str]],
    alternative: Any,
    languages: Languages,
    omissions: Omissions,
    phrase: bool,
) -> None:
    kind = alternative.get("alttranstype", "proposal")
    names = [alternative.get("origin"), alternative.get("tool-id"), alternative.get("tool"), kind, "alternative"]
    for target in alternative:
        if local_name(target) != "target":
            continue
        language = language_of(target.get(LANGUAGE) or alternative.get(LANGUAGE))
        if kind == "reference":
            omissions["reference"] += 1
        elif language is not None and languages[1] is not None and not same_language(language, languages[1]):
            omissions["language"] += 1
        else:
            _add(markup, candidates, target, alternative.get("mid"), names, omissions, phrase)


def _add(
    markup: XmlMarkup,
    candidates: dict[str | None, dict[str, str]],
    target: Any,
    number: str | None,
    names: list[str | None],
    omissions: Omissions,
    phrase: bool,
) -> None:
    """Add a translation to the segments that it translates; count it if it is empty or fits no segment."""
    markers = [] if None in candidates else segment_markers(markup, target)
    # A translation without segments fits a unit of one segment.
    single_number = next(iter(candidates)) if len(candidates) == 1 else None
    parts = {marker.get("mid"): marker for marker in markers} or {single_number if number is None else number: target}
    for part, element in parts.items():
        text = text_of(element, phrase)
        if part not in candidates:
            omissions["part"] += 1
        elif text:
            add_candidate(candidates[part], names, text, markup.line(target))
        elif names != [TARGET]:
            omissions["empty"] += 1
