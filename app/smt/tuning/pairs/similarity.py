"""Similarity of source texts: sentence BLEU between them (Song 2015, equation 5.5)."""

from collections.abc import Sequence
from typing import Final

import numpy as np

from app.arrays import Float64s
from app.metrics.lexical.matching import clipped_matches
from app.metrics.numbering import Numbering
from app.metrics.tokenisers import METRIC_TOKENISERS
from app.smt.tuning.pairs.sentence_bleu import ORDER, smoothed_bleu

__all__ = ["source_similarities"]

# The constant missing in (5.5) is 1; smoothing is the thesis' for sentence BLEU.
ALPHA: Final = 1.0


def source_similarities(
    development: Sequence[str], test: Sequence[str], alpha: float = ALPHA, scale: float = 1.0, tokenise: str = "13a"
) -> Float64s:
    """Return `scale` times BLEU of n development texts against each of t test texts as reference; (t, n).

    `tokenise` names a tokeniser of metrics; case is kept. By smoothing, short texts without common words score above 0: 0.11 at 10
    words with an `alpha` of 1.
    """
    numbering = Numbering(METRIC_TOKENISERS[tokenise], lowercase=False)
    symbols, offsets = numbering.number(development)
    test_numbers, begins = numbering.number(test)
    length = np.diff(offsets)
    rows = np.empty((len(development), 2 + 2 * ORDER))
    rows[:, 0], rows[:, 2 + ORDER :] = length, np.maximum(length[:, None] - np.arange(ORDER), 0)
    references = np.zeros(len(development), np.int64)
    out = np.empty((len(test), len(development)))
    for i, (begin, end) in enumerate(zip(begins[:-1].tolist(), begins[1:].tolist(), strict=True)):
        rows[:, 1] = end - begin
        rows[:, 2 : 2 + ORDER] = clipped_matches(
            symbols, offsets, test_numbers[begin:end], np.array([0, end - begin]), references, ORDER
        )
        out[i] = scale * smoothed_bleu(rows, alpha)
    return out
