"""All checks of a batch."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from app.features.black_box.grammar import source_tags
from app.features.view import View
from app.features.warnings.names import linked_rows, missing_names
from app.features.warnings.negation import one_sided_negation
from app.features.warnings.numbers import unmatched_numbers
from app.features.warnings.untranslated import untranslated_words
from app.resources.tagger import UNIVERSAL_TAGS

__all__ = ["WARNINGS", "SegmentWarning", "segment_warnings"]

WARNINGS: Final[Mapping[str, str]] = {
    "numbers": "a number of one side is not on the other",
    "names": "a name of the source has no counterpart in the translation",
    "negation": "only one side has a negation",
    "untranslated": "words of the source stand in the translation as they are",
    "empty": "there is a source and no translation, or the other way round",
}
PROPER: Final = UNIVERSAL_TAGS.index("PROPN")


@dataclass(frozen=True)
class SegmentWarning:
    """One check that did not pass, and the words it is about: of the source, then of the translation."""

    code: str
    source: tuple[str, ...]
    translation: tuple[str, ...]


def segment_warnings(view: View) -> list[tuple[SegmentWarning, ...]]:
    """What each segment of a batch should be looked at for."""
    batch, resources = view.batch, view.resources
    if batch.texts is None:
        return [() for _ in range(len(batch))]
    named = view.once(source_tags) == PROPER if resources.source_tagger is not None and len(batch) else None
    offsets = batch.cased_source.offsets
    warnings = []
    for i, (source, translation) in enumerate(zip(*batch.texts, strict=True)):
        names = None if named is None else named[offsets[i] : offsets[i + 1]].tolist()
        warnings.append(tuple(_checks(view, i, source, translation, names)))
    return warnings


def _checks(view: View, i: int, source: str, translation: str, names: Sequence[bool] | None) -> list[SegmentWarning]:
    if not source.strip() or not translation.strip():
        return [] if source.strip() == translation.strip() else [SegmentWarning("empty", (), ())]
    pair, table = view.batch.pair, view.resources.lexical_table
    languages = (pair.source, pair.target)
    ours, theirs = view.batch.cased_source.tokens(i), view.batch.cased_translation.tokens(i)
    left = untranslated_words(languages, ours, theirs)
    if len(left) == len(theirs):
        return [SegmentWarning("untranslated", (), tuple(left))]
    warnings = [SegmentWarning("untranslated", (), tuple(left))] if left else []
    lost, extra = unmatched_numbers(source, translation)
    # "2" may have become a word.
    lost = [number for number, linked in zip(lost, linked_rows(table, lost, theirs), strict=True) if not linked]
    back = linked_rows(view.resources.reverse_table, extra, ours)
    extra = [number for number, linked in zip(extra, back, strict=True) if not linked]
    if lost or extra:
        warnings.append(SegmentWarning("numbers", tuple(lost), tuple(extra)))
    missing = missing_names(languages, ours, theirs, names, table)
    if missing:
        warnings.append(SegmentWarning("names", tuple(missing), ()))
    one_sided = one_sided_negation(languages, ours, theirs)
    if one_sided is not None:
        warnings.append(SegmentWarning("negation", tuple(one_sided[0]), tuple(one_sided[1])))
    return warnings
