"""Weights learnt from violations, where the search prunes the way to a reference: perceptron and MIRA with the decoder."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import numpy as np

from app.arrays import Float64s
from app.metrics import Metric
from app.smt.decoder.decoder import Decoder
from app.smt.decoder.moses_ini import SearchLimits
from app.smt.decoder.sparse.names import padded
from app.smt.decoder.system import SystemParts, system_of
from app.smt.decoder.tuning.goals import corpus_score, goals_of
from app.smt.decoder.tuning.passes import TuningPass, TuningPasses, best_pass
from app.smt.decoder.tuning.violations import UpdateStep, reach_reference, violation_of
from app.text.reading.options import Choice, Number, Option

__all__ = ["FIXING_OPTIONS", "tune_by_fixing"]

FIXING_OPTIONS: Final[Mapping[str, Option]] = {
    "update": Choice({update.value: update for update in UpdateStep}, UpdateStep.MAX),
    "gold": Choice({"reference": "reference", "oracle": "oracle"}, "reference"),
    "rule": Choice({"mira": "mira", "perceptron": "perceptron"}, "mira"),
    "rate": Number(1e-9, 1e9, 0.0002),
    "cap": Number(0.0, 1e9, 0.0002),
    "margin": Number(0.0, 1e6, 1.0),
    "batch": Number(1, 10_000, 8, is_whole=True),
}


def tune_by_fixing(
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
    """Learn weights of a system, in the order of ``parts.names``, from sentences that can reach a reference.

    With ``gold:oracle`` the rest are learnt from too, towards the oracle of a search with the initial weights. Each of the `passes`
    visits the sentences in a random order, in batches with constant weights; the mean of a batch's corrections changes the weights.
    After each pass, the mean of all weights so far translates all sentences, or the last weights if they violated nothing. The best
    of these and of the initial weights are returned. A pass without violations is the last. Equal seeds give equal weights.
    Counts are `updates`, the violated sentences of a pass; notes are `reachable`, the references that can be reached.
    InputError if no sentence can be learnt from.
    """
    rng = np.random.default_rng(seed)
    weights = parts.weights
    reference_statistics = metric.prepare(references)
    decoder = Decoder(system_of(parts, weights), limits)
    goals, reachable = goals_of(decoder, sources, references, settings["gold"])
    segments = list(goals)
    results = [TuningPass(weights, corpus_score(decoder, sources, metric, reference_statistics), {"updates": 0})]
    watch(0, results[0])
    total, batches = np.zeros(len(weights)), 0
    for number in range(1, passes + 1):
        updates = 0
        order = rng.permutation(np.array(segments))
        for begin in range(0, len(order), settings["batch"]):
            batch = order[begin : begin + settings["batch"]].tolist()
            decoder = Decoder(system_of(parts, weights), limits)
            steps = [_step(decoder, sources[k], goals[k], weights, settings) for k in batch]
            updates += sum(step is not None for step in steps)
            width = max([len(weights), *(len(step) for step in steps if step is not None)])
            # New sparse features appear during the pass.
            weights, total = padded(weights, width), padded(total, width)
            weights = weights + np.sum([padded(step, width) for step in steps if step is not None], axis=0) / len(batch)
            total, batches = total + weights, batches + 1
        # Weights without violations are the goal; their mean with earlier ones may have some.
        mean_weights = total / batches if updates else weights
        score = corpus_score(Decoder(system_of(parts, mean_weights), limits), sources, metric, reference_statistics)
        results.append(TuningPass(mean_weights, score, {"updates": updates}))
        watch(number, results[-1])
        if not updates:
            break
    return TuningPasses(tuple(results), best_pass(results, metric), {"reachable": reachable})


def _step(
    decoder: Decoder, source: str, references: Sequence[str], weights: Float64s, settings: Mapping[str, Any]
) -> Float64s | None:
    """Correction of the weights by a sentence; None without a violation, or if no reference can be reached."""
    good = reach_reference(decoder, source, references)
    violation = None if good is None else violation_of(decoder, source, good, settings["update"])
    if violation is None or not violation.difference.any():
        return None
    if settings["rule"] == "perceptron":
        return np.asarray(settings["rate"] * violation.difference)
    length = float(violation.difference @ violation.difference)
    score = float(padded(weights, len(violation.difference)) @ padded(violation.difference, len(weights)))
    step = min(settings["cap"], (settings["margin"] - score) / length)
    return np.asarray(step * violation.difference)
