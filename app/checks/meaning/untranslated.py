"""Untranslated text of the source in the translation."""

from collections.abc import Sequence
from typing import Final

from app.checks.scripts import scripts_of

__all__ = ["untranslated_words"]

# A run of this many words of the source, none a name or a number, is no coincidence.
RUN: Final = 3
LONGEST_COPIED: Final = 2
# First and last letters of scripts.
LETTERS: Final = {
    "CYRILLIC": ("\u0400", "\u04ff"),
    "DEVANAGARI": ("\u0900", "\u097f"),
    "SINHALA": ("\u0d80", "\u0dff"),
    "CJK": ("\u4e00", "\u9fff"),
}


def untranslated_words(languages: tuple[str, str], source: Sequence[str], translation: Sequence[str]) -> list[str]:
    """Untranslated words: all words, a run of three, or any in a script foreign to the target language."""
    words = list(map(str.lower, translation)) if len(source) == len(translation) else []
    if list(map(str.lower, source)) == words and any(len(word) > LONGEST_COPIED and word.isalpha() for word in words):
        return list(translation)
    source_scripts, target_scripts = (scripts_of(language) for language in languages)
    for script in LETTERS.keys() & (source_scripts - target_scripts) if target_scripts else ():
        low, high = LETTERS[script]
        foreign_words = [word for word in translation if any(low <= c <= high for c in word)]
        if foreign_words:
            return foreign_words
    return _longest_run(source, translation)


def _longest_run(source: Sequence[str], translation: Sequence[str]) -> list[str]:
    """The longest common run of plain words."""
    common = set(filter(_is_plain, set(source).intersection(translation)))
    if not common:
        return []
    places = [k for k, word in enumerate(source) if word in common]
    runs = {tuple(source[k : k + RUN]) for k, last in zip(places, places[RUN - 1 :], strict=False) if last == k + RUN - 1}
    if not runs:
        return []
    for k in range(len(translation) - RUN + 1):
        if tuple(translation[k : k + RUN]) in runs:
            end = k + RUN
            while end < len(translation) and tuple(translation[end - RUN + 1 : end + 1]) in runs:
                end += 1
            return list(translation[k:end])
    return []


def _is_plain(word: str) -> bool:
    return word.isalpha() and word.islower()
