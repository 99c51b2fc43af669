"""One chain of SampleRank through any neighbourhood, step by step (Haddow et al. 2011, Algorithm 1)."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from app.arrays import Float64s, Int64s
from app.smt.tuning.matrix import FeatureMatrix
from app.smt.tuning.online.gain import CorpusGain
from app.smt.tuning.samplerank.neighbourhood import Neighbourhood
from app.smt.tuning.samplerank.rules import MIRA, ONE, Rules, drawn, margin_step, oracle, violates

__all__ = ["Chain", "begin_batch", "walk"]


@dataclass
class Chain:
    """Weights (width,) and where a batch of segments stands: the hypothesis of each, their statistics, and the sum of these.

    `collected` is the sum of the weights after every step that learnt; `counts` are those steps, violations, updates, and updates
    that the cap cut short.
    """

    weights: Float64s
    collected: Float64s
    hypotheses: dict[int, Any] = field(default_factory=dict)
    statistics: dict[int, Float64s] = field(default_factory=dict)
    counts: Int64s = field(default_factory=lambda: np.zeros(4, np.int64))

    def widen(self, width: int) -> None:
        """Weights of 0 for features that came up since."""
        if width > len(self.weights):
            self.weights, self.collected = (np.pad(row, (0, width - len(row))) for row in (self.weights, self.collected))

    @property
    def sums(self) -> Float64s:
        """Statistics of the batch as it stands; (s,)."""
        return np.asarray(np.sum(list(self.statistics.values()), axis=0))

    @property
    def averaged(self) -> Float64s:
        """The mean of the weights after every step that learnt."""
        return self.collected / max(int(self.counts[0]), 1)


def begin_batch(chain: Chain, neighbourhood: Neighbourhood, batch: Int64s) -> None:
    """Put the first hypotheses of a batch's segments into the chain."""
    firsts = {segment: neighbourhood.first(segment) for segment in batch.tolist()}
    chain.hypotheses = {segment: row.hypotheses[0] for segment, row in firsts.items()}
    chain.statistics = {segment: row.statistics[0] for segment, row in firsts.items()}


def walk(
    chain: Chain,
    neighbourhood: Neighbourhood,
    segments: Int64s,
    uniforms: Float64s,
    gain: CorpusGain,
    rules: Rules,
    learns: bool,
    rng: np.random.Generator,
) -> None:
    """One step for each of `segments`, all of the batch, each drawn by its number of `uniforms`.

    A step that `learns` moves the weights towards the oracle where model and gain rank it and the sample otherwise. The chain
    follows the sample.
    """
    for segment, uniform in zip(segments.tolist(), uniforms.tolist(), strict=True):
        around = neighbourhood.around(segment, chain.hypotheses[segment], rng)
        if isinstance(around.features, FeatureMatrix):
            chain.widen(around.features.width)
        scores = around.features @ chain.weights
        sample = drawn(scores, uniform, rules.temperature)
        if learns:
            gains = gain.of(chain.sums - chain.statistics[segment], around.statistics)
            _learn(chain, around.features, scores, gains, sample, rules)
        chain.hypotheses[segment] = around.hypotheses[sample]
        chain.statistics[segment] = around.statistics[sample]


def _learn(chain: Chain, features: Float64s | FeatureMatrix, scores: Float64s, gains: Float64s, sample: int, rules: Rules) -> None:
    target = oracle(rules.chooser, scores, gains, sample)
    chain.counts[0] += 1
    if violates(gains[sample], gains[target], scores[sample], scores[target]):
        chain.counts[1] += 1
        if isinstance(features, FeatureMatrix):
            difference = features.row(target) - features.row(sample)
        else:
            difference = features[target] - features[sample]
        step = _step(difference, float(gains[target]), float(gains[sample]), float(scores[target] - scores[sample]), rules)
        if step > 0.0:
            chain.weights = chain.weights + step * difference
            chain.counts[2] += 1
            chain.counts[3] += rules.update == MIRA and step >= rules.step
    chain.collected = chain.collected + chain.weights


def _step(difference: Float64s, target: float, sample: float, lead: float, rules: Rules) -> float:
    if rules.update == MIRA:
        behind = (1.0 if rules.margin == ONE else max(target, 0.0)) * (target - sample) - lead
        return margin_step(difference, behind, rules.step)
    return rules.step if target > sample and difference.any() else 0.0
