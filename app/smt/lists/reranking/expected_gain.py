"""The MBR feature: the expected sentence BLEU of a hypothesis, with its list as pseudo-references.

Srivastava's thesis (4.1), with sBLEU of (3.3), after Liang et al. 2006. The sum over orders is the only smoothing; the maximum is
0.9375.
"""

import numpy as np

from app.arrays import Float64s
from app.running.deadline import check_deadline
from app.smt.lists.reranking.gain_kernels import ORDERS, expected_gains
from app.smt.lists.reranking.list_ngrams import ListNgrams
from app.text.batch import TokenColumn

__all__ = ["expected_sbleu"]


def expected_sbleu(tokens: TokenColumn, ngrams: ListNgrams, shares: Float64s, self_included: bool = True) -> Float64s:
    """Return Σ_e' sBLEU(e, e') Pr(e'|f) over the other hypotheses of the list, with `self_included` also over e itself; (h,).

    `ngrams` has four orders, `shares` (h,) are Pr(e'|f). Time is O(list² × length) per list.
    """
    rows = np.stack([np.asarray(row) for row in ngrams.rows[:ORDERS]])
    out = np.zeros(len(shares))
    for begin, end in zip(ngrams.offsets[:-1].tolist(), ngrams.offsets[1:].tolist(), strict=True):
        check_deadline()
        out[begin:end] = expected_gains(rows, tokens.offsets, shares, begin, end, self_included)
    return out
