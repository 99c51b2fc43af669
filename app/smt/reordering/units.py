"""Units of an aligned sentence: a permutation of its words, or of its minimal phrases (thesis, sections 2.5.2 and 3.3)."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from app.arrays import Float64s, Int64s
from app.smt.reordering.unit_kernels import minimal_phrases, order_of_targets

__all__ = ["Attachment", "Links", "Phrases", "check_links", "phrases_of", "ranks_of_words"]

Attachment = Literal["left", "right"]
Links = Literal["leftmost", "rightmost", "mean", "probable"]


@dataclass(frozen=True, eq=False)
class Phrases:
    """Minimal phrases of a sentence: source spans [begin, end) in source order, shape (m, 2), and ranks in target order."""

    spans: Int64s
    ranks: Int64s


def check_links(length: int, links: Int64s) -> None:
    """Raise ValueError for a link outside of `length` source words, or before the first target word."""
    if links.ndim != 2 or links.shape[1] != 2:
        raise ValueError(f"links have the shape (k, 2); these have {links.shape}")
    if len(links) and (links.min() < 0 or links[:, 0].max() >= length):
        raise ValueError(f"a link lies outside of the {length} words of its sentence")


def ranks_of_words(
    length: int, links: Int64s, choice: Links = "mean", attach: Attachment = "right", probabilities: Float64s | None = None
) -> Int64s:
    """Rank of each of `length` source words in target order, from 0.

    A word with several links takes one of them, or their mean; "probable" takes the link with the highest of `probabilities`, the
    first of equals. A word without links goes with its neighbour on the side `attach`, or else on the other. Links have the shape
    (k, 2): source and target positions from 0. ValueError for links outside of the words.
    """
    check_links(length, links)
    targets = np.full(length, np.nan)
    order = np.lexsort((links[:, 1], links[:, 0]))
    if choice == "probable":
        if probabilities is None:
            raise ValueError("probable links need probabilities")
        order = np.lexsort((links[:, 1], -probabilities, links[:, 0]))
    sources, places = links[order, 0], links[order, 1].astype(np.float64)
    if choice == "mean":
        sums, counts = np.bincount(sources, places, length), np.bincount(sources, minlength=length)
        targets = np.divide(sums, counts, out=targets, where=counts > 0)
    else:
        # The last assignment to a word stays.
        step = 1 if choice == "rightmost" else -1
        targets[sources[::step]] = places[::step]
    ranks: Int64s = order_of_targets(targets, attach == "right")
    return ranks


def phrases_of(links: Int64s) -> Phrases:
    """Minimal phrases of links of the shape (k, 2)."""
    return Phrases(*minimal_phrases(np.ascontiguousarray(links[:, 0]), np.ascontiguousarray(links[:, 1])))
