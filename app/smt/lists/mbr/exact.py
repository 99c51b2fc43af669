"""Expected scores from all pairs of a list."""

import numpy as np

from app.arrays import Bools, Float64s, Int64s
from app.running.deadline import check_deadline
from app.running.journal import Journal
from app.smt.lists.mbr.pairs import PAIRS_AT_ONCE, TextPairs

__all__ = ["exact_scores", "scores_of_some"]


def exact_scores(pairs: TextPairs, weights: Float64s, journal: Journal) -> tuple[Float64s, Float64s]:
    """Return ``Σ weight × score`` of each distinct candidate over the references of its list, and its score against itself; (d,).

    The second is 0 where lists have other texts as references.
    """
    out, own_scores = np.zeros(len(pairs.candidates.texts)), np.zeros(len(pairs.candidates.texts))
    candidate_offsets, reference_offsets = pairs.candidates.offsets, pairs.references.offsets
    for begin, end in pairs.groups():
        check_deadline()
        journal.report("comparing", begin / len(pairs.counts))
        for i, scores in enumerate(pairs.matrices(begin, end), begin):
            rows = slice(candidate_offsets[i], candidate_offsets[i + 1])
            out[rows] = scores @ weights[reference_offsets[i] : reference_offsets[i + 1]]
            if pairs.candidates is pairs.references:
                own_scores[rows] = scores.diagonal()
    return out, own_scores


def scores_of_some(pairs: TextPairs, weights: Float64s, mask: Bools, journal: Journal) -> tuple[Float64s, int]:
    """Return `exact_scores` for a mask of candidates, NaN for the rest, and the number of scored pairs."""
    out = np.full(len(mask), np.nan)
    rows = np.flatnonzero(mask)
    all_references = pairs.references
    lengths = all_references.lengths[pairs.candidates.list_of[rows]]
    begin = 0
    while begin < len(rows):
        check_deadline()
        journal.report("comparing", begin / len(rows))
        end = begin + max(1, int(np.searchsorted(np.cumsum(lengths[begin:]), PAIRS_AT_ONCE, "right")))
        block = rows[begin:end]
        references = _references_of(pairs, block)
        scores = pairs.scores(np.repeat(block, lengths[begin:end]), references)
        starts = np.concatenate([[0], np.cumsum(lengths[begin:end])[:-1]])
        out[block] = np.add.reduceat(scores * weights[references], starts) if len(scores) else 0.0
        begin = end
    return out, int(lengths.sum())


def _references_of(pairs: TextPairs, candidates: Int64s) -> Int64s:
    """Return all references of each candidate's list, candidate by candidate."""
    offsets = pairs.references.offsets
    lists = pairs.candidates.list_of[candidates]
    return np.concatenate([np.empty(0, np.int64), *(np.arange(offsets[i], offsets[i + 1]) for i in lists.tolist())])
