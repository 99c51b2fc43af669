"""Training data of pairwise tuners: feature differences by segment, and segment weights."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from app.arrays import Float64s
from app.running.journal import Journal
from app.smt.tuning.pairs.logistic import Fit, Regression
from app.smt.tuning.pairs.sampling import SampledPairs, Sampler, draw_pairs
from app.smt.tuning.pairs.sentence_bleu import BREVITIES, oracle_scores, pair_gains
from app.smt.tuning.pool import TuningPool
from app.text.reading.options import DEFAULT_NO, Choice, Number, Option

__all__ = ["FULL_WEIGHT_BLEU", "PAIR_OPTIONS", "Samples", "draw_samples", "sampler_of", "weight_global"]

# Options of all methods on pairs.
PAIR_OPTIONS: Final[Mapping[str, Option]] = {
    "draws": Number(1, 1_000_000, 5000, is_whole=True),
    "pairs": Number(1, 100_000, 50, is_whole=True),
    "threshold": Number(0, 1, 0.05),
    "until-accepted": DEFAULT_NO,
    "distinct": DEFAULT_NO,
    "brevity": Choice({name: name for name in BREVITIES}, "plain"),
    "learner": Choice({"logistic": "logistic", "linear": "linear"}, "logistic"),
    "prior": Number(0, 1e12, 1.0),
    "unit": Choice({"spread": "spread", "none": "none"}, "spread"),
}
# Each pair counts twice against the prior: once for its mirror image.
MIRROR_FACTOR: Final = 2.0
# From this sentence BLEU on, a segment has the full weight (thesis, after equation 5.3).
FULL_WEIGHT_BLEU: Final = 0.4


@dataclass(frozen=True, eq=False)
class Samples:
    """Pairs of a pool, with a weight for each segment (n,), ready for regression."""

    pool: TuningPool
    pairs: SampledPairs
    weights: Float64s
    _regressions: dict[tuple[float, str], Regression] = field(default_factory=dict)

    def regression(self, settings: Mapping[str, Any]) -> Regression:
        """Return the regression on all pairs with the prior in `settings`; cached."""
        key = (settings["prior"], settings["unit"])
        if key not in self._regressions:
            self._regressions[key] = Regression(self.pairs.differences(self.pool.features), *key)
        return self._regressions[key]

    def fit(self, settings: Mapping[str, Any], weights: Float64s | None = None, start: Float64s | None = None) -> Fit:
        """Fit feature weights on all pairs and mirror images; `weights` (n,) replace the segment weights."""
        shares = MIRROR_FACTOR * (self.weights if weights is None else weights)[self.pairs.segment_of]
        if settings["learner"] == "linear":
            return self.regression(settings).linear(shares, self.pairs.margins)
        return self.regression(settings).logistic(shares, start)

    def near(self, settings: Mapping[str, Any], weights: Float64s, start: Float64s) -> Float64s:
        """Return start points (t, width) of fits with segment weights (t, n), near the fit `start`."""
        if settings["learner"] == "linear":
            return np.tile(start, (len(weights), 1))
        return self.regression(settings).near(self.pairs.offsets, MIRROR_FACTOR * weights, start)


def sampler_of(settings: Mapping[str, Any], top: float = 1.0) -> Sampler:
    """Build the sampler from options."""
    return Sampler(
        settings["draws"], settings["pairs"], settings["threshold"], settings["until-accepted"], top, settings["distinct"]
    )


def draw_samples(
    pool: TuningPool,
    settings: Mapping[str, Any],
    rng: np.random.Generator,
    journal: Journal,
    top: float = 1.0,
    weights: Float64s | None = None,
    share: float = 0.0,
    gains: Float64s | None = None,
) -> Samples:
    """Draw samples of all segments, with equal weights or `weights` (n,); `gains` (h,) save their computation in each round."""
    gains = pair_gains(pool, settings["brevity"]) if gains is None else gains
    pairs = draw_pairs(pool, gains, sampler_of(settings, top), rng, journal, share)
    return Samples(pool, pairs, np.ones(len(pool)) if weights is None else weights)


def weight_global(pool: TuningPool, threshold: float = FULL_WEIGHT_BLEU) -> Float64s:
    """Return segment weights (n,), lower if no hypothesis is near the reference (5.3): exp(BLEU_Top - threshold), at most 1."""
    return np.asarray(np.minimum(np.exp(oracle_scores(pool) - threshold), 1.0))
