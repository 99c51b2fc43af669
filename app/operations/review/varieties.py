"""Varieties of one language, such as British English beside American: checked without predictions."""

from app.checks import SegmentWarning, Severity
from app.checks.meaning.numbers import unmatched_numbers
from app.checks.spans import with_spans
from app.checks.structure_warnings import checked_structure
from app.text.languages import LanguagePair, is_variety

__all__ = ["VarietyPair", "review_pair", "variety_warnings"]


class VarietyPair(LanguagePair):
    """Two varieties of one language. No engine predicts their quality."""

    def __post_init__(self) -> None:
        """Keep both tags; a pair of languages refuses one language twice."""


def review_pair(source_language: str, language: str) -> LanguagePair:
    """The pair of a file's strings. InputError (`unknown-language-pair`) for no language, and for the language of the source."""
    return (VarietyPair if is_variety(language, source_language) else LanguagePair)(source_language, language)


def variety_warnings(source: str, translation: str, pair: VarietyPair) -> tuple[SegmentWarning, ...]:
    """Warnings of structure and numbers: the words of a variety may be those of its source. O(length)."""
    structure = checked_structure(source, translation, pair)
    warnings = list(structure.warnings)
    numbers = unmatched_numbers(structure.source, structure.translation, (pair.source, pair.target))
    if numbers.missing or numbers.extra:
        severity: Severity = "error" if numbers.misleads else "warning"
        warnings.append(SegmentWarning("numbers", tuple(numbers.missing), tuple(numbers.extra), severity=severity))
    return tuple(with_spans(warnings, source, translation))
