"""Scores by reference length, and accuracy of words by their frequency (compare-mt)."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from app.arrays import Float64s
from app.metrics.analysis.ngram_differences import metric_tokens
from app.metrics.definition import Metric, Segments
from app.metrics.significance.resampling import Interval, bootstrap_scores, confidence_interval, resample_weights

__all__ = ["FrequencyBucket", "LengthBucket", "frequency_buckets", "length_buckets"]

# Lowest word count of each bucket of reference lengths.
LENGTHS: Final = (0, 10, 20, 30, 40, 50, 60)
FREQUENCIES: Final = (1, 2, 3, 5, 10, 100, 1000)
SAMPLES: Final = 200


@dataclass(frozen=True)
class LengthBucket:
    """Score of a system on the segments whose first reference has `low` to `high` words; None is no upper bound."""

    system: str
    low: int
    high: int | None
    segments: int
    score: float
    interval: Interval


@dataclass(frozen=True)
class FrequencyBucket:
    """Accuracy of a system on the words that occur `low` to `high` times in the first reference; `words` counts occurrences."""

    system: str
    low: int
    high: int | None
    words: int
    recall: float
    precision: float
    f1: float


def length_buckets(
    metric: Metric, statistics: Mapping[str, Float64s], reference: Segments, tokenise: str = "13a", seed: int = 12345
) -> list[LengthBucket]:
    """Corpus scores by reference length, from the statistics (n, s) of each system; empty buckets are left out."""
    lengths = np.array([len(tokens) for tokens in metric_tokens(reference, tokenise)])
    bucket_of = np.searchsorted(LENGTHS, lengths, side="right") - 1
    buckets = []
    for k, low in enumerate(LENGTHS):
        rows = np.flatnonzero(bucket_of == k)
        if not len(rows):
            continue
        weights = resample_weights(len(rows), SAMPLES, seed)
        bucket_statistics = {name: matrix[rows] for name, matrix in statistics.items()}
        resamples = bootstrap_scores(metric, bucket_statistics, weights)
        for name, matrix in bucket_statistics.items():
            score = float(metric.score(matrix.sum(0, keepdims=True))[0])
            buckets.append(LengthBucket(name, low, _below(LENGTHS, k), len(rows), score, confidence_interval(resamples[name])))
    return buckets


def frequency_buckets(systems: Mapping[str, Segments], reference: Segments, tokenise: str = "13a") -> list[FrequencyBucket]:
    """Precision, recall and F1 of words by their frequency in the first reference."""
    references = metric_tokens(reference, tokenise)
    frequency = Counter(token for words in references for token in words)
    bucket_of = {word: int(np.searchsorted(FREQUENCIES, count, side="right")) - 1 for word, count in frequency.items()}
    reference_counts = np.zeros(len(FREQUENCIES), np.int64)
    for word, count in frequency.items():
        reference_counts[bucket_of[word]] += count
    buckets = []
    for name, segments in systems.items():
        matches, hypothesis_counts = np.zeros_like(reference_counts), np.zeros_like(reference_counts)
        for hypothesis, reference_words in zip(metric_tokens(segments, tokenise), references, strict=True):
            hypothesis_bag, reference_bag = Counter(hypothesis), Counter(reference_words)
            for word, count in hypothesis_bag.items():
                if word in bucket_of:
                    hypothesis_counts[bucket_of[word]] += count
                    matches[bucket_of[word]] += min(count, reference_bag.get(word, 0))
        for k, low in enumerate(FREQUENCIES):
            if reference_counts[k]:
                recall, precision = matches[k] / reference_counts[k], matches[k] / max(hypothesis_counts[k], 1)
                f1 = 2 * recall * precision / (recall + precision) if recall + precision else 0.0
                buckets.append(
                    FrequencyBucket(
                        name, low, _below(FREQUENCIES, k), int(reference_counts[k]), float(recall), float(precision), float(f1)
                    )
                )
    return buckets


def _below(bounds: Sequence[int], k: int) -> int | None:
    return bounds[k + 1] - 1 if k + 1 < len(bounds) else None
