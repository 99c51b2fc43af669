"""Permutations of alignments from the caller: pairs ``i-j`` with the word of the hypothesis first."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from app.arrays import Float64s, Int64s
from app.errors import InputError
from app.permutations.permutation_kernels import permutation_similarities, ranks_of_links
from app.permutations.similarities import SIMILARITIES

__all__ = ["AlignedOrder", "aligned_orders", "read_links"]

# Limit of linked words of a reference; time depends on the words of the hypothesis only.
MOST_PLACES: Final = 2000
LINK: Final = re.compile(r"(\d{1,5})-(\d{1,5})")


@dataclass(frozen=True)
class AlignedOrder:
    """One segment: linked hypothesis words as ranks of their reference places (from 1), and the measures of their order."""

    permutation: tuple[int, ...]
    measures: dict[str, float]


def read_links(text: str, words: int, place: tuple[str | int, ...]) -> Int64s:
    """The reference place of each of `words` hypothesis words, -1 without a link; of several links the leftmost.

    InputError names the `place` of an alignment that cannot be read.
    """
    links = np.full(words, -1, np.int64)
    for cell in text.split():
        match = LINK.fullmatch(cell)
        if match is None or int(match[1]) >= words or int(match[2]) >= MOST_PLACES:
            raise InputError(
                "invalid-request", f"write an alignment as pairs i-j from 0, i below {words} and j below {MOST_PLACES}", place
            )
        i, j = int(match[1]), int(match[2])
        links[i] = j if links[i] < 0 else min(links[i], j)
    return links


def aligned_orders(links: Sequence[Int64s], beta: float = 0.6) -> list[AlignedOrder]:
    """Permutations and measures of segments; words with the same reference place keep the hypothesis's order."""
    offsets = np.concatenate([[0], np.cumsum([len(row) for row in links], dtype=np.int64)])
    flat: Int64s = np.concatenate(links) if len(links) else np.empty(0, np.int64)
    ranks, ends = ranks_of_links(flat, offsets)
    values: Float64s = permutation_similarities(ranks, ends, beta, -1)
    return [
        AlignedOrder(
            tuple(int(rank) + 1 for rank in ranks[ends[i] : ends[i + 1]]),
            dict(zip(SIMILARITIES, map(float, values[i]), strict=True)),
        )
        for i in range(len(links))
    ]
