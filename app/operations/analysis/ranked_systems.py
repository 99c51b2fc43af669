"""Systems as their judgements and their metrics' scores rank them, as they are answered."""

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np
from typing_extensions import TypedDict

from app.arrays import Float64s, Int64s
from app.metrics.meta_evaluation.correlation import AGREEMENTS
from app.metrics.meta_evaluation.rankings import clusters, rank_ranges, sign_test
from app.metrics.meta_evaluation.soft_accuracy import pair_p_values, soft_accuracy
from app.metrics.meta_evaluation.wins import count_wins, expected_wins, ratio_of_wins
from app.operations.operation import Json

__all__ = ["Duel", "RankedSystem", "RankedSystems", "rank_systems"]

# Agreements of the means of systems that answers name, with "system-" before them.
OF_SYSTEMS = ("pearson", "spearman", "accuracy")


class RankedSystem(TypedDict):
    """A system: means of human and metric scores, wins by people, and the range of its rank; null without a comparison."""

    system: str
    cluster: int | None
    best_rank: int | None
    worst_rank: int | None
    expected_wins: float | None
    ratio_of_wins: float | None
    translations: int
    human: float
    metrics: dict[str, float]


class Duel(TypedDict):
    """Two systems: segments in which people prefer the first or the second, or tie both; p-value of the sign test."""

    system: str
    other: str
    wins: int
    losses: int
    ties: int
    sign_p_value: float


class RankedSystems(TypedDict):
    """Systems from the best to the worst by Expected Wins, and all pairs in this order."""

    systems: list[RankedSystem]
    duels: list[Duel]


def rank_systems(
    human: Float64s, metrics: Mapping[str, Float64s], groups: Int64s, names: Sequence[str]
) -> tuple[RankedSystems, dict[str, Json]]:
    """Ranked systems, and agreements of systems by metric; `names` (n,) has the system of each translation."""
    numbers = {name: number for number, name in enumerate(dict.fromkeys(names))}
    systems = np.array([numbers[name] for name in names], np.int64)
    return (_ranked(human, metrics, groups, systems, list(numbers)), _agreements(human, metrics, groups, systems, len(numbers)))


def _ranked(
    human: Float64s, metrics: Mapping[str, Float64s], groups: Int64s, systems: Int64s, names: Sequence[str]
) -> RankedSystems:
    count = len(names)
    wins = count_wins(human, groups, systems, count)
    expected, ratios, means = expected_wins(wins), ratio_of_wins(wins), _means(human, systems, count)
    # Systems without a comparison come last.
    order = np.lexsort((-means, -np.nan_to_num(expected, nan=-1.0))).tolist()
    ranges = rank_ranges(human, groups, systems, count)
    numbers = clusters([ranges[system] for system in order])
    of_metrics = {name: _means(scores, systems, count) for name, scores in metrics.items()}
    sizes = np.bincount(systems, minlength=count)
    rows: list[RankedSystem] = [
        {
            "system": names[system],
            "cluster": number,
            "best_rank": ranges[system].best,
            "worst_rank": ranges[system].worst,
            "expected_wins": _number(expected[system]),
            "ratio_of_wins": _number(ratios[system]),
            "translations": int(sizes[system]),
            "human": float(means[system]),
            "metrics": {name: float(scores[system]) for name, scores in of_metrics.items()},
        }
        for system, number in zip(order, numbers, strict=True)
    ]
    return {"systems": rows, "duels": _duels(human, groups, systems, wins, [(system, names[system]) for system in order])}


def _duels(human: Float64s, groups: Int64s, systems: Int64s, wins: Float64s, order: Sequence[tuple[int, str]]) -> list[Duel]:
    ties = _ties(human, groups, systems, len(order))
    return [
        {
            "system": name,
            "other": rival_name,
            "wins": int(wins[system, rival]),
            "losses": int(wins[rival, system]),
            "ties": int(ties[system, rival]),
            "sign_p_value": sign_test(int(wins[system, rival]), int(wins[rival, system])),
        }
        for (system, name), (rival, rival_name) in combinations(order, 2)
    ]


def _ties(human: Float64s, groups: Int64s, systems: Int64s, count: int) -> Int64s:
    """Ties (count, count) of two systems: systems of a group and label, which are a group of their own."""
    _, shared = np.unique(np.stack([groups, np.unique(human, return_inverse=True)[1]]), axis=1, return_inverse=True)
    cells = np.bincount(shared * count + systems, minlength=(int(shared.max()) + 1) * count).reshape(-1, count)
    return cells.T @ cells


def _agreements(human: Float64s, metrics: Mapping[str, Float64s], groups: Int64s, systems: Int64s, count: int) -> dict[str, Json]:
    """Agreements of the systems' means, and soft pairwise accuracy; none for one system."""
    if count < 2:
        return {}
    means, one_group = _means(human, systems, count), np.zeros(count, np.int64)
    p_values = pair_p_values(human, groups, systems, count)
    rows: dict[str, Json] = {}
    for name, scores in metrics.items():
        of_metric = _means(scores, systems, count)
        row = {f"system-{agreement}": AGREEMENTS[agreement].measure(means, of_metric, one_group) for agreement in OF_SYSTEMS}
        rows[name] = {**row, "system-soft-accuracy": soft_accuracy(p_values, pair_p_values(scores, groups, systems, count))}
    return rows


def _means(scores: Float64s, systems: Int64s, count: int) -> Float64s:
    return np.bincount(systems, scores, count) / np.bincount(systems, minlength=count)


def _number(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
