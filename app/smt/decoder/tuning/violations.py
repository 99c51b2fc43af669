"""Violations: steps of a search where partial derivations score above those that lead to a reference.

Huang, Fayong and Guo (2012), Yu et al. (2013); Song (2015), §2.2.4. A derivation is good if it leads to a reference. Both searches
are compared at equal steps, with equal numbers of translated source words.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from app.arrays import Float64s
from app.smt.decoder.decoder import Decoder, SearchResult
from app.smt.decoder.derivation import Derivation, Phrase
from app.smt.decoder.sparse.derivations import sparse_of_list
from app.smt.decoder.sparse.names import padded
from app.smt.decoder.stack_kernels import OPTION, PREVIOUS, Stacks
from app.smt.decoder.tuning.list_features import features_of_list

__all__ = ["UpdateStep", "Violation", "partial_features", "reach_reference", "violation_of"]


class UpdateStep(StrEnum):
    """The step at which the weights are corrected."""

    # The step with the largest excess of the model's best over the best good one.
    MAX = "max"
    # The first step where the search has pruned all good ones.
    EARLY = "early"
    # The end.
    STANDARD = "standard"


@dataclass(frozen=True, eq=False)
class Violation:
    """A step where the model's best exceeds the best good one by `excess`; `difference` is good minus best features."""

    step: int
    excess: float
    difference: Float64s


def reach_reference(decoder: Decoder, source: str, references: Sequence[str]) -> SearchResult | None:
    """Forced search to the reference with the best derivation; None if no reference can be reached.

    It uses the options of a free search, so that both have equal future costs.
    """
    results = [decoder.translate(source, target=reference, all_options=True) for reference in dict.fromkeys(references)]
    candidates = [(best.score, k) for k, result in enumerate(results) if (best := result.best()) is not None]
    return results[max(candidates)[1]] if candidates else None


def violation_of(decoder: Decoder, source: str, good: SearchResult, update: UpdateStep) -> Violation | None:
    """The violation for correcting weights; None if there is none.

    `good` is a result of `reach_reference`.
    """
    free = decoder.translate(source)
    if free.graph is None or good.graph is None:
        return None
    stacks, good_stacks = free.graph[2], good.graph[2]
    length = len(free.tokens)
    worst_violation = None
    for step in range(1, length + 1):
        hypotheses, good_hypotheses = _of_step(stacks, step), _of_step(good_stacks, step)
        if not len(hypotheses) or not len(good_hypotheses):
            continue
        best_hypothesis = hypotheses[np.argmax(stacks.scores[hypotheses, 0])]
        best_good = good_hypotheses[np.argmax(good_stacks.scores[good_hypotheses, 0])]
        excess = float(stacks.scores[best_hypothesis, 0] - good_stacks.scores[best_good, 0])
        if excess <= 0 or (update is UpdateStep.STANDARD and step < length):
            continue
        # A stack with free room prunes nothing, so the comparison with the worst hypothesis has a margin.
        is_pruned = good_stacks.scores[good_hypotheses, 1].max() < stacks.scores[hypotheses, 1].min() - 1e-9
        if update is UpdateStep.EARLY and not is_pruned and step < length:
            continue
        if worst_violation is None or excess > worst_violation[1]:
            worst_violation = step, excess, int(best_hypothesis), int(best_good)
        if update is UpdateStep.EARLY:
            break
    if worst_violation is None:
        return None
    step, excess, best_hypothesis, best_good = worst_violation
    features = [
        partial_features(decoder, phrases_of(result, h), step == length)
        for result, h in ((good, best_good), (free, best_hypothesis))
    ]
    width = max(map(len, features))
    return Violation(step, excess, padded(features[0], width) - padded(features[1], width))


def _of_step(stacks: Stacks, step: int) -> np.ndarray:
    return stacks.items[step, : stacks.counts[3 + step]]


def phrases_of(result: SearchResult, hypothesis: int) -> tuple[Phrase, ...]:
    """Phrases of the best way to a hypothesis."""
    if result.graph is None:
        return ()
    stacks = result.graph[2]
    options = []
    while (previous := int(stacks.hypotheses[hypothesis, PREVIOUS])) >= 0:
        options.append(int(stacks.hypotheses[hypothesis, OPTION]))
        hypothesis = previous
    return result.phrases(options[::-1])


def partial_features(decoder: Decoder, phrases: Sequence[Phrase], complete: bool) -> Float64s:
    """Features of a partial derivation: dense ones, then sparse ones by number.

    Unless the sentence is `complete`, its end counts for no language model and no boundary.
    """
    system = decoder.system
    derivations = [Derivation(tuple(phrases), 0.0)]
    values: Float64s = features_of_list(system, derivations)[0]
    if not complete and system.model_names:
        numbers = system.models.number([word for phrase in phrases for word in phrase.words])
        columns = [system.begins_of[name] for name in system.model_names]
        values[columns] = system.models.of_windows(numbers, np.array([0, len(numbers)]), 0, True)[0]
    if not system.has_sparse:
        return values
    return np.concatenate([values, system.sparse.names.vector(sparse_of_list(system, derivations, complete)[0])])
