"""Quality by the length of the reference, and words right by their frequency, with how sure each is (compare-mt)."""

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
    """One system on the segments whose first reference has `low` to `high` words (no upper bound: None)."""

    system: str
    low: int
    high: int | None
    segments: int
    score: float
    interval: Interval


@dataclass(frozen=True)
class FrequencyBucket:
    """Words that the first reference has `low` to `high` times in all: how many there are, found and produced."""

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
    """Corpus scores by reference length, from statistics that are there already; buckets without segments are left out."""
    lengths = np.array([len(tokens) for tokens in metric_tokens(reference, tokenise)])
    place = np.searchsorted(LENGTHS, lengths, side="right") - 1
    out = []
    for k, low in enumerate(LENGTHS):
        rows = np.flatnonzero(place == k)
        if not len(rows):
            continue
        weights = resample_weights(len(rows), SAMPLES, seed)
        chosen = {name: matrix[rows] for name, matrix in statistics.items()}
        resampled = bootstrap_scores(metric, chosen, weights)
        for name, matrix in chosen.items():
            score = float(metric.score(matrix.sum(0, keepdims=True))[0])
            out.append(LengthBucket(name, low, _below(LENGTHS, k), len(rows), score, confidence_interval(resampled[name])))
    return out


def frequency_buckets(systems: Mapping[str, Segments], reference: Segments, tokenise: str = "13a") -> list[FrequencyBucket]:
    """Precision, recall and F1 of words by how often the first reference has them in all."""
    tokens = metric_tokens(reference, tokenise)
    frequency = Counter(token for row in tokens for token in row)
    bucket_of = {word: int(np.searchsorted(FREQUENCIES, count, side="right")) - 1 for word, count in frequency.items()}
    wanted = np.zeros(len(FREQUENCIES), np.int64)
    for word, count in frequency.items():
        wanted[bucket_of[word]] += count
    out = []
    for name, segments in systems.items():
        matches, produced = np.zeros_like(wanted), np.zeros_like(wanted)
        for ours, theirs in zip(metric_tokens(segments, tokenise), tokens, strict=True):
            have, want = Counter(ours), Counter(theirs)
            for word, count in have.items():
                if word in bucket_of:
                    produced[bucket_of[word]] += count
                    matches[bucket_of[word]] += min(count, want.get(word, 0))
        for k, low in enumerate(FREQUENCIES):
            if wanted[k]:
                recall, precision = matches[k] / wanted[k], matches[k] / max(produced[k], 1)
                f1 = 2 * recall * precision / (recall + precision) if recall + precision else 0.0
                out.append(
                    FrequencyBucket(name, low, _below(FREQUENCIES, k), int(wanted[k]), float(recall), float(precision), float(f1))
                )
    return out


def _below(bounds: Sequence[int], k: int) -> int | None:
    return bounds[k + 1] - 1 if k + 1 < len(bounds) else None
