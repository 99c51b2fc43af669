"""Vocabularies of bags of words."""

import numpy as np

from app.arrays import UInt64s
from app.resources.bags_of_words.word_lexicon import pairs_of
from app.text.batch import TokenColumn

__all__ = ["frequent_words"]


def frequent_words(column: TokenColumn, limit: int, minimum: int = 1, largest_share: float = 1.0) -> UInt64s:
    """Ascending hashes of the words in the most of n segments, at most `limit`; none for a column without words.

    Words stand in at least `minimum` segments, and in at most `largest_share` of them. The smaller hash decides between equals.
    """
    counts = np.bincount(pairs_of(column)[1], minlength=len(column.vocabulary))
    rows = np.flatnonzero((counts >= minimum) & (counts <= largest_share * len(column)))
    order = rows[np.lexsort((column.hashes[rows], -counts[rows]))][:limit]
    return np.sort(column.hashes[order])
