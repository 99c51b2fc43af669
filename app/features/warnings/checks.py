"""All checks of a batch."""

from collections.abc import Sequence
from typing import Final

from app.features.black_box.grammar import source_tags
from app.features.view import View
from app.features.warnings.declarations import SegmentWarning
from app.features.warnings.guard import guard, is_blank
from app.features.warnings.names import linked_rows, missing_names
from app.features.warnings.negation import one_sided_negation
from app.features.warnings.numbers import unmatched_numbers
from app.features.warnings.untranslated import untranslated_words
from app.resources.tagger import UNIVERSAL_TAGS
from app.text.languages import LanguagePair, base_language

__all__ = ["segment_warnings"]

PROPER: Final = UNIVERSAL_TAGS.index("PROPN")


def segment_warnings(view: View) -> list[tuple[SegmentWarning, ...]]:
    """Warnings of each segment of a batch."""
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
    pair, table = view.batch.pair, view.resources.lexical_table
    languages = (base_language(pair.source), base_language(pair.target))
    guarded = guard(LanguagePair(*languages), source, translation)
    if is_blank(source) or is_blank(translation):
        return guarded
    source_words, target_words = view.batch.cased_source.tokens(i), view.batch.cased_translation.tokens(i)
    untranslated = untranslated_words(languages, source_words, target_words)
    if len(untranslated) == len(target_words):
        return [SegmentWarning("untranslated", (), tuple(untranslated)), *guarded]
    warnings = [SegmentWarning("untranslated", (), tuple(untranslated))] if untranslated else []
    lost, extra = unmatched_numbers(source, translation)
    # The translation may spell "2" as a word.
    lost = [number for number, linked in zip(lost, linked_rows(table, lost, target_words), strict=True) if not linked]
    back = linked_rows(view.resources.reverse_table, extra, source_words)
    extra = [number for number, linked in zip(extra, back, strict=True) if not linked]
    if lost or extra:
        warnings.append(SegmentWarning("numbers", tuple(lost), tuple(extra)))
    missing = missing_names(languages, source_words, target_words, names, table)
    if missing:
        warnings.append(SegmentWarning("names", tuple(missing), ()))
    one_sided = one_sided_negation(languages, source_words, target_words)
    if one_sided is not None:
        warnings.append(SegmentWarning("negation", tuple(one_sided[0]), tuple(one_sided[1])))
    return warnings + guarded
