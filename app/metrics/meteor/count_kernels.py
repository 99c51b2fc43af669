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
    REFERENCE_WORDS,
    STAGE,
    add_paraphrases,
    add_words,
    sort_candidates,
)
from app.metrics.meteor.search_kernels import choose_matches, count_pieces
from app.metrics.meteor.turn_kernels import align_in_turn

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
) -> tuple[Float64s, Int64s, int]:
    """Rows of counts of h hypotheses (h, 21), links, and the hypothesis with too many candidates, or -1.

    Links (words,) give the index of a match's first reference word, within the segment, to its first hypothesis word; else -1.

    Words are numbers; `is_function`, `sets` and `hashes` belong to them. With `in_turn`, each stage aligns only words that
    earlier stages left, as in 2005. Otherwise one search covers all `stages`, and a perfect match has no pieces, as in 1.5.
    """
    n = len(hypothesis_offsets) - 1
    out = np.zeros((n, COLUMNS), np.float64)
    links = np.full(len(hypothesis), -1, np.int64)
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
                return out, links, segment
        rows = rows[:count]
        if in_turn:
            rows = align_in_turn(rows, h, r, hypothesis_stems[a:b], reference_stems[c:d])
        rows, offsets = sort_candidates(rows, len(r))
        matches = choose_matches(rows, offsets, len(h), in_turn)
        for j in range(len(r)):
            if matches[j] < 0:
                continue
            row = rows[matches[j]]
            links[a + row[HYPOTHESIS]] = j
            first = FIRST_MATCHES + 4 * row[STAGE]
            for i in range(row[HYPOTHESIS], row[HYPOTHESIS] + row[HYPOTHESIS_WORDS]):
                counts[first + (2 if is_function[h[i]] else 0)] += 1
            for k in range(j, j + row[REFERENCE_WORDS]):
                counts[first + (3 if is_function[r[k]] else 1)] += 1
        pieces = count_pieces(rows, matches)
        matched_words = counts[FIRST_MATCHES:PIECES].sum()
        is_perfect = pieces == 1 and matched_words == len(h) + len(r) and not in_turn
        counts[PIECES] = 0 if is_perfect else pieces
    return out, links, -1
