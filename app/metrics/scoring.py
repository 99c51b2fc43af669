"""Scores of named systems against named references, with intervals and tests of significance."""

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
from app.metrics.tokens.texts import SystemTexts
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


@dataclass(frozen=True)
class Significance:
    """Settings of intervals and tests; `baseline` is the system to compare with, the first by default.

    `samples` is the number of bootstrap resamples, `trials` that of approximate randomisation. `runs` maps a system to the systems
    that are its runs. With `letters`, every pair of systems is tested, with a correction for the number of pairs. A corrected
    p-value below `alpha` is significant.
    """

    samples: int = 1000
    seed: int = 12345
    baseline: str | None = None
    test: str = "bootstrap"
    trials: int = TRIALS
    runs: Mapping[str, Sequence[str]] | None = None
    letters: bool = False
    alpha: float = 0.05


@dataclass(frozen=True)
class SystemScore:
    """Score of a system by a metric; `interval` and `against_baseline` are None without `Significance`.

    Systems that share one of their `letters` do not differ significantly.
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
    """Number of segments, equal in all lists; InputError names the first list of another length."""
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
    """Systems and references after the policy for empty segments, and the number of segments that are empty in a list.

    ``score`` keeps these segments, ``skip`` drops them from every list, ``error`` raises InputError for the first.
    """
    check_aligned(systems, references)
    lists = [("systems", systems), ("references", references)]
    empty = sorted(
        {number for _, side in lists for texts in side.values() for number, text in enumerate(texts) if not text.strip()}
    )
    if not empty or policy == "score":
        return systems, references, len(empty)
    if policy == "error":
        kind, place = next((k, n) for k, side in lists for n, texts in enumerate(side.values()) if not texts[empty[0]].strip())
        raise InputError("empty-input", "this segment is empty, and empty segments are refused", (kind, place, empty[0]))
    numbers = set(empty)
    rest = [
        {name: [text for number, text in enumerate(texts) if number not in numbers] for name, texts in side.items()}
        for _, side in lists
    ]
    check_aligned(rest[0], rest[1])
    return rest[0], rest[1], len(empty)


def segment_statistics(
    metrics: Mapping[str, Metric], systems: Mapping[str, Segments], references: Mapping[str, Segments]
) -> list[dict[str, Float64s]]:
    """Statistics (n, s) of every system, a dictionary per metric.

    A metric that needs references raises InputError if there are none.
    """
    if references:
        check_aligned(systems, references)
    rows: list[dict[str, Float64s]] = []
    # All metrics share the tokens of both sides.
    system_texts, reference_texts = SystemTexts(systems.values()), SystemTexts(references.values())
    for metric in metrics.values():
        check_deadline()
        prepared_metric = metric.prepare(list(reference_texts))
        rows.append(dict(zip(systems, prepared_metric.statistics_of_systems(system_texts), strict=True)))
    return rows


def scores_of_statistics(
    metrics: Mapping[str, Metric],
    statistics: Sequence[Mapping[str, Float64s]],
    references: int,
    segments: bool = False,
    significance: Significance | None = None,
) -> list[SystemScore]:
    """Scores from the result of `segment_statistics`, in the order of metrics, then of systems."""
    systems = list(statistics[0]) if statistics else []
    draws = _Draws(significance, len(statistics[0][systems[0]]), systems) if significance and systems else None
    rows: list[SystemScore] = []
    for (metric_name, metric), matrices in zip(metrics.items(), statistics, strict=True):
        scores = {name: float(metric.score(matrix.sum(0, keepdims=True))[0]) for name, matrix in matrices.items()}
        segment_scores = {name: metric.segment_scores(matrix) for name, matrix in matrices.items()} if segments or draws else {}
        intervals, tests, letters = draws.compare(metric, matrices, scores, segment_scores) if draws else ({}, {}, {})
        rows += [
            SystemScore(
                name,
                metric_name,
                scores[name],
                metric.unit,
                metric.direction,
                metric.range,
                metric.signature(references, draws.signature if draws else ""),
                tuple(map(float, segment_scores[name])) if segments else None,
                intervals.get(name),
                tests.get(name),
                letters.get(name),
            )
            for name in systems
        ]
    return rows


class _Draws:
    """Random draws of one `Significance`, shared by all metrics and systems; `signature` has sacreBLEU's keys."""

    def __init__(self, significance: Significance, segments: int, systems: list[str]) -> None:
        runs = significance.runs or {}
        # A baseline of several runs is represented by its first run.
        baseline = next(iter(runs.get(significance.baseline or "", ())), significance.baseline)
        if baseline is not None and baseline not in systems:
            raise InputError("invalid-request", "the baseline must be the name of one of the systems", ("significance", "baseline"))
        self._significance = significance
        self._baseline = baseline or systems[0]
        self._weights = resample_weights(segments, significance.samples, significance.seed)
        randomises = significance.test == "randomisation" and len(systems) > 1
        draws = f"ar:{significance.trials}" if randomises else f"bs:{significance.samples}"
        self.signature = f"{draws}|seed:{significance.seed}"
        self._swaps = None
        if randomises:
            self._swaps = randomisation_draws(significance.trials, segments, significance.seed)

    def compare(
        self,
        metric: Metric,
        statistics: Mapping[str, Float64s],
        scores: Mapping[str, float],
        segment_scores: Mapping[str, Float64s],
    ) -> tuple[dict[str, Interval], dict[str, PairedTest], dict[str, str]]:
        """Intervals of all systems, tests of all but the baseline, and letters if the settings ask for them."""
        resamples = bootstrap_scores(metric, statistics, self._weights)
        baseline = self._baseline

        def p_value_of(first: str, second: str) -> float:
            if self._swaps is not None:
                return paired_randomisation(metric, [statistics[first]], [statistics[second]], self._swaps)
            return paired_bootstrap(scores[second] - scores[first], resamples[second] - resamples[first], len(statistics[second]))

        rivals = [name for name in statistics if name != baseline]
        p_values = [p_value_of(baseline, name) for name in rivals]
        tests = {}
        for name, p_value, corrected_p_value in zip(rivals, p_values, holm(p_values), strict=True):
            better = segment_scores[name] - segment_scores[baseline]
            wins, losses = int((better > 0).sum()), int((better < 0).sum())
            if not metric.higher_is_better:
                wins, losses = losses, wins
            ties = len(better) - wins - losses
            tests[name] = PairedTest(scores[name] - scores[baseline], p_value, corrected_p_value, wins, losses, ties)
        letters = {}
        if self._significance.letters:
            systems = sorted(statistics, key=lambda name: scores[name], reverse=metric.higher_is_better)
            pairs = pairs_of(systems)
            corrected_pairs = holm([p_value_of(first, second) for first, second in pairs])
            differ = {pair: p < self._significance.alpha for pair, p in zip(pairs, corrected_pairs, strict=True)}
            letters = significance_letters(systems, differ)
        return {name: confidence_interval(replicates) for name, replicates in resamples.items()}, tests, letters


def run_summaries(
    metrics: Mapping[str, Metric], statistics: Sequence[Mapping[str, Float64s]], significance: Significance
) -> list[RunSummary]:
    """Summaries of systems over their runs, metric by metric; empty without `significance.runs`.

    A system outside `significance.runs` counts as a system with a single run. The baseline is a system or one of its runs.
    """
    runs = dict(significance.runs or {})
    if not runs:
        return []
    systems = statistics[0]
    run_names = [run for names in runs.values() for run in names]
    if any(run not in systems for run in run_names) or len(set(run_names)) < len(run_names) or not all(runs.values()):
        raise InputError("invalid-request", "runs are names of the systems, each under one system", ("significance", "runs"))
    first = next(iter(runs))
    runs |= {name: [name] for name in systems if name not in run_names and name not in runs}
    owner = {run: system for system, names in runs.items() for run in names}
    baseline_name = significance.baseline or first
    baseline = baseline_name if baseline_name in runs else owner.get(baseline_name, first)
    size = len(next(iter(systems.values())))
    weights = resample_weights(size, significance.samples, significance.seed)
    draws = randomisation_draws(significance.trials, size, significance.seed)
    return [
        summary
        for (name, metric), matrices in zip(metrics.items(), statistics, strict=True)
        for summary in summarise_runs(name, metric, matrices, runs, baseline, weights, draws)
    ]


def score_systems(
    metrics: Mapping[str, Metric],
    systems: Mapping[str, Segments],
    references: Mapping[str, Segments],
    segments: bool = False,
    significance: Significance | None = None,
) -> list[SystemScore]:
    """Scores of all systems by all metrics, against all references."""
    statistics = segment_statistics(metrics, systems, references)
    return scores_of_statistics(metrics, statistics, len(references), segments, significance)
