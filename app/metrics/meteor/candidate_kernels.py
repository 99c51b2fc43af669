"""Candidates of an alignment: all pairs of equal words, words of one stem, synonyms, and paraphrases of two segments."""

from typing import Final

import numpy as np
from numba import njit

from app.arrays import Int32s, Int64s, UInt8s, UInt64s
from app.text.hashing import combine

__all__ = [
    "EXACT",
    "HYPOTHESIS",
    "HYPOTHESIS_WORDS",
    "MOST_CANDIDATES",
    "PARAPHRASE",
    "REFERENCE",
    "REFERENCE_WORDS",
    "STAGE",
    "STEM",
    "SYNONYM",
    "add_paraphrases",
    "add_words",
    "sort_candidates",
]

EXACT, STEM, SYNONYM, PARAPHRASE = range(4)
# Columns of a candidate: first word and number of words of the reference's phrase and of the hypothesis's, and the stage.
REFERENCE, REFERENCE_WORDS, HYPOTHESIS, HYPOTHESIS_WORDS, STAGE = range(5)
# A limit of memory. The stages of words stay below half of it, since segments have at most 1,000 words.
MOST_CANDIDATES: Final = 4_000_000


@njit(cache=True, nogil=True)
def _with_row(
    rows: Int32s, count: int, reference: int, reference_words: int, hypothesis: int, hypothesis_words: int, stage: int
) -> Int32s:
    """The (grown) rows with a candidate in row `count`."""
    if count == len(rows):
        larger = np.empty((2 * count + 16, 5), np.int32)
        larger[:count] = rows
        rows = larger
    rows[count, REFERENCE], rows[count, REFERENCE_WORDS] = reference, reference_words
    rows[count, HYPOTHESIS], rows[count, HYPOTHESIS_WORDS] = hypothesis, hypothesis_words
    rows[count, STAGE] = stage
    return rows


@njit(cache=True, nogil=True)
def _share(first: Int64s, second: Int64s) -> bool:
    """Return True if two sorted lists have a common element."""
    i = j = 0
    while i < len(first) and j < len(second):
        if first[i] == second[j]:
            return True
        if first[i] < second[j]:
            i += 1
        else:
            j += 1
    return False


@njit(cache=True, nogil=True)
def add_words(
    rows: Int32s,
    count: int,
    stage: int,
    hypothesis: Int64s,
    reference: Int64s,
    hypothesis_stems: Int64s,
    reference_stems: Int64s,
    sets: Int64s,
    set_offsets: Int64s,
) -> tuple[Int32s, int]:
    """Append the word pairs of a stage, reference first; returns the (grown) rows and their number.

    ``sets[set_offsets[w]:set_offsets[w + 1]]`` are the sets of synonyms of word w, sorted. Stages after the first pair
    different words only.
    """
    for j in range(len(reference)):
        for i in range(len(hypothesis)):
            is_equal = hypothesis[i] == reference[j]
            if stage == EXACT:
                fits = is_equal
            elif is_equal:
                fits = False
            elif stage == STEM:
                fits = hypothesis_stems[i] == reference_stems[j]
            else:
                fits = _share(
                    sets[set_offsets[hypothesis[i]] : set_offsets[hypothesis[i] + 1]],
                    sets[set_offsets[reference[j]] : set_offsets[reference[j] + 1]],
                )
            if fits:
                rows = _with_row(rows, count, j, 1, i, 1, stage)
                count += 1
    return rows, count


@njit(cache=True, nogil=True)
def _span_keys(hashes: UInt64s, longest: int) -> UInt64s:
    """Keys of the spans of 1 to `longest` words that begin at each word; 0 behind the end; shape (words, longest)."""
    keys = np.zeros((len(hashes), longest), np.uint64)
    for i in range(len(hashes)):
        key = np.uint64(0)
        for n in range(min(longest, len(hashes) - i)):
            key = combine(key, hashes[i + n])
            keys[i, n] = key
    return keys


@njit(cache=True, nogil=True)
def add_paraphrases(
    rows: Int32s,
    count: int,
    hypothesis: UInt64s,
    reference: UInt64s,
    phrases: UInt64s,
    paraphrases: UInt64s,
    widths: UInt8s,
    longest: int,
) -> tuple[Int32s, int]:
    """Append pairs of paraphrases of hashed words; returns the (grown) rows and their number, stopping beyond the limit.

    Row k of a table is a key of `phrases`, which is sorted, and the key and number of words of its paraphrase. A pair counts
    once for each direction that the table has, as in METEOR 1.5: such a pair is not the only candidate of its words.
    """
    sides = (_span_keys(reference, longest), _span_keys(hypothesis, longest))
    for direction in range(2):
        keys, partner_keys = sides[direction], sides[1 - direction]
        for i in range(len(keys)):
            for n in range(min(longest, len(keys) - i)):
                key = keys[i, n]
                for entry in range(np.searchsorted(phrases, key), len(phrases)):
                    if phrases[entry] != key:
                        break
                    width = int(widths[entry])
                    for j in range(len(partner_keys) - width + 1):
                        if partner_keys[j, width - 1] == paraphrases[entry]:
                            if direction == 0:
                                rows = _with_row(rows, count, i, n + 1, j, width, PARAPHRASE)
                            else:
                                rows = _with_row(rows, count, j, width, i, n + 1, PARAPHRASE)
                            count += 1
                            if count > MOST_CANDIDATES:
                                return rows, count
    return rows, count


@njit(cache=True, nogil=True)
def sort_candidates(rows: Int32s, length: int) -> tuple[Int32s, Int64s]:
    """Candidates by the first word in the reference of `length` words, otherwise in their order; and offsets of each word's."""
    offsets = np.zeros(length + 1, np.int64)
    for k in range(len(rows)):
        offsets[rows[k, REFERENCE] + 1] += 1
    for j in range(length):
        offsets[j + 1] += offsets[j]
    places = offsets[:-1].copy()
    sorted_rows = np.empty_like(rows)
    for k in range(len(rows)):
        j = rows[k, REFERENCE]
        sorted_rows[places[j]] = rows[k]
        places[j] += 1
    return sorted_rows, offsets
