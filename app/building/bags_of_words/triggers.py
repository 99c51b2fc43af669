"""Triggers: words that stand in a segment, or in its translation, together with a word more often than by chance.

Raybaud et al. 2011 and Langlois et al. 2012, with the selection of QuEst.
"""

from typing import Final

import numpy as np

from app.arrays import Float64s, Int32s
from app.building.bags_of_words.vocabulary import frequent_words
from app.resources.bags_of_words.word_lexicon import bags_of
from app.resources.lexical_table import LexicalTable
from app.text.batch import TokenColumn

__all__ = ["find_triggers"]

# Candidates of each word, and its triggers among them.
CANDIDATES: Final = 20
TRIGGERS: Final = 5
# Words in the most segments; further ones have no triggers.
LIMIT: Final = 20_000
# Words at a time, to bound memory.
BLOCK: Final = 500


def find_triggers(words: TokenColumn, partners: TokenColumn, own_language: bool = False) -> LexicalTable:
    """Table of the triggers of each word of n segments among the words of the n `partners`; weights of a word sum to 1.

    With n_a and n_b segments with words a and b, and n_ab with both, MI(a, b) = log10(n n_ab / (n_a n_b)). Candidates of a are the
    twenty words with the largest n_ab MI, above 0. The five with the largest MI are its triggers, with MI over its sum as weight.
    A word of its `own_language` never triggers itself.
    """
    hashes = [frequent_words(column, LIMIT) for column in (words, partners)]
    bags = [bags_of(column, side) for column, side in zip((words, partners), hashes, strict=True)]
    counts = [np.asarray(bag.sum(0), np.float64).ravel() for bag in bags]
    offsets, targets, weights = [0], [np.zeros(0, np.uint64)], [np.zeros(0)]
    columns = bags[0].tocsc()
    for begin in range(0, len(hashes[0]), BLOCK):
        shared = (columns[:, begin : begin + BLOCK].T @ bags[1]).tocsr()
        for row in range(shared.shape[0]):
            places, joint = (array[shared.indptr[row] : shared.indptr[row + 1]] for array in (shared.indices, shared.data))
            mask = places != begin + row if own_language else np.ones(len(places), np.bool_)
            best, scores = _best(places[mask], joint[mask].astype(np.float64), counts[0][begin + row], counts[1], len(words))
            targets.append(hashes[1][best])
            weights.append(scores / scores.sum())
            offsets.append(offsets[-1] + len(best))
    return LexicalTable(hashes[0], np.array(offsets), np.concatenate(targets), np.concatenate(weights).astype(np.float32))


def _best(places: Int32s, joint: Float64s, count: float, counts: Float64s, segments: int) -> tuple[Int32s, Float64s]:
    """Triggers among the words at `places`, the best first, with their MI."""
    scores = np.log10(segments * joint / (count * counts[places]))
    candidates = np.lexsort((places, -joint * scores))[:CANDIDATES]
    candidates = candidates[scores[candidates] > 0]
    best = candidates[np.argsort(-scores[candidates], kind="stable")][:TRIGGERS]
    return places[best], scores[best]
