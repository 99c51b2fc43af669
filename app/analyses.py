"""Answers of comparing two systems and of meta-evaluation, as plain JSON values."""

from collections.abc import Mapping, Sequence
from itertools import permutations
from typing import Any, Final

import numpy as np

from app.errors import InputError
from app.metrics import Metric, check_aligned, segment_statistics
from app.metrics.analysis.buckets import frequency_buckets, length_buckets
from app.metrics.analysis.ngram_differences import NgramDifference, ngram_differences
from app.metrics.meta_evaluation.correlation import AGREEMENTS, pair_count, pairwise_accuracy
from app.metrics.meta_evaluation.differences import permutation_test, williams_test
from app.metrics.tokenisers import METRIC_TOKENISERS
from app.metrics.word_order.order_metric import ORDERINGS, order_scores
from app.permutations.given_alignments import aligned_orders, read_links
from app.permutations.permutation_kernels import LONGEST_QUADRATIC

__all__ = ["comparison_answer", "correlation_answer", "word_order_answer"]

Json = dict[str, Any]
MOST_PAIRS: Final = 10_000_000
MOST_TESTED: Final = 8
LONGEST_TESTED: Final = 20_000


def comparison_answer(
    metrics: Mapping[str, Metric],
    baseline: Sequence[str],
    system: Sequence[str],
    references: Mapping[str, Sequence[str]],
    tokenise: str,
    most: int,
) -> Json:
    """N-grams, segments and buckets in which `system` differs from `baseline`."""
    if tokenise not in METRIC_TOKENISERS:
        raise InputError("invalid-request", f"tokenisers are {', '.join(METRIC_TOKENISERS)}", ("tokenise",))
    systems = {"baseline": baseline, "system": system}
    check_aligned(systems, references)
    first = next(iter(references.values()))
    better, worse = ngram_differences(baseline, system, list(references.values()), tokenise, most=most)
    statistics = segment_statistics(metrics, systems, references)
    lengths, segments = [], []
    for (name, metric), each in zip(metrics.items(), statistics, strict=True):
        rows = length_buckets(metric, each, first, tokenise)
        lengths += [{"metric": name, **_bucket(row.__dict__)} for row in rows]
        sign = 1 if metric.higher_is_better else -1
        gain = sign * (metric.segment_scores(each["system"]) - metric.segment_scores(each["baseline"]))
        order = np.argsort(-gain, kind="stable")
        segments.append(
            {
                "metric": name,
                "wins": int((gain > 0).sum()),
                "losses": int((gain < 0).sum()),
                "ties": int((gain == 0).sum()),
                "most_improved": [{"segment": int(i), "gain": float(gain[i])} for i in order[:most] if gain[i] > 0],
                "most_worsened": [{"segment": int(i), "gain": float(gain[i])} for i in order[::-1][:most] if gain[i] < 0],
            }
        )
    return {
        "ngrams": {"better": [_ngram(row) for row in better], "worse": [_ngram(row) for row in worse]},
        "lengths": lengths,
        "frequencies": [row.__dict__ for row in frequency_buckets(systems, first, tokenise)],
        "segments": segments,
    }


def _ngram(row: NgramDifference) -> Json:
    return {**row.__dict__, "ngram": " ".join(row.ngram)}


def _bucket(row: Mapping[str, Any]) -> Json:
    interval = row["interval"]
    return {**row, "interval": [interval.low, interval.high]}


def word_order_answer(alignments: Sequence[tuple[str, int, int]], beta: float, alpha: float) -> Json:
    """Order of words by given alignments: (links, hypothesis words, reference words) of each segment."""
    rows = []
    for number, (links, words, _) in enumerate(alignments):
        if words > LONGEST_QUADRATIC:
            raise InputError("segment-too-long", f"at most {LONGEST_QUADRATIC} words a segment", ("segments", number))
        rows.append(read_links(links, words, ("segments", number, "alignment")))
    orders = aligned_orders(rows, beta)
    matched, ours, theirs = (
        np.array(values, np.int64)
        for values in ([len(order.permutation) for order in orders], [w for _, w, _ in alignments], [w for _, _, w in alignments])
    )
    scores = {
        name: order_scores(np.array([order.measures[name] for order in orders]), matched, ours, theirs, alpha, "f1")
        for name in ORDERINGS
    }
    return {
        "segments": [
            {
                "permutation": list(order.permutation),
                "measures": order.measures,
                "scores": {name: float(values[i]) for name, values in scores.items()},
            }
            for i, order in enumerate(orders)
        ],
        "unit": "0-1",
        "direction": "higher is better",
    }


def correlation_answer(
    human: Sequence[float],
    metrics: Mapping[str, Sequence[float]],
    groups: Sequence[str] | None,
    agreements: Sequence[str],
    tests: bool,
) -> Json:
    """Agreement of every metric with people, and tests of every two metrics where they are wanted."""
    unknown = [name for name in agreements if name not in AGREEMENTS]
    if unknown:
        raise InputError("invalid-request", f"agreements are {', '.join(AGREEMENTS)}", ("agreements", agreements.index(unknown[0])))
    gold = np.array(human, np.float64)
    for number, (_, scores) in enumerate(metrics.items()):
        if len(scores) != len(gold):
            raise InputError(
                "unequal-lengths", f"there are {len(gold)} human scores and {len(scores)} of this metric", ("metrics", number)
            )
    if groups is not None and len(groups) != len(gold):
        raise InputError("unequal-lengths", f"there are {len(gold)} human scores and {len(groups)} groups", ("groups",))
    numbers = {name: number for number, name in enumerate(dict.fromkeys(groups or ()))}
    places = np.array([numbers[name] for name in groups], np.int64) if groups else np.zeros(len(gold), np.int64)
    if set(agreements) - {"pearson", "spearman"} and pair_count(places) > MOST_PAIRS:
        raise InputError("too-many-segments", f"there are more than {MOST_PAIRS} pairs; give smaller groups", ("groups",))
    if tests and (len(metrics) > MOST_TESTED or len(gold) > LONGEST_TESTED):
        limit = f"tests take at most {MOST_TESTED} metrics and {LONGEST_TESTED} translations"
        raise InputError("too-many-segments", limit, ("tests",))
    values = {name: np.array(scores, np.float64) for name, scores in metrics.items()}
    rows: list[Json] = []
    for name, array in values.items():
        row: Json = {"metric": name, "translations": len(gold)}
        row |= {each: AGREEMENTS[each].measure(gold, array, places) for each in agreements}
        if "accuracy-calibrated" in agreements:
            row["epsilon"] = pairwise_accuracy(gold, array, places).epsilon
        rows.append(row)
    answer: Json = {"metrics": rows}
    if tests:
        answer["tests"] = [
            {
                "metric": one,
                "other": other,
                "williams_p_value": williams_test(gold, values[one], values[other]),
                "permutation_p_value": permutation_test(AGREEMENTS["pearson"], gold, values[one], values[other], places),
                "meaning": "williams: one-sided, the first has the higher Pearson correlation; permutation: two-sided",
            }
            for one, other in permutations(values, 2)
        ]
    return answer
