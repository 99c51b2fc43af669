"""What pairwise tuners learn from: differences of features, grouped by segment, and how much each segment counts."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from app.arrays import Float64s
from app.running.journal import Journal
from app.smt.tuning.pairs.logistic import Fit, Regression
from app.smt.tuning.pairs.sampling import Pairs, Sampler, draw_pairs
from app.smt.tuning.pairs.sentence_bleu import BREVITIES, oracle_scores, pair_gains
from app.smt.tuning.pool import Pool
from app.text.reading.options import NO, Choice, Number, Option

__all__ = ["PAIR_OPTIONS", "REACHED", "Samples", "draw_samples", "sampler_of", "weight_global"]

# Options of every method that learns from pairs.
PAIR_OPTIONS: Final[Mapping[str, Option]] = {
    "draws": Number(1, 1_000_000, 5000, whole=True),
    "pairs": Number(1, 100_000, 50, whole=True),
    "threshold": Number(0, 1, 0.05),
    "until-accepted": NO,
    "distinct": NO,
    "brevity": Choice({name: name for name in BREVITIES}, "plain"),
    "learner": Choice({"logistic": "logistic", "linear": "linear"}, "logistic"),
    "prior": Number(0, 1e12, 1.0),
    "unit": Choice({"spread": "spread", "none": "none"}, "spread"),
}
# Weights of mirrored instances are those of the pairs, so each pair counts twice beside the prior.
MIRRORED: Final = 2.0
# The sentence BLEU from which a segment counts whole (thesis, after equation 5.3).
REACHED: Final = 0.4


@dataclass(frozen=True, eq=False)
class Samples:
    """Pairs of a pool with the weight of each of its segments (n,), ready for regressions."""

    pool: Pool
    pairs: Pairs
    weights: Float64s
    _regressions: dict[tuple[float, str], Regression] = field(default_factory=dict)

    def regression(self, settings: Mapping[str, Any]) -> Regression:
        """The rows of all pairs, with the prior that options describe; made once for one prior."""
        key = (settings["prior"], settings["unit"])
        if key not in self._regressions:
            self._regressions[key] = Regression(self.pairs.differences(self.pool.features), *key)
        return self._regressions[key]

    def fit(self, settings: Mapping[str, Any], weights: Float64s | None = None, start: Float64s | None = None) -> Fit:
        """Weights of features from all pairs, those of a segment by `weights` (n,) or its own; each pair with its mirror image."""
        shares = MIRRORED * (self.weights if weights is None else weights)[self.pairs.segment_of]
        if settings["learner"] == "linear":
            return self.regression(settings).linear(shares, self.pairs.margins)
        return self.regression(settings).logistic(shares, start)

    def near(self, settings: Mapping[str, Any], weights: Float64s, start: Float64s) -> Float64s:
        """Where to begin fits that differ in the segments' weights (t, n) alone, from one of them that is known; (t, width)."""
        if settings["learner"] == "linear":
            return np.tile(start, (len(weights), 1))
        return self.regression(settings).near(self.pairs.offsets, MIRRORED * weights, start)


def sampler_of(settings: Mapping[str, Any], top: float = 1.0) -> Sampler:
    """The sampler that options describe."""
    return Sampler(
        settings["draws"], settings["pairs"], settings["threshold"], settings["until-accepted"], top, settings["distinct"]
    )


def draw_samples(
    pool: Pool,
    settings: Mapping[str, Any],
    rng: np.random.Generator,
    journal: Journal,
    top: float = 1.0,
    weights: Float64s | None = None,
    share: float = 0.0,
) -> Samples:
    """Samples of all segments, equally weighted unless `weights` (n,) says otherwise."""
    gains = pair_gains(pool, settings["brevity"])
    pairs = draw_pairs(pool, gains, sampler_of(settings, top), rng, journal, share)
    return Samples(pool, pairs, np.ones(len(pool)) if weights is None else weights)


def weight_global(pool: Pool, reached: float = REACHED) -> Float64s:
    """Less for segments that no hypothesis of which comes near the reference (5.3): exp(BLEU_Top - reached), at most 1; (n,)."""
    return np.asarray(np.minimum(np.exp(oracle_scores(pool) - reached), 1.0))
