"""Where a search leaves the way to a reference: partial derivations that score above all that lead there.

Huang, Fayong and Guo (2012), Yu et al. (2013); Song (2015), §2.2.4. A derivation is good where it comes to a reference. Steps are
those of the search: as many words of the source are translated on both sides.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from app.arrays import Float64s
from app.smt.decoder.decoder import Decoder, Translations
from app.smt.decoder.derivation import Phrase, features_of_derivation
from app.smt.decoder.sparse.derivations import sparse_of_derivation
from app.smt.decoder.sparse.names import padded
from app.smt.decoder.stack_kernels import OPTION, PREVIOUS, Stacks

__all__ = ["Update", "Violation", "partial_features", "reached", "violation_of"]


class Update(StrEnum):
    """At which step the weights are corrected."""

    # Where the model's best is furthest above the best good one.
    MAX = "max"
    # Where no good one is left among what the search keeps.
    EARLY = "early"
    # At the end.
    STANDARD = "standard"


@dataclass(frozen=True, eq=False)
class Violation:
    """At a step, the model's best is above the best good one by `excess`; `difference` is the good one's features minus its own."""

    step: int
    excess: float
    difference: Float64s


def reached(decoder: Decoder, source: str, references: Sequence[str]) -> Translations | None:
    """The search that leads to that of the references whose derivation is the best; None where none can be reached.

    It has the options of a search for any translation, so that both hope for the same.
    """
    results = [decoder.translate(source, needed=reference, everything=True) for reference in dict.fromkeys(references)]
    scored = [(best.score, k) for k, result in enumerate(results) if (best := result.best()) is not None]
    return results[max(scored)[1]] if scored else None


def violation_of(decoder: Decoder, source: str, good: Translations, update: Update) -> Violation | None:
    """The violation that weights are to be corrected by, as `good` of `reached` leads to a reference; None where there is none."""
    free = decoder.translate(source)
    if free.searched is None or good.searched is None:
        return None
    stacks, others = free.searched[2], good.searched[2]
    length = len(free.tokens)
    best = None
    for step in range(1, length + 1):
        ours, theirs = _of_step(stacks, step), _of_step(others, step)
        if not len(ours) or not len(theirs):
            continue
        above = ours[np.argmax(stacks.scores[ours, 0])]
        below = theirs[np.argmax(others.scores[theirs, 0])]
        excess = float(stacks.scores[above, 0] - others.scores[below, 0])
        if excess <= 0 or (update is Update.STANDARD and step < length):
            continue
        # The worst that is kept is no bound where there is room for more.
        fell = others.scores[theirs, 1].max() < stacks.scores[ours, 1].min() - 1e-9
        if update is Update.EARLY and not fell and step < length:
            continue
        if best is None or excess > best[1]:
            best = step, excess, int(above), int(below)
        if update is Update.EARLY:
            break
    if best is None:
        return None
    step, excess, above, below = best
    features = [partial_features(decoder, phrases_of(result, h), step == length) for result, h in ((good, below), (free, above))]
    width = max(map(len, features))
    return Violation(step, excess, padded(features[0], width) - padded(features[1], width))


def _of_step(stacks: Stacks, step: int) -> np.ndarray:
    return stacks.items[step, : stacks.counts[3 + step]]


def phrases_of(result: Translations, hypothesis: int) -> tuple[Phrase, ...]:
    """The phrases of the best way to a hypothesis."""
    if result.searched is None:
        return ()
    stacks = result.searched[2]
    options = []
    while (previous := int(stacks.hypotheses[hypothesis, PREVIOUS])) >= 0:
        options.append(int(stacks.hypotheses[hypothesis, OPTION]))
        hypothesis = previous
    return result.phrases(options[::-1])


def partial_features(decoder: Decoder, phrases: Sequence[Phrase], whole: bool) -> Float64s:
    """The features of what is translated so far, sparse ones by number behind the dense ones.

    Unless it is the `whole` sentence, language models wait for more words, and boundaries for the next phrase.
    """
    system = decoder.system
    values = features_of_derivation(system, phrases)
    if not whole and system.model_names:
        numbers = system.models.number([word for phrase in phrases for word in phrase.words])
        columns = [system.begins_of[name] for name in system.model_names]
        values[columns] = system.models.of_windows(numbers, np.array([0, len(numbers)]), 0, True)[0]
    if not system.has_sparse:
        return values
    return np.concatenate([values, system.sparse.names.vector(sparse_of_derivation(system, phrases, whole))])
