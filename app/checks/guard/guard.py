"""A guard before any model: warnings from the two texts and their languages, for each segment alone."""

import re
from collections.abc import Iterable, Sequence
from typing import Final

from app.checks.cldr import language_words, without_accents
from app.checks.declarations import SegmentWarning
from app.checks.guard.copies import copied_words
from app.checks.guard.loops import repeated_words
from app.checks.guard.residue import residue
from app.checks.meaning.numbers.dates.months import months_of
from app.checks.meaning.numbers.spoken import spoken_values
from app.checks.scripts import foreign_words
from app.checks.words import is_translatable, plain_words
from app.resources.identification import Probabilities, identify, identify_each, likeliest, looks_otherwise, spoken_words
from app.text.languages import LanguagePair

__all__ = ["guard", "is_blank", "left_by_programs"]

# Words of a source that digits alone do not translate: from 10 a.m. to 5 p.m. has two.
WORDS_BESIDE_NUMBERS: Final = 4
# <name> is a tag, and <NAME> a word of a usage line.
TAG: Final = re.compile(r"</?[a-z!][^<>]{0,200}>")


def is_blank(text: str) -> bool:
    """True for a text without visible characters."""
    return not text[:1].isalnum() and not any(c.isprintable() and not c.isspace() for c in text)


def _lacks_words(source: str, translation: str, language: str) -> bool:
    """True for a translation of signs, tags or digits alone, unless digits may translate the source: five percent, 10 a.m."""
    plain = TAG.sub(" ", translation)
    if any(c.isalpha() for c in plain):
        return False
    # Emoji have characters that join or vary them, which are no words.
    words = [word for word in plain_words(TAG.sub(" ", source)) if any(c.isalnum() for c in word)]
    # A sign may stand for a letter: © for (C).
    words = [word for word in words if len(word) > 1 or not word.isascii()]
    if not words:
        return False
    if not any(c.isalnum() for c in plain):
        return True
    vocabulary = language_words(language)
    further_words = [
        word for word in words if without_accents(word) not in vocabulary.numbers.keys() | vocabulary.magnitudes.keys()
    ]
    has_number = any(c.isdigit() for c in source) or bool(spoken_values(source, language) | months_of(source, language))
    return sum(map(is_translatable, further_words)) >= WORDS_BESIDE_NUMBERS if has_number else bool(further_words)


def guard(
    pair: LanguagePair, source: str, translation: str, words: str | None = None, languages: Sequence[Probabilities] = ()
) -> list[SegmentWarning]:
    """Warnings that invalidate the score of a segment; none for two empty texts. O(length).

    `words` is the translation without placeholders and other marks; its language and script count. `languages` has the
    probabilities of `identify` for both texts, if the caller has identified them.
    """
    if is_blank(translation):
        return [] if is_blank(source) else [_error("empty-translation")]
    if is_blank(source):
        return [SegmentWarning("empty-source")]
    if _lacks_words(source, translation, pair.source):
        return [_error("empty-translation")]
    source_languages, target_languages = languages or identify_each([source, translation])
    warnings = []
    plain = translation if words is None else words
    wrong = _is_otherwise(pair, source, plain, target_languages)
    # A source in the target language needs no translation.
    if pair.source != pair.target and likeliest(target_languages) != pair.target:
        copies = copied_words(source, translation, wrong and likeliest(target_languages) == pair.source)
        if copies:
            warnings.append(_error("copied-source", copies))
    if wrong:
        warnings.append(SegmentWarning("wrong-language", looks_like=likeliest(target_languages), severity="error"))
    if looks_otherwise([source], pair.source, source_languages):
        warnings.append(SegmentWarning("wrong-source-language", looks_like=likeliest(source_languages)))
    foreign = foreign_words(plain, pair.target, source)
    if foreign:
        warnings.append(_error("wrong-script", foreign))
    return warnings + left_by_programs(source, translation, plain)


def _is_otherwise(pair: LanguagePair, source: str, plain: str, languages: Probabilities) -> bool:
    """Return True for a translation in another language; a third language must show in words that the source lacks."""
    if not looks_otherwise([plain], pair.target, languages):
        return False
    if likeliest(languages) == pair.source:
        return True
    source_words = set(spoken_words(source.lower()))
    rest = " ".join(word for word in spoken_words(plain) if word.lower() not in source_words)
    return looks_otherwise([rest], pair.target, identify([rest]))


def left_by_programs(source: str, translation: str, words: str | None = None) -> list[SegmentWarning]:
    """Warnings of loops and residue; `source` may also be a reference translation.

    `words` is the translation without placeholders, which lists repeat.
    """
    warnings = []
    repetition = _repetition(source, translation if words is None else words)
    if repetition:
        warnings.append(_error("repeated-loop", repetition))
    remains = residue(source, translation)
    if remains:
        warnings.append(SegmentWarning("system-residue", (), tuple(remains)))
    return warnings


def _repetition(source: str, translation: str) -> list[str]:
    """Repeated words; plural forms between bars, as in Symfony, repeat each other and are compared form by form."""
    if "|" not in translation:
        return repeated_words(source, translation)
    forms = source.split("|"), translation.split("|")
    pairs = zip(*forms, strict=True) if len(forms[0]) == len(forms[1]) else [(source, translation)]
    return next((words for pair in pairs if (words := repeated_words(*pair))), [])


def _error(code: str, words: Iterable[str] = ()) -> SegmentWarning:
    """The warning of a translation without anything to keep."""
    return SegmentWarning(code, (), tuple(words), severity="error")
