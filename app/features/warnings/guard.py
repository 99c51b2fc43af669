"""What is looked at before any model is believed: told from the two texts and their languages, of each segment by itself."""

from app.features.warnings.copies import copied_words
from app.features.warnings.declarations import SegmentWarning
from app.features.warnings.loops import repeated_words
from app.features.warnings.residue import residue
from app.features.warnings.scripts import foreign_words
from app.resources.identification import identify, likeliest, looks_otherwise
from app.text.languages import LanguagePair

__all__ = ["guard", "is_blank", "left_by_programs"]


def is_blank(text: str) -> bool:
    """Whether nothing can be seen of a text."""
    return not any(c.isprintable() and not c.isspace() for c in text)


def _has_words(text: str) -> bool:
    return any(c.isalnum() for c in text)


def guard(pair: LanguagePair, source: str, translation: str) -> list[SegmentWarning]:
    """The warnings of one segment that no score should be believed of; of two empty texts none. O(length)."""
    if is_blank(source) or is_blank(translation):
        return _empty(source, translation)
    if _has_words(source) and not _has_words(translation):
        return [SegmentWarning("empty-translation")]
    ours, theirs = identify([source]), identify([translation])
    warnings = []
    wrong = looks_otherwise([translation], pair.target, theirs)
    # What is in the target language already is not translated again.
    if pair.source != pair.target and likeliest(theirs) != pair.target:
        copied = copied_words(source, translation, wrong and likeliest(theirs) == pair.source)
        if copied:
            warnings.append(SegmentWarning("copied-source", (), tuple(copied)))
    if wrong:
        warnings.append(SegmentWarning("wrong-language", looks_like=likeliest(theirs)))
    if looks_otherwise([source], pair.source, ours):
        warnings.append(SegmentWarning("wrong-source-language", looks_like=likeliest(ours)))
    foreign = foreign_words(translation, pair.target)
    if foreign:
        warnings.append(SegmentWarning("wrong-script", (), tuple(foreign)))
    return warnings + left_by_programs(source, translation)


def left_by_programs(source: str, translation: str) -> list[SegmentWarning]:
    """Loops and residue; `source` may be a reference as well, which says what is right."""
    warnings = []
    repeated = repeated_words(source, translation)
    if repeated:
        warnings.append(SegmentWarning("repeated-loop", (), tuple(repeated)))
    left = residue(source, translation)
    if left:
        warnings.append(SegmentWarning("system-residue", (), tuple(left)))
    return warnings


def _empty(source: str, translation: str) -> list[SegmentWarning]:
    if is_blank(source) and is_blank(translation):
        return []
    return [SegmentWarning("empty-source" if is_blank(source) else "empty-translation")]
