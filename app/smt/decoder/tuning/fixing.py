"""Weights learnt by correcting where the search leaves the way to references: perceptron and MIRA with the decoder."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from app.arrays import Float64s
from app.metrics import Metric
from app.smt.decoder.decoder import Decoder
from app.smt.decoder.moses_ini import Limits
from app.smt.decoder.sparse.names import padded
from app.smt.decoder.system import Parts, system_of
from app.smt.decoder.tuning.goals import corpus_score, goals_of
from app.smt.decoder.tuning.violations import Update, reached, violation_of
from app.text.reading.options import Choice, Number, Option, parse_options

__all__ = ["FIXING", "FIXING_OPTIONS", "Fixed", "Pass", "fixing_settings", "tune_by_fixing"]

FIXING: Final = "violations-decoder"
FIXING_OPTIONS: Final[Mapping[str, Option]] = {
    "update": Choice({one.value: one for one in Update}, Update.MAX),
    "gold": Choice({"reference": "reference", "oracle": "oracle"}, "reference"),
    "rule": Choice({"mira": "mira", "perceptron": "perceptron"}, "mira"),
    "rate": Number(1e-9, 1e9, 0.0002),
    "cap": Number(0.0, 1e9, 0.0002),
    "margin": Number(0.0, 1e6, 1.0),
    "batch": Number(1, 10_000, 8, is_whole=True),
}


def fixing_settings(method: str) -> dict[str, Any] | None:
    """The options of ``violations-decoder|update:early|…``; None for another method, InputError for options that are not there."""
    name, *pairs = method.split("|")
    if name != FIXING:
        return None
    return parse_options(name, FIXING_OPTIONS, pairs, "invalid-tuning", f"{FIXING}|update:early|rule:perceptron")


@dataclass(frozen=True, eq=False)
class Pass:
    """Weights after a pass, how well they translate, and how many sentences were violated in it."""

    weights: Float64s
    score: float
    updates: int


@dataclass(frozen=True, eq=False)
class Fixed:
    """All passes, the first with the weights that were there, the one that translated best, and how many references are reached."""

    passes: tuple[Pass, ...]
    best: Pass
    reachable: int


def tune_by_fixing(
    parts: Parts,
    sources: Sequence[str],
    references: Sequence[Sequence[str]],
    metric: Metric,
    settings: Mapping[str, Any],
    passes: int,
    seed: int,
    limits: Limits | None = None,
    watch: Callable[[int, Pass], None] = lambda number, done: None,
) -> Fixed:
    """Weights of a system, in the order of ``parts.names``, learnt from those sentences that can reach a reference.

    With ``gold:oracle`` those that cannot are learnt from too: towards what came closest in a search with the first weights.
    Each of so many `passes` goes through them in an order of its own, a batch at a time with weights of its own: what corrects
    them is the mean of the batch's corrections. After it all sentences are translated by the mean of all weights so far, or by
    the last where they violated nothing; the best of these, or those that were there, are taken. It ends early where nothing is
    violated. The same seed gives the same weights. InputError where there is nothing to learn from.
    """
    rng = np.random.default_rng(seed)
    weights = parts.weights
    prepared = metric.prepare(references)
    decoder = Decoder(system_of(parts, weights), limits)
    goals, reachable = goals_of(decoder, sources, references, settings["gold"])
    learnt = list(goals)
    made = [Pass(weights, corpus_score(decoder, sources, metric, prepared), 0)]
    watch(0, made[0])
    total, batches = np.zeros(len(weights)), 0
    for number in range(1, passes + 1):
        updates = 0
        order = rng.permutation(np.array(learnt))
        for begin in range(0, len(order), settings["batch"]):
            batch = order[begin : begin + settings["batch"]].tolist()
            decoder = Decoder(system_of(parts, weights), limits)
            steps = [_step(decoder, sources[k], goals[k], weights, settings) for k in batch]
            updates += sum(step is not None for step in steps)
            width = max([len(weights), *(len(step) for step in steps if step is not None)])
            # Sparse features come up on the way.
            weights, total = padded(weights, width), padded(total, width)
            weights = weights + np.sum([padded(step, width) for step in steps if step is not None], axis=0) / len(batch)
            total, batches = total + weights, batches + 1
        # Weights that violate nothing are what was looked for; their mean with those before may not be.
        taken = total / batches if updates else weights
        score = corpus_score(Decoder(system_of(parts, taken), limits), sources, metric, prepared)
        made.append(Pass(taken, score, updates))
        watch(number, made[-1])
        if not updates:
            break
    best = made[0]
    for one in made[1:]:
        best = one if (one.score > best.score if metric.higher_is_better else one.score < best.score) else best
    return Fixed(tuple(made), best, reachable)


def _step(
    decoder: Decoder, source: str, references: Sequence[str], weights: Float64s, settings: Mapping[str, Any]
) -> Float64s | None:
    """How a sentence corrects the weights; None where it is not violated, or by other weights reaches no reference."""
    good = reached(decoder, source, references)
    violation = None if good is None else violation_of(decoder, source, good, settings["update"])
    if violation is None or not violation.difference.any():
        return None
    if settings["rule"] == "perceptron":
        return np.asarray(settings["rate"] * violation.difference)
    length = float(violation.difference @ violation.difference)
    score = float(padded(weights, len(violation.difference)) @ padded(violation.difference, len(weights)))
    step = min(settings["cap"], (settings["margin"] - score) / length)
    return np.asarray(step * violation.difference)
