"""Report on n-best lists: scores of oracles, their ranks and reliability, and features that separate them."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Final, NotRequired

import numpy as np
from typing_extensions import TypedDict

from app.arrays import Float64s, Int64s
from app.metrics import Metric
from app.smt.lists.diagnosis.feature_comparison import compare_features
from app.smt.lists.diagnosis.oracles import (
    attains,
    best_of_first,
    corpus_oracles,
    mixed_oracles,
    oracles,
    reachable,
    ties,
    top_share,
    worst,
)
from app.smt.tuning.oracle_filters import Filters, measure_lists, usual_threshold
from app.smt.tuning.pool import matrix_of, names_of
from app.smt.tuning.significance import chosen_scores
from app.text.n_best import NBestLists

__all__ = ["ChoiceScores", "Diagnosis", "FilterSummary", "Questions", "SegmentDiagnosis", "diagnose", "rank_counts"]

# Most feature components in an answer: those with the largest differences.
COMPARISON_LIMIT: Final = 100
# Ranges of ranks, first and last, from 1; None means the end of the list.
RANK_RANGES: Final[Mapping[str, tuple[int, int | None]]] = {"1": (1, 1), "2-5": (2, 5), "6-10": (6, 10), "11-": (11, None)}


class ChoiceScores(TypedDict):
    """A choice of one hypothesis per segment: its corpus score by every metric, with 95 % intervals by resampled segments."""

    choice: str
    scores: dict[str, float]
    intervals: dict[str, list[float]]


class FilterSummary(TypedDict):
    """Thresholds of both filters, and the shares of segments above the first, the second, and both."""

    difference: float
    diversity: float
    above_difference: float
    above_diversity: float
    trusted: float


class SegmentDiagnosis(TypedDict):
    """A segment (from 0): the oracle's rank (from 1), its ties, scores by the oracle metric, and both texts."""

    segment: int
    hypotheses: int
    rank: int
    ties: int
    first_score: float
    oracle_score: float
    difference: float
    diversity: float
    reachable: bool
    first: str
    oracle: str


class Diagnosis(TypedDict):
    """Report on lists; ranks count from 1, in list order.

    `on_top` is the share of segments with a first hypothesis as good as the oracle (OBLEU for sBLEU); `model_error` is 1 minus it.
    `reachable` counts segments with a hypothesis that equals a reference word for word. `features` are the components that separate
    oracles best from first hypotheses; `features_left_out` counts the rest. `cautions` are those of metrics.
    """

    segments: int
    without_hypotheses: int
    hypotheses: int
    longest: int
    oracle_metric: str
    choices: list[ChoiceScores]
    on_top: float
    model_error: float
    ranks: dict[str, int]
    mean_rank: float
    ties: float
    reachable: int
    filters: FilterSummary
    features: list[dict[str, float | str | int]]
    features_left_out: int
    rows: list[SegmentDiagnosis]
    cautions: NotRequired[list[str]]


@dataclass(frozen=True)
class Questions:
    """Choices to measure besides oracles: shorter lists (`sizes`), the best of the first `shown`, mixed oracles, best shares.

    `difference` and `diversity` are thresholds, by default the usual ones. `corpus` adds the oracle of the first corpus metric.
    """

    sizes: Sequence[int] = ()
    shown: int = 5
    mix: float = 0.5
    share: float = 0.1
    corpus: bool = True
    difference: float | None = None
    diversity: float | None = None


def diagnose(
    lists: NBestLists,
    references: Sequence[Sequence[str]],
    metrics: Mapping[str, Metric],
    oracle_metric: Metric,
    questions: Questions = Questions(),
    sources: Sequence[str] | None = None,
) -> Diagnosis:
    """Measure every hypothesis once and report on the lists; segments without hypotheses are only counted.

    `sources` (n,) serve metrics that read them.
    """
    present = np.flatnonzero(lists.lengths)
    present_lists = lists if len(present) == len(lists) else lists.rows(present)
    present_references = [[reference[segment] for segment in present.tolist()] for reference in references]
    offsets = present_lists.offsets
    present_sources = None if sources is None else [sources[segment] for segment in present.tolist()]

    def measured(metric: Metric) -> Float64s:
        prepared_metric = metric.with_sources(present_sources).prepare(present_references)
        return prepared_metric.statistics(present_lists.texts, present_lists.segments)

    statistics = {name: measured(metric) for name, metric in metrics.items()}
    measures = {id(metric): statistics[name] for name, metric in metrics.items()}
    oracle_statistics = measures[id(oracle_metric)] if id(oracle_metric) in measures else measured(oracle_metric)
    sign = 1.0 if oracle_metric.higher_is_better else -1.0
    scores = oracle_metric.segment_scores(oracle_statistics)
    gains = sign * scores
    best, first = oracles(gains, offsets), offsets[:-1]
    names = names_of(present_lists)
    comparison = compare_features(names, matrix_of(present_lists), best, first, COMPARISON_LIMIT)
    list_filters = measure_lists(gains, offsets)
    ranks = np.asarray(best - first + 1)
    word_for_word = reachable(present_lists, present_references)
    on_top = float(attains(gains, offsets, first).mean())
    diagnosis: Diagnosis = {
        "segments": len(lists),
        "without_hypotheses": len(lists) - len(present),
        "hypotheses": len(present_lists.scores),
        "longest": int(present_lists.lengths.max()),
        "oracle_metric": oracle_metric.signature(len(references)),
        "choices": _choices(present_lists, metrics, statistics, gains, questions),
        "on_top": on_top,
        "model_error": 1.0 - on_top,
        "ranks": rank_counts(ranks),
        "mean_rank": float(ranks.mean()),
        "ties": float(ties(gains, offsets).mean()),
        "reachable": int((word_for_word >= 0).sum()),
        "filters": _filters(list_filters, questions),
        "features": [asdict(share) for share in comparison],
        "features_left_out": len(names) - len(comparison),
        "rows": _rows(present_lists, present, scores, best, ranks, ties(gains, offsets), list_filters, word_for_word >= 0),
    }
    of_metrics = [*((metrics[name], rows) for name, rows in statistics.items()), (oracle_metric, oracle_statistics)]
    cautions = dict.fromkeys(caution for metric, rows in of_metrics for caution in metric.cautions(rows))
    return {**diagnosis, "cautions": list(cautions)} if cautions else diagnosis


def rank_counts(ranks: Int64s) -> dict[str, int]:
    """Count segments by the rank of their oracle, from 1: 1, 2 to 5, 6 to 10, 11 and above."""
    return {name: int(((ranks >= low) & (ranks <= (high or np.inf))).sum()) for name, (low, high) in RANK_RANGES.items()}


def _choices(
    lists: NBestLists, metrics: Mapping[str, Metric], statistics: Mapping[str, Float64s], gains: Float64s, questions: Questions
) -> list[ChoiceScores]:
    offsets = lists.offsets
    best = oracles(gains, offsets)
    choices: dict[str, Int64s] = {"first": offsets[:-1], "oracle": best, "worst": worst(gains, offsets)}
    if lists.scores.any():
        choices[f"mixed {questions.mix:g}"] = mixed_oracles(gains, lists.scores, offsets, questions.mix)
    choices[f"best of first {questions.shown}"] = best_of_first(gains, offsets, questions.shown)
    for size in questions.sizes:
        choices[f"oracle of {size}"] = best_of_first(gains, offsets, size)
    places, ends = top_share(gains, offsets, questions.share)
    # The last of the best share: a lower bound for a list cut to it.
    choices[f"last of best {questions.share:g}"] = places[ends[1:] - 1]
    if questions.corpus:
        name, metric = next(iter(metrics.items()))
        choices[f"corpus oracle ({name})"] = corpus_oracles(metric, statistics[name], offsets, best)
    return [_scores(choice, hypotheses, metrics, statistics) for choice, hypotheses in choices.items()]


def _scores(choice: str, hypotheses: Int64s, metrics: Mapping[str, Metric], statistics: Mapping[str, Float64s]) -> ChoiceScores:
    score_intervals = {name: chosen_scores(metric, statistics[name][hypotheses]) for name, metric in metrics.items()}
    return {
        "choice": choice,
        "scores": {name: score for name, (score, _) in score_intervals.items()},
        "intervals": {name: [interval.low, interval.high] for name, (_, interval) in score_intervals.items()},
    }


def _filters(list_filters: Filters, questions: Questions) -> FilterSummary:
    difference = usual_threshold(list_filters.difference) if questions.difference is None else questions.difference
    diversity = usual_threshold(list_filters.diversity) if questions.diversity is None else questions.diversity
    return {
        "difference": difference,
        "diversity": diversity,
        "above_difference": float((list_filters.difference > difference).mean()),
        "above_diversity": float((list_filters.diversity > diversity).mean()),
        "trusted": float(list_filters.trusted(difference, diversity).mean()),
    }


def _rows(
    lists: NBestLists,
    segments: Int64s,
    scores: Float64s,
    best: Int64s,
    ranks: Int64s,
    tie_counts: Int64s,
    list_filters: Filters,
    reachable_mask: np.ndarray,
) -> list[SegmentDiagnosis]:
    return [
        {
            "segment": int(segments[i]),
            "hypotheses": int(lists.lengths[i]),
            "rank": int(ranks[i]),
            "ties": int(tie_counts[i]),
            "first_score": float(scores[lists.offsets[i]]),
            "oracle_score": float(scores[best[i]]),
            "difference": float(list_filters.difference[i]),
            "diversity": float(list_filters.diversity[i]),
            "reachable": bool(reachable_mask[i]),
            "first": lists.texts[int(lists.offsets[i])],
            "oracle": lists.texts[int(best[i])],
        }
        for i in range(len(lists))
    ]
