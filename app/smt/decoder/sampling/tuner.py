"""SampleRank with a decoder's operators: weights that move while chains walk among derivations (Haddow, Arun and Koehn 2011)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from app.arrays import Float64s, Int64s
from app.errors import InputError
from app.metrics import Metric
from app.smt.decoder.decoder import Decoder
from app.smt.decoder.moses_ini import Limits
from app.smt.decoder.sampling.neighbourhood import DerivationNeighbourhood
from app.smt.decoder.sampling.operators import OPERATORS
from app.smt.decoder.sparse.names import padded
from app.smt.decoder.system import Parts, system_of
from app.smt.tuning.online.gain import CorpusGain
from app.smt.tuning.samplerank.chain import Chain, begin_batch, walk
from app.smt.tuning.samplerank.rules import ChainRules
from app.text.tokenisation import tokens_of

__all__ = ["Epoch", "Sampled", "SamplingOptions", "tune_by_sampling"]


@dataclass(frozen=True)
class SamplingOptions:
    """How much is sampled: of each sentence `burn_in` steps and then `samples` that learn, `batch` sentences at a time, by as many
    `chains` with a part of the sentences each, whose weights are mixed after every one of the `epochs`.

    A share `held_out` of the sentences is translated after every epoch by the mean of all weights so far, and the best are taken;
    where `patience` epochs were no better, it ends. Gains are points of the metric times `scale` / 100.
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
    limits: Limits | None = None

    def __post_init__(self) -> None:
        least = {"epochs": 1, "chains": 1, "burn_in": 0, "samples": 1, "batch": 1, "patience": 1}
        for name, number in least.items():
            if getattr(self, name) < number:
                raise InputError("invalid-request", f"{name.replace('_', '-')} is at least {number}", (name,))
        if not 0 < self.held_out < 1:
            raise InputError("invalid-request", "the share that is held out is between 0 and 1", ("held-out",))


@dataclass(frozen=True, eq=False)
class Epoch:
    """The mean of all weights so far, and how well they translate what was held out; steps, violations and updates so far."""

    weights: Float64s
    score: float
    steps: int
    violations: int
    updates: int


@dataclass(frozen=True, eq=False)
class Sampled:
    """All epochs, the first with the weights that were there, and the one that translated best."""

    epochs: tuple[Epoch, ...]
    best: Epoch


def tune_by_sampling(
    parts: Parts,
    sources: Sequence[str],
    references: Sequence[Sequence[str]],
    metric: Metric,
    options: SamplingOptions = SamplingOptions(),
    watch: Callable[[int, Epoch], None] = lambda number, epoch: None,
) -> Sampled:
    """Weights of a system, in the order of ``parts.names``, learnt from samples and chosen by what was held out.

    Options are those within the table limits of the weights of `parts`. The same seed gives the same weights. InputError where
    there are not two sentences with words.
    """
    filled = [segment for segment, source in enumerate(sources) if tokens_of(source)]
    held = max(1, round(options.held_out * len(filled)))
    if len(filled) - held < 1:
        raise InputError("empty-input", "two sentences with words are needed: one to learn from, one to hold out")
    rng = np.random.default_rng(options.seed)
    order = rng.permutation(np.array(filled))
    monitored, learnt = np.sort(order[:held]).tolist(), np.sort(order[held:]).tolist()
    system = system_of(parts)
    distortion = None if options.limits is None else options.limits.distortion
    around = DerivationNeighbourhood(
        system,
        [sources[segment] for segment in learnt],
        [[reference[segment] for segment in learnt] for reference in references],
        metric,
        distortion,
        options.operators,
    )
    judged = [sources[segment] for segment in monitored]
    prepared = metric.prepare([[reference[segment] for segment in monitored] for reference in references])

    def score(weights: Float64s) -> float:
        decoder = Decoder(system_of(parts, weights), options.limits)
        texts = [best.text if (best := decoder.translate(source).best()) else "" for source in judged]
        return float(metric.score(prepared.statistics(texts).sum(0)[None])[0])

    weights = parts.weights
    collected, counts = np.zeros(len(weights)), np.zeros(4, np.int64)
    epochs = [Epoch(weights, score(weights), 0, 0, 0)]
    watch(0, epochs[0])
    best, worse = epochs[0], 0
    gain = CorpusGain(metric, options.scale)
    number = min(options.chains, len(learnt))
    for epoch in range(1, options.epochs + 1):
        walked = [
            _walked(around, weights, shard, gain, options, own)
            for shard, own in zip(np.array_split(rng.permutation(len(learnt)), number), rng.spawn(number), strict=True)
        ]
        # A chain that walked before others may not have met the sparse features that they have.
        width = max(len(chain.weights) for chain in walked)
        weights = np.mean([padded(chain.weights, width) for chain in walked], axis=0)
        collected = padded(collected, width) + np.sum([padded(chain.collected, width) for chain in walked], axis=0)
        counts = counts + np.sum([chain.counts for chain in walked], axis=0)
        mean = _on_scale(parts, collected / counts[0])
        epochs.append(Epoch(mean, score(mean), *counts[:3].tolist()))
        watch(epoch, epochs[-1])
        worse += 1
        if (epochs[-1].score > best.score) if metric.higher_is_better else (epochs[-1].score < best.score):
            best, worse = epochs[-1], 0
        if worse >= options.patience:
            break
    return Sampled(tuple(epochs), best)


def _walked(
    around: DerivationNeighbourhood,
    weights: Float64s,
    shard: Int64s,
    gain: CorpusGain,
    options: SamplingOptions,
    rng: np.random.Generator,
) -> Chain:
    """One chain through its part of an epoch."""
    chain = Chain(weights.copy(), np.zeros(len(weights)))
    for begin in range(0, len(shard), options.batch):
        batch = shard[begin : begin + options.batch]
        begin_batch(chain, around, batch)
        for learns, steps in ((False, options.burn_in * len(batch)), (True, options.samples * len(batch))):
            segments, uniforms = batch[rng.integers(0, len(batch), steps)], rng.random(steps)
            walk(chain, around, segments, uniforms, gain, options.rules, learns, rng)
    return chain


def _on_scale(parts: Parts, weights: Float64s) -> Float64s:
    """The same direction, an unknown word costing what it did: the numbers that Moses' files have."""
    for column, name in enumerate(parts.names[: parts.dense]):
        if name.startswith("UnknownWordPenalty") and weights[column] > 0 and parts.weights[column] > 0:
            return np.asarray(weights * (parts.weights[column] / weights[column]))
    return weights
