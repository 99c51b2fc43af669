"""Alignment of METEOR of 2005: each stage aligns only words that earlier stages left."""

import numpy as np
from numba import njit

from app.arrays import Int32s, Int64s
from app.metrics.meteor.candidate_kernels import (
    EXACT,
    HYPOTHESIS,
    HYPOTHESIS_WORDS,
    PARAPHRASE,
    REFERENCE,
    REFERENCE_WORDS,
    STAGE,
    STEM,
    sort_candidates,
)
from app.metrics.meteor.search_kernels import choose_matches, count_pieces
from app.metrics.word_order.matching import tile

__all__ = ["align_in_turn"]


@njit(cache=True, nogil=True)
def align_in_turn(rows: Int32s, hypothesis: Int64s, reference: Int64s, hypothesis_stems: Int64s, reference_stems: Int64s) -> Int32s:
    """The candidates that the stages choose, one after the other; no two have a word in common.

    Equal words and stems are aligned twice, by beam search and by long runs first. Both find as many matches as there are, and
    the alignment with fewer pieces remains.
    """
    used_h = np.zeros(len(hypothesis), np.bool_)
    used_r = np.zeros(len(reference), np.bool_)
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
        sorted_rows, offsets = sort_candidates(np.concatenate((choices, rows[fits])), len(reference))
        matches = choose_matches(sorted_rows, offsets, len(hypothesis), True)
        beam_choices = sorted_rows[matches[matches >= 0]]
        if stage == EXACT:
            choices = _select(beam_choices, _tiled(choices, hypothesis, reference, stage), len(reference))
        elif stage == STEM:
            choices = _select(beam_choices, _tiled(choices, hypothesis_stems, reference_stems, stage), len(reference))
        else:
            choices = beam_choices
        for k in range(len(choices)):
            row = choices[k]
            used_h[row[HYPOTHESIS] : row[HYPOTHESIS] + row[HYPOTHESIS_WORDS]] = True
            used_r[row[REFERENCE] : row[REFERENCE] + row[REFERENCE_WORDS]] = True
    return choices


@njit(cache=True, nogil=True)
def _tiled(choices: Int32s, hypothesis: Int64s, reference: Int64s, stage: int) -> Int32s:
    """Choices of single words, and links of the remaining equal symbols, the longest runs first."""
    links = np.full(len(hypothesis), -1, np.int64)
    is_linked = np.zeros(len(reference), np.int64)
    stages = np.full(len(hypothesis), stage, np.int64)
    for k in range(len(choices)):
        row = choices[k]
        links[row[HYPOTHESIS]], stages[row[HYPOTHESIS]] = row[REFERENCE], row[STAGE]
        is_linked[row[REFERENCE]] = 1
    tile(hypothesis, reference, links, is_linked)
    rows = np.ones((int((links >= 0).sum()), 5), np.int32)
    count = 0
    for i in range(len(links)):
        if links[i] >= 0:
            rows[count, REFERENCE], rows[count, HYPOTHESIS], rows[count, STAGE] = links[i], i, stages[i]
            count += 1
    return rows


@njit(cache=True, nogil=True)
def _select(first: Int32s, second: Int32s, reference_words: int) -> Int32s:
    """The choices with fewer pieces; the first of equal ones."""
    return second if _pieces(second, reference_words) < _pieces(first, reference_words) else first


@njit(cache=True, nogil=True)
def _pieces(choices: Int32s, reference_words: int) -> int:
    sorted_rows, offsets = sort_candidates(choices, reference_words)
    return count_pieces(sorted_rows, np.where(offsets[1:] > offsets[:-1], offsets[:-1], -1))
