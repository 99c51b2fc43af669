"""Weights that make references likely, summed over latent derivations: gradient ascent with the decoder.

Song (2015), (2.21) to (2.23); Blunsom, Cohn and Osborne (2008). ``p(e | f) = Σ_d exp(w · h(d, e, f)) / Z(f)``, a Gaussian prior. A
forced search sums over derivations of a reference. Z is the sum of the free search, with the reference's derivations that it
pruned. Steps are AdaGrad's (Duchi, Hazan and Singer 2011), which need no units.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import numpy as np

from app.arrays import Float64s
from app.metrics import Metric
from app.smt.decoder.decoder import Decoder
from app.smt.decoder.graphs.lattice import lattice_of
from app.smt.decoder.moses_ini import SearchLimits
from app.smt.decoder.system import SystemParts, system_of
from app.smt.decoder.tuning.expectations import expected_features
from app.smt.decoder.tuning.goals import corpus_score, goals_of
from app.smt.decoder.tuning.passes import TuningPass, TuningPasses, best_pass
from app.text.reading.options import Choice, Number, Option

__all__ = ["LIKELIHOOD_OPTIONS", "log_likelihood", "tune_by_likelihood"]

LIKELIHOOD_OPTIONS: Final[Mapping[str, Option]] = {
    "gold": Choice({"reference": "reference", "oracle": "oracle"}, "reference"),
    "l2": Number(0.0, 1e6, 0.01),
    "rate": Number(1e-9, 1e3, 0.01),
    "batch": Number(1, 10_000, 8, is_whole=True),
}


def log_likelihood(decoder: Decoder, source: str, references: Sequence[str]) -> tuple[float, Float64s] | None:
    """log p(any of the references | source), and its gradient by the weights; None if no reference can be reached.

    It sums over derivations that the searches keep, and is at most 0.
    """
    free = lattice_of(decoder.translate(source, alternatives=True))
    goal_lattices = [
        (text, lattice)
        for text in dict.fromkeys(references)
        if (lattice := lattice_of(decoder.translate(source, alternatives=True, target=text, all_options=True))) is not None
    ]
    if free is None or not goal_lattices:
        return None
    free_sum, goal_sums = free.sum(), [lattice.sum() for _, lattice in goal_lattices]
    # Derivations of the free search may not count twice.
    shared_sums = [free.sum(text.split()) for text, _ in goal_lattices]
    good = float(np.logaddexp.reduce([goal_sum.log for goal_sum in goal_sums]))
    rest_share = 1.0 - sum(float(np.exp(goal_sum.log - free_sum.log)) for goal_sum in shared_sums)
    total = float(np.logaddexp(free_sum.log + np.log(rest_share), good)) if rest_share > 0 else good
    shares = np.exp(free_sum.log - total) * free_sum.shares
    for goal_sum in shared_sums:
        shares -= np.exp(goal_sum.log - total) * goal_sum.shares
    gradient = -expected_features(decoder.system, free, shares)
    for goal_sum, (_, lattice) in zip(goal_sums, goal_lattices, strict=True):
        weight = np.exp(goal_sum.log - good) - np.exp(goal_sum.log - total)
        gradient += expected_features(decoder.system, lattice, weight * goal_sum.shares)
    return good - total, gradient


def tune_by_likelihood(
    parts: SystemParts,
    sources: Sequence[str],
    references: Sequence[Sequence[str]],
    metric: Metric,
    settings: Mapping[str, Any],
    passes: int,
    seed: int,
    limits: SearchLimits | None = None,
    watch: Callable[[int, TuningPass], None] = lambda number, outcome: None,
) -> TuningPasses[TuningPass]:
    """Learn weights of a system, in the order of ``parts.names``, that make reachable references likely.

    With ``gold:oracle``, sentences without a reachable reference learn towards the oracle of a search with the initial weights.
    Each of the `passes` visits the sentences in a random order, in batches. After each pass, the mean of its weights translates all
    sentences, on the scale of the initial weights, since the beam depends on it. The best of these and of the initial weights are
    returned. Equal seeds give equal weights. InputError if no sentence can be learnt from. Counts are `log_likelihood`, the mean
    over goals during a pass; notes are `reachable`, the references that can be reached.
    """
    rng = np.random.default_rng(seed)
    reference_statistics = metric.prepare(references)
    decoder = Decoder(system_of(parts), limits)
    goals, reachable = goals_of(decoder, sources, references, settings["gold"])
    segments = np.array(list(goals))
    weights = parts.weights
    scale = float(np.abs(weights).sum())
    results = [TuningPass(weights, corpus_score(decoder, sources, metric, reference_statistics), {"log_likelihood": None})]
    watch(0, results[0])
    squares = np.zeros(len(weights))
    for number in range(1, passes + 1):
        total, value, batches, count = np.zeros(len(weights)), 0.0, 0, 0
        order = rng.permutation(segments)
        for begin in range(0, len(order), settings["batch"]):
            decoder = Decoder(system_of(parts, weights), limits)
            outcomes = [log_likelihood(decoder, sources[k], goals[k]) for k in order[begin : begin + settings["batch"]].tolist()]
            # Other weights may put a goal out of the search's reach.
            likelihoods = [result for result in outcomes if result is not None]
            if likelihoods:
                gradient = np.mean([result[1] for result in likelihoods], axis=0) - settings["l2"] * weights
                squares += gradient**2
                weights = weights + settings["rate"] * gradient / np.sqrt(np.maximum(squares, 1e-12))
                value, count = value + sum(result[0] for result in likelihoods), count + len(likelihoods)
            total, batches = total + weights, batches + 1
        mean_weights = total / batches
        mean_weights = mean_weights * (scale / float(np.abs(mean_weights).sum()))
        score = corpus_score(Decoder(system_of(parts, mean_weights), limits), sources, metric, reference_statistics)
        results.append(TuningPass(mean_weights, score, {"log_likelihood": value / count if count else None}))
        watch(number, results[-1])
    return TuningPasses(tuple(results), best_pass(results, metric), {"reachable": reachable})
