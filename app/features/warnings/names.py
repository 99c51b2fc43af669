"""Names of the source that nothing in the translation stands for."""

import unicodedata
from collections.abc import Sequence
from typing import Final

import numpy as np

from app.resources.lexical_table import LexicalTable
from app.text.hashing import hash_tokens

__all__ = ["SCRIPTS", "linked_rows", "missing_names"]

# German writes every noun like a name.
NOUNS_LIKE_NAMES: Final = frozenset({"de"})
SCRIPTS: Final = {"ru": "Cyrl", "zh": "Hani", "ne": "Deva", "si": "Sinh"}
SHORTEST: Final = 3
SAME_LETTERS: Final = 4


def missing_names(
    languages: tuple[str, str],
    source: Sequence[str],
    translation: Sequence[str],
    is_name: Sequence[bool] | None,
    table: LexicalTable | None,
) -> list[str]:
    """Names by their shape (and by their tag, where `is_name` has it per token) of which the translation has no trace.

    A trace is the first four letters, without accents, anywhere in the translation. Words that the lexical table knows are no
    names but may look like one, in titles; between scripts nothing can be said.
    """
    language, other = languages
    if SCRIPTS.get(language) != SCRIPTS.get(other) or (language in NOUNS_LIKE_NAMES and is_name is None):
        return []
    candidates = [
        word
        for k, word in enumerate(source)
        if k > 0 and len(word) >= SHORTEST and word.isalpha() and word[0].isupper() and not word.isupper()
        and (is_name is None or is_name[k])
    ]  # fmt: skip
    there = _plain(" ".join(translation))
    lost = [word for word in dict.fromkeys(candidates) if _plain(word)[:SAME_LETTERS] not in there]
    return [word for word, linked in zip(lost, linked_rows(table, lost, translation), strict=True) if linked is None]


def linked_rows(table: LexicalTable | None, words: Sequence[str], others: Sequence[str]) -> list[bool | None]:
    """Of each word whether the table translates it to one of the others; None where it does not know the word."""
    if table is None or not words:
        return [None] * len(words)
    rows = table.rows(hash_tokens([word.lower() for word in words])).tolist()
    there = hash_tokens([word.lower() for word in others])
    return [
        None if row < 0 else bool(np.isin(table.target[table.offsets[row] : table.offsets[row + 1]], there).any()) for row in rows
    ]


def _plain(word: str) -> str:
    """Small letters without accents."""
    return "".join(c for c in unicodedata.normalize("NFD", word.lower()) if not unicodedata.combining(c))
