"""Clipped n-gram matches between pairs of token sequences, and shared n-grams without repetition."""

from typing import Final

import numpy as np
from numba import njit

from app.arrays import Float64s, Int64s, UInt64s
from app.text.hashing import combine

__all__ = ["LONGEST_NGRAM", "clipped_matches", "floored_bleu", "shared_types", "smoothed_precision"]

LONGEST_NGRAM: Final = 4


@njit(cache=True, nogil=True)
def _keys(tokens: UInt64s, begin: int, end: int, order: int) -> UInt64s:
    out = np.empty(max(0, end - begin - order + 1), np.uint64)
    for k in range(len(out)):
        key = tokens[begin + k]
        for j in range(1, order):
            key = combine(key, tokens[begin + k + j])
        out[k] = key
    return np.sort(out)


@njit(cache=True, nogil=True)
def clipped_matches(
    tokens: UInt64s, begins: Int64s, ends: Int64s, reference_hashes: UInt64s, other_begins: Int64s, other_ends: Int64s
) -> Int64s:
    """Matches and totals of orders 1 to 4 between sequence k of both sides; shape (m, 8): four matches, four totals."""
    out = np.zeros((len(begins), 8), np.int64)
    for k in range(len(begins)):
        for order in range(1, 5):
            a = _keys(tokens, begins[k], ends[k], order)
            b = _keys(reference_hashes, other_begins[k], other_ends[k], order)
            out[k, 3 + order] = len(a)
            i = j = 0
            while i < len(a) and j < len(b):
                if a[i] == b[j]:
                    out[k, order - 1] += 1
                    i += 1
                    j += 1
                elif a[i] < b[j]:
                    i += 1
                else:
                    j += 1
    return out


def smoothed_precision(counts: Int64s) -> Float64s:
    """Geometric mean of (matches + 1) / (total + 1) over the possible orders, without a brevity penalty; 0 for an empty text."""
    matches, totals = counts[:, :LONGEST_NGRAM], counts[:, LONGEST_NGRAM:]
    fits = totals > 0
    logs = np.where(fits, np.log((matches + 1.0) / (totals + 1.0)), 0.0).sum(1)
    orders = fits.sum(1)
    return np.where(orders > 0, np.exp(logs / np.maximum(orders, 1)), 0.0)


def floored_bleu(matches: Int64s, candidate: Int64s, reference: Int64s) -> Float64s:
    """BLEU of m candidates with one reference each, in [0, 1]; `matches` (m, 4) are clipped, the lengths have shape (m,).

    An order without a match counts 1 / (2 candidate length) of a match. Orders longer than a candidate are left out of the sum, and
    each order still weighs a quarter (QuEst's IR features). 0 for an empty candidate.
    """
    totals = candidate[:, None] - np.arange(LONGEST_NGRAM)
    length = np.maximum(candidate, 1)
    hits = np.maximum(matches, 1 / (2 * length[:, None]))
    logs = np.where(totals > 0, np.log(hits / np.maximum(totals, 1)), 0.0).sum(1) / LONGEST_NGRAM
    return np.where(candidate > 0, np.exp(logs + np.minimum(0.0, 1 - reference / length)), 0.0)


@njit(cache=True, nogil=True)
def shared_types(
    tokens: UInt64s, begins: Int64s, ends: Int64s, rival_tokens: UInt64s, rival_begins: Int64s, rival_ends: Int64s, longest: int
) -> Int64s:
    """Distinct n-grams of orders 1 to `longest`: shared by sequence k of both sides, of the first, of the second; shape (m, 3)."""
    out = np.zeros((len(begins), 3), np.int64)
    for k in range(len(begins)):
        for order in range(1, longest + 1):
            a = np.unique(_keys(tokens, begins[k], ends[k], order))
            b = np.unique(_keys(rival_tokens, rival_begins[k], rival_ends[k], order))
            out[k, 1] += len(a)
            out[k, 2] += len(b)
            i = j = 0
            while i < len(a) and j < len(b):
                if a[i] == b[j]:
                    out[k, 0] += 1
                    i += 1
                    j += 1
                elif a[i] < b[j]:
                    i += 1
                else:
                    j += 1
    return out
