"""Gold orders from word links: a total order for training, and places with ties for evaluation (digest B10 and 2.13).

Functions raise ValueError for links outside of the words.
"""

import numpy as np

from app.arrays import Float64s, Int64s
from app.smt.reordering.units import Attachment, check_links, ranks_of_words

__all__ = ["NO_PLACE", "gold_order", "linked_places", "mean_places"]

# Place of a word that no evaluation looks at.
NO_PLACE = -1


def gold_order(length: int, links: Int64s, attach: Attachment = "right") -> Int64s:
    """Source positions in target order; shape (length,).

    Words are sorted by the mean of their target positions, and equal means keep the order of the source. A word without links takes
    the mean of its neighbour. Links have the shape (k, 2): source and target positions from 0.
    """
    return np.argsort(ranks_of_words(length, links, "mean", attach))


def mean_places(length: int, links: Int64s, attach: Attachment = "right") -> Int64s:
    """Place of each word in target order, from 0; shape (length,). Words with equal means share a place, as either may stand first.

    A word without links shares the place of its neighbour. Without any link all words share place 0.
    """
    check_links(length, links)
    counts = np.bincount(links[:, 0], minlength=length)
    words = np.flatnonzero(counts)
    if not len(words):
        return np.zeros(length, np.int64)
    means = np.bincount(links[:, 0], links[:, 1], length)[words] / counts[words]
    # Number of the linked word on the right of each word, or on the left; at the edge, of the outermost one.
    neighbours = np.searchsorted(words, np.arange(length), "left" if attach == "right" else "right")
    neighbours = np.clip(neighbours if attach == "right" else neighbours - 1, 0, len(words) - 1)
    return _dense(means[neighbours])


def linked_places(length: int, links: Int64s) -> Int64s | None:
    """Place of each linked word in target order, from 0, and `NO_PLACE` for words without links; shape (length,).

    A word precedes a second one if neither its first nor its last target position is later. None for sentences with words that
    contain each other, which have no such order (Neubig et al. 2012; Nakagawa 2015).
    """
    check_links(length, links)
    firsts, lasts = np.full(length, np.iinfo(np.int64).max), np.full(length, -1, np.int64)
    np.minimum.at(firsts, links[:, 0], links[:, 1])
    np.maximum.at(lasts, links[:, 0], links[:, 1])
    words = np.flatnonzero(lasts >= 0)
    firsts, lasts = firsts[words], lasts[words]
    order = np.lexsort((lasts, firsts))
    if (np.diff(lasts[order]) < 0).any():
        return None
    places = np.full(length, NO_PLACE, np.int64)
    steps = (np.diff(firsts[order]) > 0) | (np.diff(lasts[order]) > 0)
    places[words[order]] = np.concatenate([[0], np.cumsum(steps)])[: len(words)]
    return places


def _dense(values: Float64s) -> Int64s:
    """Number of each value among the distinct ones."""
    return np.unique(values, return_inverse=True)[1].ravel().astype(np.int64)
