"""SampleRank with a decoder's operators: weights learnt while chains move among derivations (Haddow et al. 2011)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from app.arrays import Float64s, Int64s
from app.errors import InputError
from app.metrics import Metric
from app.smt.decoder.decoder import Decoder
from app.smt.decoder.moses_ini import SearchLimits
from app.smt.decoder.sampling.neighbourhood import DerivationNeighbourhood
from app.smt.decoder.sampling.operators import OPERATORS
from app.smt.decoder.sparse.names import padded
from app.smt.decoder.system import SystemParts, system_of
from app.smt.decoder.tuning.passes import TuningPass, TuningPasses, outperforms
from app.smt.tuning.online.gain import CorpusGain
from app.smt.tuning.samplerank.chain import Chain, begin_batch, walk
from app.smt.tuning.samplerank.rules import ChainRules
from app.text.tokenisation import tokens_of

__all__ = ["Epoch", "SamplingOptions", "tune_by_sampling"]


@dataclass(frozen=True)
class SamplingOptions:
    """Options of sampling.

    Each sentence takes `burn_in` steps, then `samples` that learn, in batches of `batch` sentences. Each of the `chains` works on a
    part of the sentences, and their weights are averaged after each of the `epochs`. After an epoch, the mean of all weights so far
    translates the share `held_out` of the sentences. The best mean is returned; sampling ends early after `patience` epochs without
    gain. Gains are points of the metric times `scale` / 100.
    """

    epochs: int = 5
    chains: int = 1
    burn_in: int = 10
    samples: int = 40
    batch: int = 64
    scale: float = 100.0
    held_out: float = 0.2
    patience: int = 2
    seed: int = 1
    rules: ChainRules = field(default_factory=ChainRules)
    operators: tuple[str, ...] = OPERATORS
    limits: SearchLimits | None = None

    def __post_init__(self) -> None:
        minima = {"epochs": 1, "chains": 1, "burn_in": 0, "samples": 1, "batch": 1, "patience": 1}
        for name, number in minima.items():
            if getattr(self, name) < number:
                raise InputError("invalid-request", f"{name.replace('_', '-')} is at least {number}", (name,))
        if not 0 < self.held_out < 1:
            raise InputError("invalid-request", "the share of held-out sentences is above 0 and below 1", ("held-out",))


@dataclass(frozen=True, eq=False)
class Epoch(TuningPass):
    """Mean of all weights so far, score of held-out translations, and numbers of updates, steps and violations so far."""

    steps: int = 0
    violations: int = 0


def tune_by_sampling(
    parts: SystemParts,
    sources: Sequence[str],
    references: Sequence[Sequence[str]],
    metric: Metric,
    options: SamplingOptions = SamplingOptions(),
    watch: Callable[[int, Epoch], None] = lambda chain_count, epoch: None,
) -> TuningPasses[Epoch]:
    """Learn weights of a system from samples, in the order of ``parts.names``; held-out sentences choose the best.

    Options are within the table limits of the initial weights. Equal seeds give equal weights. InputError if fewer than two
    sentences have words.
    """
    segments = [segment for segment, source in enumerate(sources) if tokens_of(source)]
    held_out_count = max(1, round(options.held_out * len(segments)))
    if len(segments) - held_out_count < 1:
        raise InputError("empty-input", "sampling needs two sentences with words: one to learn from, one to hold out")
    rng = np.random.default_rng(options.seed)
    order = rng.permutation(np.array(segments))
    held_out, training = np.sort(order[:held_out_count]).tolist(), np.sort(order[held_out_count:]).tolist()
    system = system_of(parts)
    distortion = None if options.limits is None else options.limits.distortion
    neighbourhood = DerivationNeighbourhood(
        system,
        [sources[segment] for segment in training],
        [[reference[segment] for segment in training] for reference in references],
        metric,
        distortion,
        options.operators,
    )
    held_out_sources = [sources[segment] for segment in held_out]
    held_out_statistics = metric.prepare([[reference[segment] for segment in held_out] for reference in references])

    def score(weights: Float64s) -> float:
        decoder = Decoder(system_of(parts, weights), options.limits)
        texts = [best.text if (best := decoder.translate(source).best()) else "" for source in held_out_sources]
        return float(metric.score(held_out_statistics.statistics(texts).sum(0)[None])[0])

    weights = parts.weights
    weight_sum, counts = np.zeros(len(weights)), np.zeros(4, np.int64)
    epochs = [Epoch(weights, score(weights), {"updates": 0})]
    watch(0, epochs[0])
    best, stale_epochs = epochs[0], 0
    gain = CorpusGain(metric, options.scale)
    chain_count = min(options.chains, len(training))
    for epoch in range(1, options.epochs + 1):
        chains = [
            _walk_epoch(neighbourhood, weights, shard, gain, options, generator)
            for shard, generator in zip(
                np.array_split(rng.permutation(len(training)), chain_count), rng.spawn(chain_count), strict=True
            )
        ]
        # Later chains may have met sparse features that earlier ones have not.
        width = max(len(chain.weights) for chain in chains)
        weights = np.mean([padded(chain.weights, width) for chain in chains], axis=0)
        weight_sum = padded(weight_sum, width) + np.sum([padded(chain.weight_sum, width) for chain in chains], axis=0)
        counts = counts + np.sum([chain.counts for chain in chains], axis=0)
        mean = _on_scale(parts, weight_sum / counts[0])
        steps, violations, updates, _ = counts.tolist()
        epochs.append(Epoch(mean, score(mean), {"updates": updates}, steps, violations))
        watch(epoch, epochs[-1])
        stale_epochs += 1
        if outperforms(metric, epochs[-1], best):
            best, stale_epochs = epochs[-1], 0
        if stale_epochs >= options.patience:
            break
    return TuningPasses(tuple(epochs), best)


def _walk_epoch(
    neighbourhood: DerivationNeighbourhood,
    weights: Float64s,
    shard: Int64s,
    gain: CorpusGain,
    options: SamplingOptions,
    rng: np.random.Generator,
) -> Chain:
    """Run one chain through its part of an epoch."""
    chain = Chain(weights.copy(), np.zeros(len(weights)))
    for begin in range(0, len(shard), options.batch):
        batch = shard[begin : begin + options.batch]
        begin_batch(chain, neighbourhood, batch)
        for learns, steps in ((False, options.burn_in * len(batch)), (True, options.samples * len(batch))):
            segments, uniforms = batch[rng.integers(0, len(batch), steps)], rng.random(steps)
            walk(chain, neighbourhood, segments, uniforms, gain, options.rules, learns, rng)
    return chain


def _on_scale(parts: SystemParts, weights: Float64s) -> Float64s:
    """Scale weights to the initial weight of unknown words, as in Moses' files."""
    for column, name in enumerate(parts.names[: parts.dense]):
        if name.startswith("UnknownWordPenalty") and weights[column] > 0 and parts.weights[column] > 0:
            return np.asarray(weights * (parts.weights[column] / weights[column]))
    return weights
