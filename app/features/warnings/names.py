"""Names of the source that nothing in the translation stands for."""

import unicodedata
from collections.abc import Sequence
from typing import Final

import numpy as np

from app.arrays import UInt64s
from app.resources.lexical_table import LexicalTable
from app.text.hashing import hash_tokens

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
    """Names by their shape (and by their tag, where `is_name` has it per token) of which the translation has no trace.

    A trace is the first four letters, without accents, anywhere in the translation. Words that the lexical table knows are no
    names but may look like one, in titles; between scripts nothing can be said, nor where neither a table nor tags tell names from
    words that a language writes like names, as *Friday*.
    """
    language, other = languages
    if table is None and is_name is None:
        return []
    if SCRIPTS.get(language) != SCRIPTS.get(other) or (language in NOUNS_LIKE_NAMES and is_name is None):
        return []
    candidates = [
        word
        for k, word in enumerate(source)
        if k > 0 and len(word) >= SHORTEST and word.isalpha() and word[0].isupper() and not word.isupper()
        and (is_name is None or is_name[k])
    ]  # fmt: skip
    plain = {word: _plain(word)[:SAME_LETTERS] for word in dict.fromkeys(candidates)}
    there = _plain(" ".join(translation))
    traces = {there[k : k + width] for width in set(map(len, plain.values())) for k in range(len(there) - width + 1)}
    lost = [word for word, trace in plain.items() if trace not in traces]
    lost = [word for word, linked in zip(lost, linked_rows(table, lost, translation), strict=True) if linked is None]
    # What begins a sentence may be an article.
    capital = [word for word in translation if len(word) > SHORTEST and word[0].isupper()]
    return [word for word in lost if not _stem_is_linked(table, word, capital)]


def _stem_is_linked(table: LexicalTable | None, word: str, translation: Sequence[str]) -> bool:
    """Whether the table translates a beginning of an inflected or composed name to one of the others, as *Eesti* of *Eestile*."""
    stems = [word[:length] for length in range(SHORTEST_STEM, min(len(word), LONGEST_STEM))]
    return any(linked_rows(table, stems, translation))


def linked_rows(table: LexicalTable | None, words: Sequence[str], others: Sequence[str]) -> list[bool | None]:
    """Of each word whether the table translates it to one of the others; None where it does not know the word."""
    if table is None or not words:
        return [None] * len(words)
    rows = table.rows(hash_tokens([word.lower() for word in words])).tolist()
    there = np.unique(hash_tokens([word.lower() for word in others]))
    return [None if row < 0 else _any_in(table.target[table.offsets[row] : table.offsets[row + 1]], there) for row in rows]


def _any_in(hashes: UInt64s, ordered: UInt64s) -> bool:
    """Whether one of the hashes is among others, which are in order."""
    if not len(ordered):
        return False
    places = np.minimum(np.searchsorted(ordered, hashes), len(ordered) - 1)
    return bool((ordered[places] == hashes).any())


def _plain(word: str) -> str:
    """Small letters without accents.

    Taken apart one by one: Unicode's order of accents, which are dropped anyhow, is found in the square of their number.
    """
    letters = word.lower()
    if letters.isascii():
        return letters
    return "".join(part for c in letters for part in unicodedata.normalize("NFD", c) if not unicodedata.combining(part))
