"""Segments in which systems differ from the baseline of a ranking."""

from collections.abc import Sequence
from typing import Annotated, Final, NotRequired

import numpy as np
from pydantic import Field
from scipy.special import erf
from typing_extensions import TypedDict

from app.arrays import Float64s, Int64s
from app.operations.parts.rounding import rounded
from app.operations.parts.scoring.segment_gains import SegmentGain
from app.planning.system_selection import Ranking

__all__ = ["DifferingSystems", "SystemDifferences", "differences_of"]

ABOUT_TO_JUDGE: Final = "Segments, counted from 1, that people should judge first: those of the largest expected difference"


class SystemDifferences(TypedDict):
    """A system beside the baseline, over the segments that both translate; gains are positive if the system is better."""

    system: str
    wins: int
    losses: int
    ties: int
    most_improved: list[SegmentGain]
    most_worsened: list[SegmentGain]
    to_judge: Annotated[list[int], Field(description=ABOUT_TO_JUDGE)]


class DifferingSystems(TypedDict):
    """Differences of all systems but the baseline, if the request asks for them."""

    differences: NotRequired[list[SystemDifferences]]


def differences_of(ranking: Ranking, higher_is_better: bool, limit: int | None) -> DifferingSystems:
    """The member `differences` of an answer, with at most `limit` segments of each kind. O(candidates)."""
    if limit is None:
        return {}
    rivals = [standing.system for standing in ranking.systems if standing.system != ranking.baseline]
    return {"differences": [_difference(ranking, system, higher_is_better, limit) for system in rivals]}


def _difference(ranking: Ranking, system: str, higher_is_better: bool, limit: int) -> SystemDifferences:
    numbers, scores, stds = _common(ranking, system)
    gain = (scores[:, 1] - scores[:, 0]) * (1.0 if higher_is_better else -1.0)
    order = np.argsort(-gain, kind="stable")

    def rows(places: Sequence[int]) -> list[SegmentGain]:
        return [
            {
                "segment": int(numbers[k]),
                "gain": rounded(gain[k]),
                "baseline_score": rounded(scores[k, 0]),
                "system_score": rounded(scores[k, 1]),
            }
            for k in places
        ]

    return {
        "system": system,
        "wins": int((gain > 0).sum()),
        "losses": int((gain < 0).sum()),
        "ties": int((gain == 0).sum()),
        "most_improved": rows([int(k) for k in order[:limit] if gain[k] > 0]),
        "most_worsened": rows([int(k) for k in order[::-1][:limit] if gain[k] < 0]),
        "to_judge": _to_judge(numbers, gain, np.hypot(stds[:, 0], stds[:, 1]), limit),
    }


def _common(ranking: Ranking, system: str) -> tuple[Int64s, Float64s, Float64s]:
    """Numbers (n,) of the segments that baseline and system translate, with scores and deviations (n, 2) of both."""
    rows = []
    for number, segment in enumerate(ranking.segments, 1):
        if {system, ranking.baseline} <= set(segment.systems):
            places = [segment.systems.index(name) for name in (ranking.baseline, system)]
            rows.append((number, [segment.scores[k] for k in places], [segment.stds[k] for k in places]))
    numbers = np.array([row[0] for row in rows], np.int64)
    return numbers, np.array([row[1] for row in rows]).reshape(-1, 2), np.array([row[2] for row in rows]).reshape(-1, 2)


def _to_judge(numbers: Int64s, gain: Float64s, spread: Float64s, limit: int) -> list[int]:
    """Segments of the largest expected difference, the mean of |x| for x from N(gain, spread²); equal scores are left out."""
    differing = np.flatnonzero(gain != 0)
    mean, deviation = np.abs(gain[differing]), np.maximum(spread[differing], 1e-12)
    ratio = mean / deviation
    size = deviation * np.sqrt(2 / np.pi) * np.exp(-(ratio**2) / 2) + mean * erf(ratio / np.sqrt(2))
    return [int(numbers[k]) for k in differing[np.argsort(-size, kind="stable")][:limit]]
