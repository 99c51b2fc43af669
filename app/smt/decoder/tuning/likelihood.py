"""Weights that make references likely, however they are derived: the likelihood of latent derivations, climbed with the decoder.

Song (2015), (2.21) to (2.23); Blunsom, Cohn and Osborne (2008). ``p(e | f) = Σ_d exp(w · h(d, e, f)) / Z(f)``, a Gaussian prior.
The sum over derivations of a reference is that of a forced search; Z is that of the free search, with those derivations of the
reference that it pruned. Steps are AdaGrad's (Duchi, Hazan and Singer 2011), which need no units.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from app.arrays import Float64s
from app.metrics import Metric
from app.smt.decoder.decoder import Decoder
from app.smt.decoder.graphs.lattice import lattice_of
from app.smt.decoder.moses_ini import Limits
from app.smt.decoder.system import Parts, system_of
from app.smt.decoder.tuning.expectations import expected_features
from app.smt.decoder.tuning.goals import corpus_score, goals_of
from app.text.reading.options import Choice, Number, Option, parse_options

__all__ = ["LIKELIHOOD", "LIKELIHOOD_OPTIONS", "Climb", "Likely", "likelihood_settings", "log_likelihood", "tune_by_likelihood"]

LIKELIHOOD: Final = "likelihood-decoder"
LIKELIHOOD_OPTIONS: Final[Mapping[str, Option]] = {
    "gold": Choice({"reference": "reference", "oracle": "oracle"}, "reference"),
    "l2": Number(0.0, 1e6, 0.01),
    "rate": Number(1e-9, 1e3, 0.01),
    "batch": Number(1, 10_000, 8, is_whole=True),
}


def likelihood_settings(method: str) -> dict[str, Any] | None:
    """The options of ``likelihood-decoder|gold:oracle|…``; None for another method, InputError for options that are not there."""
    name, *pairs = method.split("|")
    if name != LIKELIHOOD:
        return None
    return parse_options(name, LIKELIHOOD_OPTIONS, pairs, "invalid-tuning", f"{LIKELIHOOD}|gold:oracle|rate:0.003")


@dataclass(frozen=True, eq=False)
class Climb:
    """Weights after a pass, how well they translate, and the mean log-likelihood of what was learnt from as the pass came by."""

    weights: Float64s
    score: float
    likelihood: float | None


@dataclass(frozen=True, eq=False)
class Likely:
    """All passes, the first with the weights that were there, the one that translated best, and how many references are reached."""

    passes: tuple[Climb, ...]
    best: Climb
    reachable: int


def log_likelihood(decoder: Decoder, source: str, references: Sequence[str]) -> tuple[float, Float64s] | None:
    """log p(any of the references | source) and its gradient by the weights; None where none can be reached.

    It is that of the derivations that both searches keep, and at most 0.
    """
    free = lattice_of(decoder.translate(source, alternatives=True))
    forced = [
        (text, lattice)
        for text in dict.fromkeys(references)
        if (lattice := lattice_of(decoder.translate(source, alternatives=True, needed=text, everything=True))) is not None
    ]
    if free is None or not forced:
        return None
    whole, goals = free.sum(), [lattice.sum() for _, lattice in forced]
    # Those that the free search has too are not to be counted twice.
    twice = [free.sum(text.split()) for text, _ in forced]
    good = float(np.logaddexp.reduce([one.log for one in goals]))
    left = 1.0 - sum(float(np.exp(one.log - whole.log)) for one in twice)
    total = float(np.logaddexp(whole.log + np.log(left), good)) if left > 0 else good
    shares = np.exp(whole.log - total) * whole.shares
    for one in twice:
        shares -= np.exp(one.log - total) * one.shares
    gradient = -expected_features(decoder.system, free, shares)
    for one, (_, lattice) in zip(goals, forced, strict=True):
        weight = np.exp(one.log - good) - np.exp(one.log - total)
        gradient += expected_features(decoder.system, lattice, weight * one.shares)
    return good - total, gradient


def tune_by_likelihood(
    parts: Parts,
    sources: Sequence[str],
    references: Sequence[Sequence[str]],
    metric: Metric,
    settings: Mapping[str, Any],
    passes: int,
    seed: int,
    limits: Limits | None = None,
    watch: Callable[[int, Climb], None] = lambda number, done: None,
) -> Likely:
    """Weights of a system, in the order of ``parts.names``, that make those references likely that can be reached.

    With ``gold:oracle``, for sentences that cannot, what came closest in a search with the first weights. Each of so many `passes`
    goes through them in an order of its own, a batch at a time; after it all sentences are translated by the mean of its weights,
    on the scale of those that were there, since the beam depends on it. The best of these, or those that were there, are taken.
    The same seed gives the same weights. InputError where there is nothing to learn from.
    """
    rng = np.random.default_rng(seed)
    prepared = metric.prepare(references)
    decoder = Decoder(system_of(parts), limits)
    goals, reachable = goals_of(decoder, sources, references, settings["gold"])
    learnt = np.array(list(goals))
    weights = parts.weights
    scale = float(np.abs(weights).sum())
    made = [Climb(weights, corpus_score(decoder, sources, metric, prepared), None)]
    watch(0, made[0])
    squares = np.zeros(len(weights))
    for number in range(1, passes + 1):
        total, value, batches, counted = np.zeros(len(weights)), 0.0, 0, 0
        order = rng.permutation(learnt)
        for begin in range(0, len(order), settings["batch"]):
            decoder = Decoder(system_of(parts, weights), limits)
            told = [log_likelihood(decoder, sources[k], goals[k]) for k in order[begin : begin + settings["batch"]].tolist()]
            # By other weights some goal may be out of the search's reach.
            there = [one for one in told if one is not None]
            if there:
                gradient = np.mean([one[1] for one in there], axis=0) - settings["l2"] * weights
                squares += gradient**2
                weights = weights + settings["rate"] * gradient / np.sqrt(np.maximum(squares, 1e-12))
                value, counted = value + sum(one[0] for one in there), counted + len(there)
            total, batches = total + weights, batches + 1
        taken = total / batches
        taken = taken * (scale / float(np.abs(taken).sum()))
        score = corpus_score(Decoder(system_of(parts, taken), limits), sources, metric, prepared)
        made.append(Climb(taken, score, value / counted if counted else None))
        watch(number, made[-1])
    best = made[0]
    for one in made[1:]:
        best = one if (one.score > best.score if metric.higher_is_better else one.score < best.score) else best
    return Likely(tuple(made), best, reachable)
