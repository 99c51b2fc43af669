"""Add-one sentence BLEU (Song 2015, §2.1 with α = 1; Lin and Och 2004), and the gains of pair sampling."""

from typing import Final

import numpy as np

from app.arrays import Float64s
from app.metrics.lexical.bleu import Bleu
from app.metrics.lexical.simpbleu import SimpBleu
from app.smt.tuning.pool import TuningPool

__all__ = ["BREVITIES", "ORDER", "oracle_scores", "pair_gains", "smoothed_bleu"]

ORDER: Final = 4
# Additions to both lengths in the brevity penalty, in units of α: none, as in Moses' sampler, or α to both (equation 3.7).
# α to the reference's length alone offsets the advantage of short hypotheses by smoothing (Nakov et al. 2012).
BREVITIES: Final = {"plain": (0.0, 0.0), "smoothed": (1.0, 1.0), "reference": (0.0, 1.0)}
# Statistics of SIMPBLEU per reference; the fourth block counts n-grams of the hypothesis.
SIMPBLEU_WIDTH: Final = 2 + 5 * ORDER
HYPOTHESIS_TOTALS: Final = 2 + 3 * ORDER


def smoothed_bleu(rows: Float64s, alpha: float = 1.0, brevity: str = "plain") -> Float64s:
    """Return sentence BLEU in [0, 1] from BLEU statistics (two lengths, 4 matches, 4 totals); (m, 10) to (m,).

    `alpha` is added to matches and totals of all four orders; an order with neither counts 0.
    """
    length, reference = rows[:, 0], rows[:, 1]
    matches, totals = rows[:, 2 : 2 + ORDER] + alpha, rows[:, 2 + ORDER : 2 + 2 * ORDER] + alpha
    of_length, of_reference = (alpha * share for share in BREVITIES[brevity])
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = np.exp(np.log(np.where(totals > 0, matches / totals, 0.0)).mean(1))
        ratio = (reference + of_reference) / (length + of_length)
        penalty = np.where(ratio > 1.0, np.exp(1.0 - ratio), 1.0)
    return np.asarray(np.where(length + of_length > 0, penalty, 0.0) * mean)


def pair_gains(pool: TuningPool, brevity: str = "plain") -> Float64s:
    """Return the gains for pair sampling (h,): add-one BLEU if the metric is BLEU, else ``pool.gains``."""
    return smoothed_bleu(pool.statistics, 1.0, brevity) if isinstance(pool.metric, Bleu) else pool.gains


def oracle_scores(pool: TuningPool) -> Float64s:
    """Return BLEU_Top of each segment, in [0, 1]: the best add-one BLEU in its list; (n,).

    The limit of 0.4 belongs to BLEU, so SIMPBLEU's counts are also scored as BLEU (mean over references). Other metrics use their
    own score, an error rate as 1 - error.
    """
    if isinstance(pool.metric, Bleu):
        scores = smoothed_bleu(pool.statistics)
    elif isinstance(pool.metric, SimpBleu):
        parts = np.split(pool.statistics, pool.statistics.shape[1] // SIMPBLEU_WIDTH, axis=1)
        scores = np.mean([smoothed_bleu(_as_bleu(part)) for part in parts], axis=0)
    else:
        scores = pool.gains if pool.metric.higher_is_better else 1.0 + pool.gains
    return np.asarray(np.clip(np.maximum.reduceat(scores, pool.offsets[:-1]), 0.0, 1.0))


def _as_bleu(rows: Float64s) -> Float64s:
    """Convert SIMPBLEU statistics of one reference to BLEU statistics."""
    return np.concatenate([rows[:, : 2 + ORDER], rows[:, HYPOTHESIS_TOTALS : HYPOTHESIS_TOTALS + ORDER]], axis=1)
