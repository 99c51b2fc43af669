"""SIMPBLEU: the 64 simplifications of BLEU (Song and Cohn 2011; Song's thesis, section 3.2.2).

A name is ``[P|R][G|A][B]?[C]?[1-4]``: precision or recall, geometric or arithmetic mean over the
orders, brevity penalty or not, clipping or not, highest order. PGBC4 is BLEU without smoothing.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

import numpy as np

from app.arrays import Bools, Float64s, Int64s
from app.metrics.counting import ngram_counts
from app.metrics.definition import Metric, PreparedMetric, Segments, reference_rows
from app.metrics.lexical.ngram_kernels import (
    CLIPPED_MATCHES,
    HYPOTHESIS_TOTAL,
    UNCLIPPED_MATCHES,
    UNCLIPPED_REFERENCE_MATCHES,
    match_ngrams,
)
from app.metrics.plausible import are_counts, are_ngrams_of
from app.metrics.tokenisers import METRIC_TOKENISERS
from app.metrics.tokens.texts import symbols_of
from app.text.reading.options import shortest

__all__ = ["VARIANTS", "SimpBleu", "simpbleu_score"]

ORDER: Final = 4
VARIANTS: Final = tuple(
    f"{side}{mean}{penalty}{clip}{order}"
    for side in "PR" for mean in "GA" for penalty in ("B", "") for clip in ("C", "") for order in range(1, ORDER + 1)
)  # fmt: skip
NAME: Final = re.compile(r"([PR])([GA])(B?)(C?)([1-4])")
# Per reference: both lengths, then per order clipped matches, unclipped matches of both sides, n-grams of both sides.
WIDTH: Final = 2 + 5 * ORDER


def simpbleu_score(variant: str, rows: Float64s, alpha: float, smooth_penalty: bool = True) -> Float64s:
    """Scores in [0, 1] of statistics against one reference, shape (m, 22) to (m,).

    `alpha` is added to numerator and denominator of every order and, with `smooth_penalty`, to both
    lengths of the brevity penalty (equations 2.28, 3.2, 3.3, 3.7). An order without n-grams is 0.
    """
    match = NAME.fullmatch(variant)
    if match is None:
        raise ValueError(f"not a SIMPBLEU variant: {variant}")
    side, mean, penalty, clip, order = match[1], match[2], bool(match[3]), bool(match[4]), int(match[5])
    length, reference = rows[:, 0], rows[:, 1]
    blocks = rows[:, 2:].reshape(len(rows), 5, ORDER)[:, :, :order]
    clipped_matches, hypothesis_matches, reference_matches, hypothesis_totals, reference_totals = (blocks[:, k] for k in range(5))
    matches = clipped_matches if clip else (hypothesis_matches if side == "P" else reference_matches)
    totals = hypothesis_totals if side == "P" else reference_totals
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = np.where(totals + alpha > 0, (matches + alpha) / (totals + alpha), 0.0)
        scores = np.exp(np.log(shares).mean(1)) if mean == "G" else shares.mean(1)
        if penalty:
            bonus = alpha if smooth_penalty else 0.0
            ratio = (reference + bonus) / (length + bonus)
            scores = scores * np.where(length > reference, 1.0, np.where(length + bonus > 0, np.exp(1 - ratio), 0.0))
    return np.asarray(scores)


@dataclass(frozen=True)
class SimpBleu(Metric):
    """A variant of SIMPBLEU. Corpus scores pool counts without smoothing; segment scores add `alpha`.

    With several references, the score is the mean of the scores against each (Song's thesis, section 5.3.2).
    """

    variant: str
    lowercase: bool = False
    tokenise: str = "13a"
    alpha: float = 1.0
    smooth_penalty: bool = True

    @property
    def name(self) -> str:  # type: ignore[override]
        """``simpbleu:`` and the variant."""
        return f"simpbleu:{self.variant}"

    def prepare(self, references: Sequence[Segments]) -> "PreparedSimpBleu":
        """Tokenise the references once."""
        return PreparedSimpBleu(self, references)

    def options(self) -> str:
        """Case, tokeniser, and the smoothing of segment scores and of the brevity penalty."""
        case, penalty = "lc" if self.lowercase else "mixed", "smoothed" if self.smooth_penalty else "plain"
        return f"case:{case}|tok:{self.tokenise}|alpha:{shortest(self.alpha)}|bp:{penalty}"

    def score(self, sums: Float64s) -> Float64s:
        """Corpus scores, unsmoothed."""
        return self._mean(sums, 0.0)

    def segment_scores(self, statistics: Float64s) -> Float64s:
        """Segment scores, smoothed with `alpha`."""
        return self._mean(statistics, self.alpha)

    def plausible_rows(self, statistics: Float64s, references: int) -> Bools:
        """Mask of rows of counts whose totals fit the lengths, with no more matches than totals, for each reference."""
        mask = are_counts(statistics)
        for rows in np.split(statistics, references, axis=1):
            clipped_matches, hypothesis_matches, reference_matches, totals, reference_totals = np.split(rows[:, 2:], 5, axis=1)
            mask &= are_ngrams_of(rows[:, 0], totals) & are_ngrams_of(rows[:, 1], reference_totals)
            mask &= (
                (clipped_matches <= hypothesis_matches) & (hypothesis_matches <= totals) & (reference_matches <= reference_totals)
            ).all(1)
        return mask

    def _mean(self, rows: Float64s, alpha: float) -> Float64s:
        parts = np.split(rows, rows.shape[1] // WIDTH, axis=1)
        return np.asarray(
            100.0 * np.mean([simpbleu_score(self.variant, part, alpha, self.smooth_penalty) for part in parts], axis=0)
        )


class PreparedSimpBleu(PreparedMetric):
    """Numbered references of one SIMPBLEU."""

    def __init__(self, metric: SimpBleu, references: Sequence[Segments]) -> None:
        self._words = partial(symbols_of, METRIC_TOKENISERS[metric.tokenise], metric.lowercase)
        self._references = [self._words(segments) for segments in references]

    def statistics(self, hypotheses: Segments, reference_of: Int64s | None = None) -> Float64s:
        """Rows of 22 counts per reference; shape (h, 22 × references)."""
        symbols, offsets = self._words(hypotheses)
        rows = reference_rows(len(hypotheses), len(self._references[0][1]) - 1, reference_of)
        parts = []
        for words, word_offsets in self._references:
            counts = match_ngrams(symbols, offsets, words, word_offsets, 1, rows, ORDER)
            length, reference = np.diff(offsets), np.diff(word_offsets)[rows]
            totals = ngram_counts(word_offsets, ORDER)[rows]
            parts.append(
                np.column_stack(
                    [
                        length,
                        reference,
                        counts[:, :, CLIPPED_MATCHES],
                        counts[:, :, UNCLIPPED_MATCHES],
                        counts[:, :, UNCLIPPED_REFERENCE_MATCHES],
                        counts[:, :, HYPOTHESIS_TOTAL],
                        totals,
                    ]
                )
            )
        return np.concatenate(parts, axis=1).astype(np.float64)
