"""Names of the source that are missing in the translation."""

import unicodedata
from collections.abc import Sequence
from typing import Final

import numpy as np

from app.resources.lexical_table import LexicalTable
from app.text.hashing import hash_tokens, rows_of_keys

__all__ = ["SCRIPTS", "linked_rows", "missing_names"]

# German writes every noun like a name.
NOUNS_LIKE_NAMES: Final = frozenset({"de"})
SCRIPTS: Final = {"ru": "Cyrl", "zh": "Hani", "ne": "Deva", "si": "Sinh"}
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
    candidates = [
        word
        for k, word in enumerate(source)
        if k > 0 and len(word) >= SHORTEST and word.isalpha() and word[0].isupper() and not word.isupper()
        and (is_name is None or is_name[k])
    ]  # fmt: skip
    plain = {word: _plain(word)[:SAME_LETTERS] for word in dict.fromkeys(candidates)}
    text = _plain(" ".join(translation))
    traces = {text[k : k + width] for width in set(map(len, plain.values())) for k in range(len(text) - width + 1)}
    absent_names = [word for word, trace in plain.items() if trace not in traces]
    absent_names = [
        word for word, link in zip(absent_names, linked_rows(table, absent_names, translation), strict=True) if link is None
    ]
    # A short capitalised word may be an article at the beginning of a sentence.
    capital = [word for word in translation if len(word) > SHORTEST and word[0].isupper()]
    return [word for word in absent_names if not _stem_is_linked(table, word, capital)]


def _stem_is_linked(table: LexicalTable | None, word: str, translation: Sequence[str]) -> bool:
    """True if the table translates a beginning of an inflected or composed name into the translation, as *Eesti* of *Eestile*."""
    stems = [word[:length] for length in range(SHORTEST_STEM, min(len(word), LONGEST_STEM))]
    return any(linked_rows(table, stems, translation))


def linked_rows(table: LexicalTable | None, words: Sequence[str], candidates: Sequence[str]) -> list[bool | None]:
    """Mask of the words that the table translates to one of the `candidates`; None for a word outside the table."""
    if table is None or not words:
        return [None] * len(words)
    rows = table.rows(hash_tokens([word.lower() for word in words])).tolist()
    hashes = np.unique(hash_tokens([word.lower() for word in candidates]))
    targets = [None if row < 0 else table.target[table.offsets[row] : table.offsets[row + 1]] for row in rows]
    return [None if row_targets is None else bool((rows_of_keys(hashes, row_targets) >= 0).any()) for row_targets in targets]


def _plain(word: str) -> str:
    """Lower-case letters without accents.

    Letters are decomposed one by one: ordering many accents, which are dropped anyhow, would take quadratic time.
    """
    letters = word.lower()
    if letters.isascii():
        return letters
    return "".join(part for c in letters for part in unicodedata.normalize("NFD", c) if not unicodedata.combining(part))
