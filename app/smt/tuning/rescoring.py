"""RESC_sum and RESC_prod: one move of the weights by mean features of oracles and first hypotheses (Srivastava, §3.4.2)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from app.arrays import Bools, Float64s, Int64s
from app.metrics.lexical.bleu import Bleu
from app.metrics.lexical.sbleu import SentenceBleu
from app.running.journal import Journal
from app.smt.tuning.choice_kernels import first_of_best
from app.smt.tuning.method import IterationScore, Settings, TuningData, TuningMethod, TuningOutcome
from app.smt.tuning.oracle_filters import measure_lists
from app.smt.tuning.pool import TuningPool
from app.text.reading.options import DEFAULT_NO, Number, Option

__all__ = ["RESC_PROD", "RESC_SUM", "MeanFeatures", "mean_features", "oracle_gains", "rescored_by_product", "rescored_by_sum"]


@dataclass(frozen=True, eq=False)
class MeanFeatures:
    """Mean features of oracles and of first hypotheses, over segments; both (width,)."""

    oracle: Float64s
    first: Float64s

    @property
    def difference(self) -> Float64s:
        """The direction of a perceptron step."""
        return self.oracle - self.first


def mean_features(pool: TuningPool, oracle: Int64s, first: Int64s, segments: Bools | None = None) -> MeanFeatures:
    """Return mean features over all segments, or over a mask `segments` (n,)."""
    places = np.arange(len(pool)) if segments is None else np.flatnonzero(segments)
    return MeanFeatures(_mean(pool, oracle[places]), _mean(pool, first[places]))


def _mean(pool: TuningPool, hypotheses: Int64s) -> Float64s:
    if not len(hypotheses):
        return np.zeros(pool.features.width)
    return pool.features.rows(hypotheses).gathered(np.full(len(hypotheses), 1 / len(hypotheses)))


def rescored_by_sum(weights: Float64s, means: MeanFeatures, step: float = 1.0) -> Float64s:
    """Return ``λ + step · (mean of oracles - mean of first hypotheses)``; equation 3.4 has a step of 1.

    The step is in units of feature values, not of weights: after a large one, the old weights hardly count.
    """
    return weights + step * means.difference


def rescored_by_product(weights: Float64s, means: MeanFeatures, step: float = 1.0) -> Float64s:
    """Return ``λ · (mean of oracles / mean of first hypotheses)``, equation 3.5 (step 1); a mean of 0 leaves its weight.

    As printed: if weight and mean have different signs, the weight moves away from the oracles.
    """
    ratio = np.divide(means.oracle, means.first, out=np.ones(len(weights)), where=means.first != 0)
    return weights * (1 + step * (ratio - 1))


def oracle_gains(pool: TuningPool) -> Float64s:
    """Return the gains that define oracles: sBLEU (from BLEU's counts) if the metric is BLEU, else the pool's gains."""
    return SentenceBleu().score(pool.statistics) if isinstance(pool.metric, Bleu) else pool.gains


def _notes(names: Sequence[str], before: Float64s, after: Float64s, means: MeanFeatures, mask: Bools) -> dict[str, Any]:
    """Return notes for the reader: length of the move, and features that moved away from oracles, flipped, or did not move."""
    differences = after - before
    return {
        "moved": float(np.linalg.norm(differences)),
        "against_oracles": [name for name, move, way in zip(names, differences, means.difference, strict=True) if move * way < 0],
        "flipped": [name for name, old, new in zip(names, before, after, strict=True) if old * new < 0],
        "zero_means": [name for name, mean in zip(names, means.first, strict=True) if mean == 0],
        "segments": int(mask.sum()),
    }


def _tuner(move_weights: Callable[[Float64s, MeanFeatures, float], Float64s]) -> Callable[..., TuningOutcome]:
    def tune(data: TuningData, settings: Settings, rng: np.random.Generator, journal: Journal) -> TuningOutcome:
        """Move the weights once; nothing is random."""
        pool = data.pool
        journal.report("rescoring", 0.0)
        gains = oracle_gains(pool)
        mask = measure_lists(gains, pool.offsets).trusted() if settings["filter"] else np.ones(len(pool), np.bool_)
        means = mean_features(pool, first_of_best(gains, pool.offsets), pool.offsets[:-1], mask)
        weights = move_weights(data.start, means, settings["step"])
        curve = [IterationScore(0, pool.score(data.start)), IterationScore(1, pool.score(weights))]
        return TuningOutcome(weights, curve, _notes(data.labels or pool.names, data.start, weights, means, mask))

    return tune


OPTIONS: Final[dict[str, Option]] = {"step": Number(0, 1000, 1), "filter": DEFAULT_NO}
RESC_SUM: Final = TuningMethod(
    "resc-sum",
    "one step towards the mean features of oracles",
    OPTIONS,
    _tuner(rescored_by_sum),
    "Srivastava's thesis, equation 3.4",
)
RESC_PROD: Final = TuningMethod(
    "resc-prod",
    "weights times the ratio of mean features, oracles to first hypotheses",
    OPTIONS,
    _tuner(rescored_by_product),
    "Srivastava's thesis, equation 3.5",
)
