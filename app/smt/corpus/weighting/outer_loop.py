"""Search for weights that translate held-out text best; each trial builds phrase tables (Shah et al. 2010, algorithm 2)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from app.arrays import Float64s

__all__ = ["LARGEST_POWER", "SearchedWeights", "Trial", "search_weights"]

# Upper limit of powers of scores; the papers start at 0.1.
LARGEST_POWER: Final = 3.0
# Radii of steps, as a share of the range of a number; measurements have a noise of a tenth of a BLEU point.
FIRST_STEP: Final = 0.25
LAST_STEP: Final = 0.02


@dataclass(frozen=True)
class Trial:
    """A trial: weights of corpora, which sum to 1, powers of scores, and their worth; higher is better."""

    corpora: Mapping[str, float]
    powers: Mapping[str, float]
    worth: float


@dataclass(frozen=True)
class SearchedWeights:
    """The best trial (the first of ties) and all trials in order; the first is the start."""

    best: Trial
    trials: Sequence[Trial]


def search_weights(
    worth: Callable[[Mapping[str, float], Mapping[str, float]], float],
    corpora: Mapping[str, float],
    powers: Mapping[str, float],
    limit: int,
    largest_power: float = LARGEST_POWER,
    on_trial: Callable[[Trial], None] = lambda trial: None,
) -> SearchedWeights:
    """Search for weights of corpora and powers of scores with the highest worth, in up to `limit` trials.

    The method is COBYQA of scipy, derivative-free with a quadratic model in a trust region, like CONDOR in the papers. Weights are
    0 or more and sum to 1; powers are from 0 to `largest_power`. The start is the first trial, so no result is worse. A single
    corpus without scores needs no search.
    """
    trials: list[Trial] = []
    names, scores = list(corpora), list(powers)
    total = sum(corpora.values())
    start = np.array([*(weight / total for weight in corpora.values()), *(power / largest_power for power in powers.values())])

    def tried(point: Float64s) -> float:
        values = np.clip(point, 0, 1)
        shares = values[: len(names)] / max(values[: len(names)].sum(), np.finfo(float).tiny)
        trial_corpora = dict(zip(names, shares.tolist(), strict=True))
        trial_powers = dict(zip(scores, (largest_power * values[len(names) :]).tolist(), strict=True))
        # Each point is measured once.
        value = next((trial.worth for trial in trials if (trial.corpora, trial.powers) == (trial_corpora, trial_powers)), None)
        if value is None:
            value = worth(trial_corpora, trial_powers)
            trials.append(Trial(trial_corpora, trial_powers, value))
            on_trial(trials[-1])
        return -value

    # Only a search needs it, and its import takes a fifth of a second.
    from scipy.optimize import Bounds, LinearConstraint, minimize

    # The optimiser itself moves a start near a bound onto the bound.
    tried(start)
    if (len(names) > 1 or scores) and limit > 1:
        # The last corpus has the remaining weight.
        free = len(names) - 1

        def of_free(point: Float64s) -> float:
            return tried(np.concatenate([point[:free], [1 - point[:free].sum()], point[free:]]))

        first = np.concatenate([start[:free], start[len(names) :]])
        constraints = [LinearConstraint(np.concatenate([np.ones(free), np.zeros(len(scores))]), 0, 1)] if free > 1 else []
        options = {"maxfev": limit - 1, "initial_tr_radius": FIRST_STEP, "final_tr_radius": LAST_STEP}
        minimize(of_free, first, method="COBYQA", bounds=Bounds(0, 1), constraints=constraints, options=options)
    return SearchedWeights(max(trials, key=lambda trial: trial.worth), trials)
