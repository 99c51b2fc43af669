"""Rules of a SampleRank step: draw, oracle, violation and step size (Haddow et al. 2011, §2.2.2-2.2.3)."""

from dataclasses import dataclass

import numpy as np

from app.arrays import Float64s

__all__ = [
    "BEST",
    "CLOSEST",
    "GAIN",
    "HOPE",
    "MIRA",
    "PERCEPTRON",
    "UNIT_MARGIN",
    "ChainRules",
    "draw_index",
    "margin_step",
    "oracle",
    "violates",
]

# Choosers of oracles: the highest gain plus score; the highest gain; the closest score among higher gains.
HOPE, BEST, CLOSEST = 0, 1, 2
# Updates: passive-aggressive with one constraint, or a fixed rate.
MIRA, PERCEPTRON = 0, 1
# Factor of the gain difference: the oracle's gain, or 1.
GAIN, UNIT_MARGIN = 0, 1


@dataclass(frozen=True)
class ChainRules:
    """Rules of a chain, as constants of this module; `step` is the cap C of MIRA or the rate of the perceptron."""

    chooser: int = HOPE
    update: int = MIRA
    margin: int = GAIN
    step: float = 0.01
    temperature: float = 1.0


def draw_index(scores: Float64s, uniform: float, temperature: float = 1.0) -> int:
    """Draw an index with probability proportional to ``exp(scores / temperature)``, by a `uniform` number in [0, 1)."""
    sums = np.cumsum(np.exp((scores - scores.max()) / temperature))
    return min(int(np.searchsorted(sums, uniform * sums[-1], side="right")), len(scores) - 1)


def oracle(chooser: int, scores: Float64s, gains: Float64s, sample: int) -> int:
    """Return the oracle of an update, the first of equal ones; the sample itself if no gain is higher."""
    if chooser == HOPE:
        return int(np.argmax(gains + scores))
    if chooser == BEST:
        return int(np.argmax(gains))
    better = np.flatnonzero(gains > gains[sample])
    return int(better[np.argmin(np.abs(scores[better] - scores[sample]))]) if len(better) else sample


def violates(gain: float, other_gain: float, score: float, other_score: float) -> bool:
    """Return True if model and metric rank two hypotheses differently (equation 4)."""
    return (gain - other_gain) * (score - other_score) < 0


def margin_step(difference: Float64s, behind: float, cap: float) -> float:
    """Return the step along `difference` that closes the gap `behind`, from 0 to `cap` (equation 6)."""
    square = float(difference @ difference)
    return max(0.0, min(behind / square, cap)) if square > 0.0 else 0.0
