"""A chain of SampleRank over any neighbourhood (Haddow et al. 2011, Algorithm 1)."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from app.arrays import Float64s, Int64s
from app.smt.tuning.matrix import HypothesisFeatures
from app.smt.tuning.online.gain import CorpusGain
from app.smt.tuning.samplerank.neighbourhood import Neighbourhood
from app.smt.tuning.samplerank.rules import MIRA, UNIT_MARGIN, ChainRules, draw_index, margin_step, oracle, violates

__all__ = ["Chain", "begin_batch", "walk"]


@dataclass
class Chain:
    """State of a chain: weights (width,), the present hypothesis of each segment in the batch, and their statistics.

    `weight_sum` is the sum of the weights after every learning step; `counts` are learning steps, violations, updates, and updates
    at the cap.
    """

    weights: Float64s
    weight_sum: Float64s
    hypotheses: dict[int, Any] = field(default_factory=dict)
    statistics: dict[int, Float64s] = field(default_factory=dict)
    counts: Int64s = field(default_factory=lambda: np.zeros(4, np.int64))

    def widen(self, width: int) -> None:
        """Append weights of 0 for new features."""
        if width > len(self.weights):
            self.weights, self.weight_sum = (np.pad(row, (0, width - len(row))) for row in (self.weights, self.weight_sum))

    @property
    def sums(self) -> Float64s:
        """Summed statistics of the batch; (s,)."""
        return np.asarray(np.sum(list(self.statistics.values()), axis=0))

    @property
    def mean_weights(self) -> Float64s:
        """Mean of the weights over learning steps."""
        return self.weight_sum / max(int(self.counts[0]), 1)


def begin_batch(chain: Chain, neighbourhood: Neighbourhood, batch: Int64s) -> None:
    """Set the chain to the first hypothesis of each segment in a batch."""
    firsts = {segment: neighbourhood.first(segment) for segment in batch.tolist()}
    chain.hypotheses = {segment: row.hypotheses[0] for segment, row in firsts.items()}
    chain.statistics = {segment: row.statistics[0] for segment, row in firsts.items()}


def walk(
    chain: Chain,
    neighbourhood: Neighbourhood,
    segments: Int64s,
    uniforms: Float64s,
    gain: CorpusGain,
    rules: ChainRules,
    learns: bool,
    rng: np.random.Generator,
) -> None:
    """Take one step for each of `segments` (of the batch), with the random number in `uniforms`.

    With `learns`, a step moves the weights towards the oracle if model and gain rank oracle and sample differently. The chain then
    moves to the sample.
    """
    for segment, uniform in zip(segments.tolist(), uniforms.tolist(), strict=True):
        around = neighbourhood.around(segment, chain.hypotheses[segment], rng)
        if isinstance(around.features, HypothesisFeatures):
            chain.widen(around.features.width)
        scores = around.features @ chain.weights
        sample = draw_index(scores, uniform, rules.temperature)
        if learns:
            gains = gain.of(chain.sums - chain.statistics[segment], around.statistics)
            _learn(chain, around.features, scores, gains, sample, rules)
        chain.hypotheses[segment] = around.hypotheses[sample]
        chain.statistics[segment] = around.statistics[sample]


def _learn(
    chain: Chain, features: Float64s | HypothesisFeatures, scores: Float64s, gains: Float64s, sample: int, rules: ChainRules
) -> None:
    target = oracle(rules.chooser, scores, gains, sample)
    chain.counts[0] += 1
    if violates(gains[sample], gains[target], scores[sample], scores[target]):
        chain.counts[1] += 1
        if isinstance(features, HypothesisFeatures):
            difference = features.row(target) - features.row(sample)
        else:
            difference = features[target] - features[sample]
        step = _step(difference, float(gains[target]), float(gains[sample]), float(scores[target] - scores[sample]), rules)
        if step > 0.0:
            chain.weights = chain.weights + step * difference
            chain.counts[2] += 1
            chain.counts[3] += rules.update == MIRA and step >= rules.step
    chain.weight_sum = chain.weight_sum + chain.weights


def _step(difference: Float64s, target: float, sample: float, lead: float, rules: ChainRules) -> float:
    if rules.update == MIRA:
        behind = (1.0 if rules.margin == UNIT_MARGIN else max(target, 0.0)) * (target - sample) - lead
        return margin_step(difference, behind, rules.step)
    return rules.step if target > sample and difference.any() else 0.0
