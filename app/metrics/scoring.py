"""Scoring named systems against named references."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.metrics.definition import Segments
from app.metrics.registry import metric_named
from app.metrics.resampling import (
    Interval,
    PairedTest,
    bootstrap_scores,
    confidence_interval,
    paired_bootstrap,
    resample_weights,
)
from app.text.arrays import Float64s
from app.text.errors import InputError

__all__ = [
    "Significance",
    "SystemScore",
    "check_aligned",
    "score_systems",
    "scores_of_statistics",
    "segment_statistics",
]


@dataclass(frozen=True)
class Significance:
    """How to resample, and the system that others are compared with (the first one unless named)."""

    samples: int = 1000
    seed: int = 12345
    baseline: str | None = None


@dataclass(frozen=True)
class SystemScore:
    """One system's score by one metric; `interval` and `against_baseline` where significance was asked for."""

    system: str
    metric: str
    score: float
    unit: str
    direction: str
    signature: str
    segments: tuple[float, ...] | None
    interval: Interval | None
    against_baseline: PairedTest | None


def check_aligned(systems: Mapping[str, Segments], references: Mapping[str, Segments]) -> int:
    """The number of segments, the same in every list; InputError names the list that differs."""
    if not systems or not references:
        raise InputError("empty-input", "at least one system and one reference are needed")
    first = next(iter(references))
    size = len(references[first])
    for kind, lists in (("references", references), ("systems", systems)):
        for name, segments in lists.items():
            if len(segments) != size:
                raise InputError(
                    "unequal-lengths",
                    f"this list has {len(segments)} segments but the first reference has {size}",
                    (kind, list(lists).index(name)),
                )
    if size == 0:
        raise InputError("empty-input", "there are no segments to score", ("references",))
    return size


def segment_statistics(
    metrics: Sequence[str], systems: Mapping[str, Segments], references: Mapping[str, Segments]
) -> list[dict[str, Float64s]]:
    """Per metric, the statistics (n, s) of every system. Rows do not depend on one another."""
    check_aligned(systems, references)
    rows: list[dict[str, Float64s]] = []
    for text in metrics:
        prepared = metric_named(text).prepare(list(references.values()))
        rows.append(dict(zip(systems, prepared.statistics_of_systems(list(systems.values())), strict=True)))
    return rows


def scores_of_statistics(
    metrics: Sequence[str],
    statistics: Sequence[Mapping[str, Float64s]],
    references: int,
    segments: bool = False,
    significance: Significance | None = None,
) -> list[SystemScore]:
    """Scores from what `segment_statistics` gave, metrics in the order given, systems within them."""
    systems = list(statistics[0]) if statistics else []
    if significance and significance.baseline is not None and significance.baseline not in systems:
        raise InputError("invalid-request", "the baseline must be the name of one of the systems", ("significance", "baseline"))
    weights = None
    if significance and systems:
        weights = resample_weights(len(statistics[0][systems[0]]), significance.samples, significance.seed)
    rows: list[SystemScore] = []
    for text, per_system in zip(metrics, statistics, strict=True):
        metric = metric_named(text)
        scores = {name: float(metric.score(rows_.sum(0, keepdims=True))[0]) for name, rows_ in per_system.items()}
        resampled: dict[str, Float64s] = {}
        if weights is not None:
            resampled = {name: bootstrap_scores(metric, rows_, weights) for name, rows_ in per_system.items()}
        baseline = (significance.baseline or systems[0]) if significance else None
        for name in systems:
            test = None
            if baseline is not None and name != baseline:
                test = paired_bootstrap(scores[name] - scores[baseline], resampled[name] - resampled[baseline])
            rows.append(
                SystemScore(
                    name,
                    text,
                    scores[name],
                    metric.unit,
                    "higher is better" if metric.higher_is_better else "lower is better",
                    metric.signature(references),
                    tuple(float(v) for v in metric.segment_scores(per_system[name])) if segments else None,
                    confidence_interval(resampled[name]) if resampled else None,
                    test,
                )
            )
    return rows


def score_systems(
    metrics: Sequence[str],
    systems: Mapping[str, Segments],
    references: Mapping[str, Segments],
    segments: bool = False,
    significance: Significance | None = None,
) -> list[SystemScore]:
    """Every metric of every system against all references."""
    statistics = segment_statistics(metrics, systems, references)
    return scores_of_statistics(metrics, statistics, len(references), segments, significance)
