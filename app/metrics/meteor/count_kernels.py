"""Counts of aligned segments: lengths, function words, matched words of each stage, and pieces."""

from typing import Final

import numpy as np
from numba import njit

from app.arrays import Bools, Float64s, Int64s, UInt8s, UInt64s
from app.metrics.meteor.candidate_kernels import (
    EXACT,
    HYPOTHESIS,
    HYPOTHESIS_WORDS,
    MOST_CANDIDATES,
    PARAPHRASE,
    REFERENCE,
    REFERENCE_WORDS,
    STAGE,
    add_paraphrases,
    add_words,
    sort_candidates,
)
from app.metrics.meteor.search_kernels import choose_matches, count_pieces

__all__ = ["COLUMNS", "FIRST_MATCHES", "PIECES", "alignment_counts"]

# Columns: words of hypothesis and reference, function words of both; four columns of matches for each stage (content words of
# hypothesis and reference, function words of both); pieces.
FIRST_MATCHES: Final = 4
PIECES: Final = 20
COLUMNS: Final = 21


@njit(cache=True, nogil=True)
def alignment_counts(
    hypothesis: Int64s,
    hypothesis_stems: Int64s,
    hypothesis_offsets: Int64s,
    reference: Int64s,
    reference_stems: Int64s,
    reference_offsets: Int64s,
    reference_of: Int64s,
    stages: Bools,
    in_turn: bool,
    is_function: Bools,
    sets: Int64s,
    set_offsets: Int64s,
    hashes: UInt64s,
    phrases: UInt64s,
    paraphrases: UInt64s,
    widths: UInt8s,
    longest: int,
) -> tuple[Float64s, int]:
    """Rows of counts of h hypotheses, and the hypothesis with too many candidates, or -1; shape (h, 21).

    Words are numbers; `is_function`, `sets` and `hashes` belong to them. With `in_turn`, each stage aligns only words that
    earlier stages left, as in 2005. Otherwise one search covers all `stages`, and a perfect match has no pieces, as in 1.5.
    """
    n = len(hypothesis_offsets) - 1
    out = np.zeros((n, COLUMNS), np.float64)
    for segment in range(n):
        a, b = hypothesis_offsets[segment], hypothesis_offsets[segment + 1]
        c, d = reference_offsets[reference_of[segment]], reference_offsets[reference_of[segment] + 1]
        h, r = hypothesis[a:b], reference[c:d]
        counts = out[segment]
        counts[0], counts[1] = len(h), len(r)
        counts[2], counts[3] = is_function[h].sum(), is_function[r].sum()
        is_identical = len(h) == len(r) and (h == r).all()
        rows = np.empty((len(h) + len(r), 5), np.int32)
        count = 0
        for stage in range(PARAPHRASE):
            if stages[stage] and (stage == EXACT or not is_identical):
                rows, count = add_words(rows, count, stage, h, r, hypothesis_stems[a:b], reference_stems[c:d], sets, set_offsets)
        if stages[PARAPHRASE] and not is_identical:
            rows, count = add_paraphrases(rows, count, hashes[h], hashes[r], phrases, paraphrases, widths, longest)
            if count > MOST_CANDIDATES:
                return out, segment
        rows = rows[:count]
        if in_turn:
            rows = _reduce_in_turn(rows, len(h), len(r))
        rows, offsets = sort_candidates(rows, len(r))
        matches = choose_matches(rows, offsets, len(h), in_turn)
        for j in range(len(r)):
            if matches[j] < 0:
                continue
            row = rows[matches[j]]
            first = FIRST_MATCHES + 4 * row[STAGE]
            for i in range(row[HYPOTHESIS], row[HYPOTHESIS] + row[HYPOTHESIS_WORDS]):
                counts[first + (2 if is_function[h[i]] else 0)] += 1
            for k in range(j, j + row[REFERENCE_WORDS]):
                counts[first + (3 if is_function[r[k]] else 1)] += 1
        pieces = count_pieces(rows, matches)
        matched_words = counts[FIRST_MATCHES:PIECES].sum()
        is_perfect = pieces == 1 and matched_words == len(h) + len(r) and not in_turn
        counts[PIECES] = 0 if is_perfect else pieces
    return out, -1


@njit(cache=True, nogil=True)
def _reduce_in_turn(rows: Int64s, hypothesis_words: int, reference_words: int) -> Int64s:
    """The candidates that the stages choose, one after the other; no two have a word in common."""
    used_h = np.zeros(hypothesis_words, np.bool_)
    used_r = np.zeros(reference_words, np.bool_)
    choices = rows[:0].copy()
    for stage in range(PARAPHRASE + 1):
        fits = np.zeros(len(rows), np.bool_)
        for k in range(len(rows)):
            row = rows[k]
            fits[k] = (
                row[STAGE] == stage
                and not used_h[row[HYPOTHESIS] : row[HYPOTHESIS] + row[HYPOTHESIS_WORDS]].any()
                and not used_r[row[REFERENCE] : row[REFERENCE] + row[REFERENCE_WORDS]].any()
            )
        if not fits.any():
            continue
        sorted_rows, offsets = sort_candidates(np.concatenate((choices, rows[fits])), reference_words)
        matches = choose_matches(sorted_rows, offsets, hypothesis_words, True)
        choices = sorted_rows[matches[matches >= 0]]
        for k in range(len(choices)):
            row = choices[k]
            used_h[row[HYPOTHESIS] : row[HYPOTHESIS] + row[HYPOTHESIS_WORDS]] = True
            used_r[row[REFERENCE] : row[REFERENCE] + row[REFERENCE_WORDS]] = True
    return choices
