"""All checks of a batch."""

from collections.abc import Sequence
from typing import Final

from app.checks.declarations import SegmentWarning
from app.checks.guard import guard, is_blank
from app.checks.meaning.lengths import unusual_length
from app.checks.meaning.names import missing_names
from app.checks.meaning.negation import one_sided_negation
from app.checks.meaning.numbers import unmatched_numbers
from app.checks.meaning.terminology import broken_terms
from app.checks.meaning.unrelated import unrelated_translations
from app.checks.meaning.untranslated import untranslated_words
from app.checks.severities import Severity
from app.checks.spans import with_spans
from app.checks.structure.messages import is_message
from app.checks.structure_warnings import WORD, CheckedStructure, checked_structure
from app.documents.glossaries import Glossary
from app.features.black_box.grammar import source_tags
from app.features.view import View
from app.resources.identification import identify_each
from app.resources.tagger import UNIVERSAL_TAGS
from app.resources.terminology import Terminology, terminology_of
from app.text.languages import LanguagePair, base_language

__all__ = ["segment_warnings"]

# Words of a source up to which a lost negation is an error for certain: of longer ones, translators negate another part.
SURE_LENGTH: Final = 20
PROPER: Final = UNIVERSAL_TAGS.index("PROPN")


def segment_warnings(
    view: View, glossary: Glossary | None = None, tags: LanguagePair | None = None
) -> list[tuple[SegmentWarning, ...]]:
    """Warnings of each segment of a batch, with those about the terms of a glossary if there is one.

    `tags` may have regions, whose signs of numbers count; the pair of the batch has none.
    """
    batch, resources, tags = view.batch, view.resources, tags or view.batch.pair
    if batch.texts is None:
        return [() for _ in range(len(batch))]
    name_mask = view.cached(source_tags) == PROPER if resources.source_tagger is not None and len(batch) else None
    offsets = batch.cased_source.offsets
    warnings, further_warnings = [], unrelated_translations(view)
    terminology = None if glossary is None else terminology_of(glossary, batch.pair)
    texts = list(zip(*batch.texts, strict=True))
    structures = [None if any(map(is_blank, sides)) else checked_structure(*sides, batch.pair) for sides in texts]
    guards = _guards(batch.pair, texts, structures)
    for i, (sides, structure) in enumerate(zip(texts, structures, strict=True)):
        if structure is None:
            row = guards[i]
        else:
            names = None if name_mask is None else name_mask[offsets[i] : offsets[i + 1]].tolist()
            row = _checks(view, i, structure, guards[i], names, terminology, tags)
        is_copy = any(warning.code == "copied-source" for warning in row) or _is_untranslated(view, i, row)
        row = with_spans(row, *sides)
        warnings.append((*row, *(() if is_copy else further_warnings[i])))
    return warnings


def _guards(
    pair: LanguagePair, texts: Sequence[tuple[str, str]], structures: Sequence[CheckedStructure | None]
) -> list[list[SegmentWarning]]:
    """Warnings of the guard for all segments, whose languages are identified at once; a blank text has no structure."""
    languages = LanguagePair(base_language(pair.source), base_language(pair.target))
    # Keywords of messages, such as plural and other, are words of no language.
    guarded_texts = [
        (structure.source, structure.translation) if structure is not None and is_message(sides[0]) else sides
        for sides, structure in zip(texts, structures, strict=True)
    ]
    probabilities = identify_each([text for sides in guarded_texts for text in sides])
    return [
        guard(languages, *sides, None if structure is None else structure.translation, probabilities[2 * k : 2 * k + 2])
        for k, (sides, structure) in enumerate(zip(guarded_texts, structures, strict=True))
    ]


def _is_untranslated(view: View, i: int, row: Sequence[SegmentWarning]) -> bool:
    """True if all words of a translation are untranslated."""
    copies = [warning for warning in row if warning.code == "untranslated"]
    if not copies:
        return False
    count = sum(any(c.isalnum() for c in word) for word in view.batch.cased_translation.tokens(i))
    return any(len(warning.translation) == count for warning in copies)


def _checks(
    view: View,
    i: int,
    structure: CheckedStructure,
    guard_warnings: Sequence[SegmentWarning],
    names: Sequence[bool] | None,
    terminology: Terminology | None,
    tags: LanguagePair,
) -> list[SegmentWarning]:
    """Warnings of a segment of two texts that are not blank."""
    assert view.batch.texts is not None
    pair, table = view.batch.pair, view.resources.lexical_table
    languages = (base_language(pair.source), base_language(pair.target))
    source, translation = (column[i] for column in view.batch.texts)
    source_words, target_words = view.batch.cased_source.tokens(i), view.batch.cased_translation.tokens(i)
    copies = untranslated_words(languages, source_words, target_words)
    # Languages differ in their tokens: weren't.
    is_copy = len(copies) == len(target_words) or source == translation
    # Signs and the words of placeholders and addresses need no translation.
    copies = [word for word in copies if not structure.words.issuperset(WORD.findall(word))]
    # One word may be equal in both languages: Error, General.
    severity: Severity = "info" if is_copy and len(copies) == 1 else "warning"
    warnings = [SegmentWarning("untranslated", (), tuple(copies), severity=severity)] if copies else []
    if is_copy:
        return [*structure.warnings, *warnings, *guard_warnings]
    numbers = unmatched_numbers(structure.source, structure.translation, (tags.source, tags.target))
    if numbers.missing or numbers.extra:
        warnings.append(
            SegmentWarning(
                "numbers", tuple(numbers.missing), tuple(numbers.extra), severity="error" if numbers.misleads else "warning"
            )
        )
    missing = [name for name in missing_names(languages, source_words, target_words, names, table) if name not in structure.words]
    if missing:
        warnings.append(SegmentWarning("names", tuple(missing), ()))
    negation = one_sided_negation(languages, structure.source, structure.translation)
    if negation is not None:
        is_sure = bool(negation.source) and len(source_words) <= SURE_LENGTH
        warnings.append(SegmentWarning("negation", *negation, severity="error" if is_sure else "warning"))
    length = unusual_length(languages, source, translation)
    terms = None if terminology is None else broken_terms(terminology, structure.source, structure.translation)
    further_warnings = [warning for warning in (length, terms) if warning is not None]
    return [*structure.warnings, *warnings, *further_warnings, *guard_warnings]
