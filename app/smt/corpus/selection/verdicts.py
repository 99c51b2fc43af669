"""Thresholds of scores by people's verdicts on pairs, measured on verdicts that did not choose them."""

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from app.arrays import Bools, Float32s
from app.building.line_files import read_lines
from app.errors import InputError

__all__ = ["Threshold", "Verdicts", "read_verdicts", "thresholds_of"]

# Shares of good pairs that thresholds keep.
RECALLS: Final = (0.95, 0.9, 0.8, 0.7, 0.5)
# Good and bad pairs that each half needs.
MINIMUM: Final = 10
WORDS: Final = {"good": True, "bad": False}


@dataclass(frozen=True)
class Verdicts:
    """Verdicts on m of n pairs: their places in the text, and a mask of the good ones, both (m,)."""

    places: np.ndarray
    good: Bools


@dataclass(frozen=True)
class Threshold:
    """Highest score that keeps the share `goal` of good pairs.

    `precision` is the share of good pairs among those from the score on, `recall` their share of the good pairs, `share` that of
    all pairs. Each half of the verdicts uses the threshold of the other half.
    """

    goal: float
    score: float
    precision: float
    recall: float
    share: float


def read_verdicts(path: Path, pairs: int) -> Verdicts:
    """Read a line for each pair: ``good``, ``bad``, or nothing for a pair without a verdict.

    InputError for another word, another number of lines, and fewer than 20 good or bad pairs.
    """
    with ExitStack() as stack:
        lines = [line.decode("utf-8", "replace").strip() for line in read_lines(path, stack)]
    if len(lines) != pairs:
        raise InputError("invalid-request", f"{path} has {len(lines)} lines for {pairs} pairs", ("--verdicts",))
    for number, word in enumerate(lines, 1):
        if word and word not in WORDS:
            raise InputError("invalid-request", f"{path}, line {number}: a verdict is good, bad or empty", ("--verdicts",))
    places = np.array([place for place, word in enumerate(lines) if word], np.int64)
    good = np.array([WORDS[word] for word in lines if word], np.bool_)
    if min(good.sum(), (~good).sum()) < 2 * MINIMUM:
        counts = f"{path} has {good.sum()} good and {(~good).sum()} bad pairs; at least {2 * MINIMUM} of each are needed"
        raise InputError("invalid-request", counts, ("--verdicts",))
    return Verdicts(places, good)


def thresholds_of(scores: Float32s, verdicts: Verdicts, recalls: Sequence[float] = RECALLS) -> list[Threshold]:
    """Thresholds of the scores (n,), higher is better, by the shares of good pairs that they keep; none below all finite scores."""
    values, good = scores[verdicts.places], verdicts.good
    # Neighbours go to different halves, since a text may be in order of its quality.
    halves = np.zeros(len(good), np.int64)
    for verdict in (good, ~good):
        halves[verdict] = np.arange(verdict.sum()) % 2
    out = []
    for recall in recalls:
        mask = np.zeros(len(good), np.bool_)
        for half in (0, 1):
            mask[halves != half] = values[halves != half] >= _threshold(values[good & (halves == half)], recall)
        score = _threshold(values[good], recall)
        if np.isfinite(score):
            right = float((mask & good).sum())
            out.append(Threshold(recall, score, right / max(1, mask.sum()), right / float(good.sum()), float(mask.mean())))
    return out


def _threshold(scores: Float32s, recall: float) -> float:
    """Highest score that at least the share `recall` of the scores reaches."""
    return float(np.sort(scores)[::-1][int(np.ceil(recall * len(scores))) - 1])
