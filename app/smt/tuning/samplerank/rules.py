"""How a step of SampleRank draws, what it moves towards, and how far (Haddow et al. 2011, §2.2.2-2.2.3)."""

from dataclasses import dataclass

import numpy as np

from app.arrays import Float64s

__all__ = ["BEST", "CLOSEST", "GAIN", "HOPE", "MIRA", "ONE", "PERCEPTRON", "Rules", "drawn", "margin_step", "oracle", "violates"]

# Choosers of oracles: the highest sum of gain and score, the highest gain, of those of higher gain the closest by score.
HOPE, BEST, CLOSEST = 0, 1, 2
# Updates: passive-aggressive with one constraint, or a fixed rate.
MIRA, PERCEPTRON = 0, 1
# What the difference of gains is multiplied by: the oracle's gain, or 1.
GAIN, ONE = 0, 1


@dataclass(frozen=True)
class Rules:
    """The choices of a step, in the numbers of this module; `step` is the cap C of MIRA's, and the rate of the perceptron's."""

    chooser: int = HOPE
    update: int = MIRA
    margin: int = GAIN
    step: float = 0.01
    temperature: float = 1.0


def drawn(scores: Float64s, uniform: float, temperature: float = 1.0) -> int:
    """The place that a uniform number in [0, 1) draws from ``exp(scores / temperature)``, by the inverse of its distribution."""
    sums = np.cumsum(np.exp((scores - scores.max()) / temperature))
    return min(int(np.searchsorted(sums, uniform * sums[-1], side="right")), len(scores) - 1)


def oracle(chooser: int, scores: Float64s, gains: Float64s, sample: int) -> int:
    """What an update moves towards, of equally good ones the first; the sample itself where nothing has a higher gain."""
    if chooser == HOPE:
        return int(np.argmax(gains + scores))
    if chooser == BEST:
        return int(np.argmax(gains))
    better = np.flatnonzero(gains > gains[sample])
    return int(better[np.argmin(np.abs(scores[better] - scores[sample]))]) if len(better) else sample


def violates(gain: float, other_gain: float, score: float, other_score: float) -> bool:
    """Whether model and metric rank two hypotheses otherwise (equation 4)."""
    return (gain - other_gain) * (score - other_score) < 0


def margin_step(difference: Float64s, behind: float, cap: float) -> float:
    """How far to go along a difference of features to make up for so much, at most `cap`, and never backwards (equation 6)."""
    square = float(difference @ difference)
    return max(0.0, min(behind / square, cap)) if square > 0.0 else 0.0
