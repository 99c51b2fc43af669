"""Names of the source that are missing in the translation."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from app.checks.cldr import language_words, without_accents
from app.resources.lexical_table import LexicalTable
from app.resources.word_table import WordTable
from app.text.hashing import hash_tokens

__all__ = ["SCRIPTS", "linked_rows", "missing_names"]

# German writes every noun like a name.
NOUNS_LIKE_NAMES: Final = frozenset({"de"})
SCRIPTS: Final = {"ru": "Cyrl", "zh": "Hani", "ne": "Deva", "si": "Sinh"}
# Letters of one sound, and letters that spellings of names drop.
LETTER_SOUNDS: Final = str.maketrans({"c": "k", "q": "k", "x": "k", "w": "v", "z": "s", "y": "i"})
VOWELS: Final = frozenset("aeiouhj")
SENTENCE_ENDS: Final = frozenset('.!?:"“„«»”')
SHORTEST: Final = 3
SAME_LETTERS: Final = 4
# Shorter beginnings are words of their own.
SHORTEST_STEM: Final = 5
LONGEST_STEM: Final = 30


def missing_names(
    languages: tuple[str, str],
    source: Sequence[str],
    translation: Sequence[str],
    is_name: Sequence[bool] | None,
    table: LexicalTable | None,
) -> list[str]:
    """Names by their shape (and by their tag, if `is_name` has it per token) without a trace in the translation.

    A trace is the first four letters, without accents, anywhere in the translation. Words of the lexical table are no names,
    though titles write them like names. The result is empty for two scripts, and without both table and tags, which distinguish
    names from words like *Friday*.
    """
    language, target = languages
    if table is None and is_name is None:
        return []
    if SCRIPTS.get(language) != SCRIPTS.get(target) or (language in NOUNS_LIKE_NAMES and is_name is None):
        return []
    calendar = language_words(language).calendar
    candidates = [
        word
        for k, word in enumerate(source)
        if word[0].isupper() and k > 0 and len(word) >= SHORTEST and word.isalpha() and word[1:].islower()
        and (is_name is None or is_name[k]) and without_accents(word) not in calendar
    ]  # fmt: skip
    if not candidates or _is_title(source):
        return []
    text = without_accents(" ".join(translation))
    absent_names = [word for word in dict.fromkeys(candidates) if without_accents(word)[:SAME_LETTERS] not in text]
    if not absent_names:
        return []
    sounds = set(map(SOUNDS.__getitem__, translation))
    absent_names = [word for word in absent_names if SOUNDS[word] not in sounds]
    if not absent_names:
        return []
    absent_names = [
        word for word, link in zip(absent_names, linked_rows(table, absent_names, translation), strict=True) if link is None
    ]
    # A short capitalised word may be an article at the beginning of a sentence.
    capital = [word for word in translation if len(word) > SHORTEST and word[0].isupper()]
    candidates_remain = _unexplained(source, translation)
    return [word for word in absent_names if _is_absent(table, word, capital, candidates_remain)]


def _is_title(words: Sequence[str]) -> bool:
    """True for a title, whose words all begin with capitals."""
    long = [word for word in words if len(word) > SHORTEST and word.isalpha()]
    return len(long) >= SHORTEST and 2 * sum(word[0].isupper() for word in long) > len(long) + 1


def _unexplained(source: Sequence[str], translation: Sequence[str]) -> bool:
    """True if the translation has a capitalised word within a sentence that may translate a name of the source."""
    sounds = set(map(SOUNDS.__getitem__, source))
    inner = (word for before, word in pairwise(translation) if before not in SENTENCE_ENDS)
    return any(word[0].isupper() and word.isalpha() and len(word) > 1 and SOUNDS[word] not in sounds for word in inner)


def _is_absent(table: LexicalTable | None, word: str, capital: Sequence[str], candidates_remain: bool) -> bool:
    """True for a name without a translation.

    The table translates a beginning of an inflected or composed name, as *Eesti* of *Eestile*. A name that the table does not know
    may be translated by any other capitalised word.
    """
    stems = [word[:length] for length in range(SHORTEST_STEM, min(len(word), LONGEST_STEM))]
    links = linked_rows(table, stems, capital)
    return not any(links) and (not candidates_remain or False in links)


def _sound(word: str) -> str:
    """The first two consonants of a word, written alike in many languages; a vowel counts at its beginning."""
    letters = without_accents(word[:LONGEST_STEM]).replace("ph", "f").translate(LETTER_SOUNDS)
    rest = [c for c in dict.fromkeys(letters[1:]) if c not in VOWELS and c != letters[0]]
    return letters[:1] + "".join(rest[:1])


SOUNDS: Final = WordTable(_sound)


def linked_rows(table: LexicalTable | None, words: Sequence[str], candidates: Sequence[str]) -> list[bool | None]:
    """Mask of the words that the table translates to one of the `candidates`; None for a word outside the table."""
    if table is None or not words:
        return [None] * len(words)
    rows = table.rows(hash_tokens([word.lower() for word in words])).tolist()
    hashes = set(hash_tokens([word.lower() for word in candidates]).tolist())
    targets = [None if row < 0 else table.target[table.offsets[row] : table.offsets[row + 1]] for row in rows]
    return [None if row_targets is None else not hashes.isdisjoint(row_targets.tolist()) for row_targets in targets]
