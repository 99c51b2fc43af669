"""Lexical links: word alignment by the lexical table alone, and probabilities of words given the opposite side."""

from dataclasses import dataclass

import numpy as np
from numba import njit

from app.arrays import Float32s, Float64s, Int32s, Int64s, UInt64s
from app.features.needs import Resource, required
from app.features.view import View
from app.resources.lexical_table import LexicalTable
from app.text.batch import TokenColumn
from app.text.hashing import find_key

__all__ = ["LexicalLinks", "find_links", "source_links", "target_links"]


@dataclass(frozen=True)
class LexicalLinks:
    """Links of the tokens of one side to words of the opposite side; shape (tokens,) each.

    `place` is the place of the best word (-1: none), and `probability` is p(token | best word). `total` sums p(token | word) over
    all words of the opposite side and NULL.
    """

    place: Int32s
    probability: Float32s
    total: Float64s


def find_links(table: LexicalTable, given: TokenColumn, explained: TokenColumn) -> LexicalLinks:
    """Explain each token of `explained` by the words of `given`; among equal words by the one nearest to the diagonal."""
    rows, null = table.rows(given.hashes), table.row_of("NULL")
    targets, probabilities = table.by_target
    return LexicalLinks(
        *_links(
            table.offsets,
            targets,
            probabilities,
            rows,
            null,
            given.ids,
            given.offsets,
            explained.hashes,
            explained.ids,
            explained.offsets,
        )
    )


def target_links(view: View) -> LexicalLinks:
    """Links of the translation's words to the source."""
    return find_links(required(view.resources.lexical_table, Resource.LEXICAL_TABLE), view.source, view.target)


def source_links(view: View) -> LexicalLinks:
    """Links of the source words to the translation."""
    return find_links(required(view.resources.reverse_table, Resource.REVERSE_LEXICAL_TABLE), view.target, view.source)


@njit(cache=True, inline="always")
def _probability(offsets: Int64s, targets: UInt64s, probabilities: Float32s, row: int, word: np.uint64) -> float:
    if row < 0:
        return 0.0
    at = find_key(targets, word, offsets[row], offsets[row + 1])
    return probabilities[at] if at >= 0 else 0.0


@njit(cache=True, nogil=True)
def _links(
    offsets: Int64s,
    targets: UInt64s,
    probabilities: Float32s,
    rows: Int64s,
    null: int,
    given_ids: Int32s,
    given_offsets: Int64s,
    hashes: UInt64s,
    ids: Int32s,
    token_offsets: Int64s,
) -> tuple[Int32s, Float32s, Float64s]:
    place = np.full(len(ids), -1, np.int32)
    best = np.zeros(len(ids), np.float32)
    total = np.zeros(len(ids))
    for i in range(len(token_offsets) - 1):
        size, given_size = token_offsets[i + 1] - token_offsets[i], given_offsets[i + 1] - given_offsets[i]
        for k in range(size):
            at = token_offsets[i] + k
            word = hashes[ids[at]]
            total[at] = _probability(offsets, targets, probabilities, null, word)
            nearest = 2.0
            for j in range(given_size):
                p = _probability(offsets, targets, probabilities, rows[given_ids[given_offsets[i] + j]], word)
                if p == 0.0:
                    continue
                total[at] += p
                distance = abs((k + 0.5) / size - (j + 0.5) / given_size)
                if p > best[at] or (p == best[at] and distance < nearest):
                    best[at], place[at], nearest = p, j, distance
    return place, best, total
