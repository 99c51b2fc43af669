"""Scoring named systems against named references."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from app.arrays import Float64s
from app.errors import InputError
from app.metrics.definition import Metric, Segments
from app.metrics.significance.letters import pairs_of, significance_letters
from app.metrics.significance.paired_tests import PairedTest, holm, paired_bootstrap, paired_randomisation, randomisation_draws
from app.metrics.significance.resampling import Interval, bootstrap_scores, confidence_interval, resample_weights
from app.metrics.significance.runs import RunSummary, summarise_runs
from app.running.deadline import check_deadline

__all__ = [
    "EMPTY_POLICIES",
    "TESTS",
    "Significance",
    "SystemScore",
    "check_aligned",
    "drop_empty",
    "run_summaries",
    "score_systems",
    "scores_of_statistics",
    "segment_statistics",
]

TESTS: Final = ("bootstrap", "randomisation")
EMPTY_POLICIES: Final = ("score", "skip", "error")
TRIALS: Final = 10000


SIGNIFICANT = 0.05


@dataclass(frozen=True)
class Significance:
    """How to test, and the system that others are compared with (the first one unless named).

    `samples` are the bootstrap's resamples (for intervals, and for the test where it is the bootstrap), `trials`
    those of approximate randomisation. `runs` names the systems that are runs of one; `letters` asks for tests of every
    two systems, corrected for their number.
    """

    samples: int = 1000
    seed: int = 12345
    baseline: str | None = None
    test: str = "bootstrap"
    trials: int = TRIALS
    runs: Mapping[str, Sequence[str]] | None = None
    letters: bool = False


@dataclass(frozen=True)
class SystemScore:
    """One system's score by one metric; `interval` and `against_baseline` where significance was asked for.

    Two systems that share one of their `letters` were not shown to differ.
    """

    system: str
    metric: str
    score: float
    unit: str
    direction: str
    range: tuple[float | None, float | None]
    signature: str
    segments: tuple[float, ...] | None
    interval: Interval | None
    against_baseline: PairedTest | None
    letters: str | None = None


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
                    f"this list has {len(segments)} segments but the first reference has {size}"
                    + ("; is it transposed?" if kind == "references" else ""),
                    (kind, list(lists).index(name)),
                )
    if size == 0:
        raise InputError("empty-input", "there are no segments to score", ("references",))
    return size


def drop_empty(
    systems: Mapping[str, Segments], references: Mapping[str, Segments], policy: str
) -> tuple[Mapping[str, Segments], Mapping[str, Segments], int]:
    """Systems and references by the policy for empty segments, and how many segments are empty somewhere.

    ``score`` keeps them, ``skip`` drops them from every list, ``error`` raises InputError for the first one.
    """
    check_aligned(systems, references)
    lists = [("systems", systems), ("references", references)]
    empty = sorted({place for _, side in lists for texts in side.values() for place, text in enumerate(texts) if not text.strip()})
    if not empty or policy == "score":
        return systems, references, len(empty)
    if policy == "error":
        kind, number = next((k, n) for k, side in lists for n, texts in enumerate(side.values()) if not texts[empty[0]].strip())
        raise InputError("empty-input", "this segment is empty, and empty segments are refused", (kind, number, empty[0]))
    gone = set(empty)
    kept = [
        {name: [text for place, text in enumerate(texts) if place not in gone] for name, texts in side.items()} for _, side in lists
    ]
    check_aligned(kept[0], kept[1])
    return kept[0], kept[1], len(empty)


def segment_statistics(
    metrics: Mapping[str, Metric], systems: Mapping[str, Segments], references: Mapping[str, Segments]
) -> list[dict[str, Float64s]]:
    """Per metric, the statistics (n, s) of every system; metrics say themselves where they need references and there are none."""
    if references:
        check_aligned(systems, references)
    rows: list[dict[str, Float64s]] = []
    for metric in metrics.values():
        check_deadline()
        prepared = metric.prepare(list(references.values()))
        rows.append(dict(zip(systems, prepared.statistics_of_systems(list(systems.values())), strict=True)))
    return rows


def scores_of_statistics(
    metrics: Mapping[str, Metric],
    statistics: Sequence[Mapping[str, Float64s]],
    references: int,
    segments: bool = False,
    significance: Significance | None = None,
) -> list[SystemScore]:
    """Scores from what `segment_statistics` gave, metrics in the order given, systems within them."""
    systems = list(statistics[0]) if statistics else []
    draws = _Draws(significance, len(statistics[0][systems[0]]), systems) if significance and systems else None
    rows: list[SystemScore] = []
    for (text, metric), of_systems in zip(metrics.items(), statistics, strict=True):
        scores = {name: float(metric.score(matrix.sum(0, keepdims=True))[0]) for name, matrix in of_systems.items()}
        of_segments = {name: metric.segment_scores(matrix) for name, matrix in of_systems.items()} if segments or draws else {}
        intervals, tests, letters = draws.compare(metric, of_systems, scores, of_segments) if draws else ({}, {}, {})
        rows += [
            SystemScore(
                name,
                text,
                scores[name],
                metric.unit,
                metric.direction,
                metric.range,
                metric.signature(references, draws.signature if draws else ""),
                tuple(map(float, of_segments[name])) if segments else None,
                intervals.get(name),
                tests.get(name),
                letters.get(name),
            )
            for name in systems
        ]
    return rows


class _Draws:
    """The random draws of one significance, made once for all metrics and systems; `signature` has sacreBLEU's keys."""

    def __init__(self, significance: Significance, segments: int, systems: list[str]) -> None:
        runs = significance.runs or {}
        # Of a system of several runs, the first.
        chosen = next(iter(runs.get(significance.baseline or "", ())), significance.baseline)
        if chosen is not None and chosen not in systems:
            raise InputError("invalid-request", "the baseline must be the name of one of the systems", ("significance", "baseline"))
        self._significance = significance
        self._baseline = chosen or systems[0]
        self._weights = resample_weights(segments, significance.samples, significance.seed)
        tested = significance.test == "randomisation" and len(systems) > 1
        drawn = f"ar:{significance.trials}" if tested else f"bs:{significance.samples}"
        self.signature = f"{drawn}|seed:{significance.seed}"
        self._swaps = None
        if tested:
            self._swaps = randomisation_draws(significance.trials, segments, significance.seed)

    def compare(
        self,
        metric: Metric,
        statistics: Mapping[str, Float64s],
        scores: Mapping[str, float],
        of_segments: Mapping[str, Float64s],
    ) -> tuple[dict[str, Interval], dict[str, PairedTest], dict[str, str]]:
        """Intervals of all systems, tests of all but the baseline, and letters where they are wanted."""
        resampled = bootstrap_scores(metric, statistics, self._weights)
        base = self._baseline

        def p_value_of(one: str, other: str) -> float:
            if self._swaps is not None:
                return paired_randomisation(metric, [statistics[one]], [statistics[other]], self._swaps)
            return paired_bootstrap(scores[other] - scores[one], resampled[other] - resampled[one], len(statistics[other]))

        others = [name for name in statistics if name != base]
        p_values = [p_value_of(base, name) for name in others]
        tests = {}
        for name, p_value, corrected in zip(others, p_values, holm(p_values), strict=True):
            better = of_segments[name] - of_segments[base]
            wins, losses = int((better > 0).sum()), int((better < 0).sum())
            if not metric.higher_is_better:
                wins, losses = losses, wins
            ties = len(better) - wins - losses
            tests[name] = PairedTest(scores[name] - scores[base], p_value, corrected, wins, losses, ties)
        letters = {}
        if self._significance.letters:
            ranked = sorted(statistics, key=lambda name: scores[name], reverse=metric.higher_is_better)
            pairs = pairs_of(ranked)
            corrected_pairs = holm([p_value_of(one, other) for one, other in pairs])
            differ = {pair: p <= SIGNIFICANT for pair, p in zip(pairs, corrected_pairs, strict=True)}
            letters = significance_letters(ranked, differ)
        return {name: confidence_interval(replicates) for name, replicates in resampled.items()}, tests, letters


def run_summaries(
    metrics: Mapping[str, Metric], statistics: Sequence[Mapping[str, Float64s]], significance: Significance
) -> list[RunSummary]:
    """Systems over their runs, metric by metric; nothing where no runs are named.

    A system that is none of these runs is one with a single run. The baseline is the system called so, or the one whose run is.
    """
    runs = dict(significance.runs or {})
    if not runs:
        return []
    systems = statistics[0]
    named = [run for names in runs.values() for run in names]
    if any(run not in systems for run in named) or len(set(named)) < len(named) or not all(runs.values()):
        raise InputError("invalid-request", "runs are names of the systems, each under one system", ("significance", "runs"))
    first = next(iter(runs))
    runs |= {name: [name] for name in systems if name not in named and name not in runs}
    owner = {run: system for system, names in runs.items() for run in names}
    chosen = significance.baseline or first
    baseline = chosen if chosen in runs else owner.get(chosen, first)
    size = len(next(iter(systems.values())))
    weights = resample_weights(size, significance.samples, significance.seed)
    draws = randomisation_draws(significance.trials, size, significance.seed)
    return [
        summary
        for (name, metric), of_systems in zip(metrics.items(), statistics, strict=True)
        for summary in summarise_runs(name, metric, of_systems, runs, baseline, weights, draws)
    ]


def score_systems(
    metrics: Mapping[str, Metric],
    systems: Mapping[str, Segments],
    references: Mapping[str, Segments],
    segments: bool = False,
    significance: Significance | None = None,
) -> list[SystemScore]:
    """Every metric of every system against all references."""
    statistics = segment_statistics(metrics, systems, references)
    return scores_of_statistics(metrics, statistics, len(references), segments, significance)
