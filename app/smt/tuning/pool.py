"""What weights are tuned on: hypotheses with their features and the statistics of a metric, in arrays."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Final

import numpy as np
from scipy.sparse import csr_matrix

from app.arrays import Bools, Float64s, Int64s
from app.errors import InputError
from app.metrics import Metric
from app.metrics.definition import statistics_in_groups
from app.smt.tuning.choice_kernels import first_of_best, spans_of_lists
from app.smt.tuning.matrix import FeatureMatrix
from app.text.n_best import NBestLists
from app.text.ragged import ragged_rows

__all__ = ["LARGEST_FEATURE", "SMALLEST_SPAN", "Pool", "matrix_of", "names_of", "pool_of"]

# Sums of squares of larger values would leave what numbers of 64 bits can hold apart.
LARGEST_FEATURE: Final = 1e15
# A column whose values lie less apart in every list varies in none: its weight beside others could not be written.
SMALLEST_SPAN: Final = 1e-100


@dataclass(frozen=True, eq=False)
class Pool:
    """The h hypotheses of n segments, in the decoder's order: those of segment i, at least one, are ``offsets[i]:offsets[i + 1]``.

    `names` are the features' names, one a column, a name once for each of its components. `statistics` (h, s) are those of
    `metric`, whose sums over one hypothesis a segment it scores; `segments` are the segments' numbers in the lists that were read.
    """

    offsets: Int64s
    names: tuple[str, ...]
    features: FeatureMatrix
    metric: Metric
    statistics: Float64s
    segments: Int64s

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @cached_property
    def lengths(self) -> Int64s:
        """Number of hypotheses of each segment; shape (n,)."""
        return np.diff(self.offsets)

    @cached_property
    def segment_of(self) -> Int64s:
        """The segment of each hypothesis, counted from 0 in this pool; shape (h,)."""
        return np.repeat(np.arange(len(self)), self.lengths)

    @cached_property
    def gains(self) -> Float64s:
        """How good each hypothesis is by itself: the metric's segment score, turned so that more is better; shape (h,).

        Scores in points (0-100) become fractions, on which the thresholds of the literature stand.
        """
        sign = 1.0 if self.metric.higher_is_better else -1.0
        return sign * self.metric.segment_scores(self.statistics) / self.points

    @property
    def points(self) -> float:
        """What a score is divided by to be a fraction."""
        return 100.0 if "100" in self.metric.unit else 1.0

    @cached_property
    def varying(self) -> Bools:
        """Which columns differ between hypotheses of at least one segment: weights of the others choose nothing; shape (width,)."""
        low, high = spans_of_lists(self.features.dense, self.offsets)
        dense = (high - low > SMALLEST_SPAN).any(0)
        if self.features.sparse is None:
            return np.asarray(dense, np.bool_)
        firsts = np.repeat(self.offsets[:-1], self.lengths)
        differing = abs(self.features.sparse - self.features.sparse[firsts]).sum(axis=0)
        return np.concatenate([dense, np.asarray(differing, np.float64).ravel() > SMALLEST_SPAN])

    def chosen(self, weights: Float64s) -> Int64s:
        """The hypothesis of each segment with the highest weighted sum, of equal ones the first; shape (n,)."""
        return np.asarray(first_of_best(self.features @ weights, self.offsets))

    def score_of(self, hypotheses: Int64s) -> float:
        """The corpus score of one hypothesis a segment."""
        return float(self.metric.score(self.statistics[hypotheses].sum(0)[None])[0])

    def score(self, weights: Float64s) -> float:
        """The corpus score of what `weights` choose."""
        return self.score_of(self.chosen(weights))

    def better(self, score: float, than: float) -> bool:
        """Whether a corpus score is better than another one."""
        return score > than if self.metric.higher_is_better else score < than

    def rows(self, segments: Int64s) -> "Pool":
        """The lists of some segments."""
        places, offsets = ragged_rows(self.offsets, segments)
        return Pool(offsets, self.names, self.features.rows(places), self.metric, self.statistics[places], self.segments[segments])

    def with_columns(self, columns: Int64s) -> "Pool":
        """The same hypotheses with some of the features, in ascending order of columns."""
        names = tuple(self.names[k] for k in columns.tolist())
        return Pool(self.offsets, names, self.features.columns(columns), self.metric, self.statistics, self.segments)


def pool_of(lists: NBestLists, metric: Metric, references: Sequence[Sequence[str]]) -> Pool:
    """The hypotheses of all segments that have any, measured against `references` (one list of texts a reference).

    A feature that a hypothesis lacks is 0. InputError where there is nothing to choose from, where references and lists are of
    unequal numbers, or where a feature is no number that weights could be tuned for.
    """
    for reference in references:
        if len(reference) != len(lists):
            detail = f"there are lists of {len(lists)} segments, but {len(reference)} references"
            raise InputError("unequal-lengths", detail, ("references",))
    if not len(lists.scores):
        raise InputError("empty-input", "the n-best lists have no hypotheses", ("n_best",))
    if not lists.names and lists.sparse is None:
        detail = "the n-best lists have no features, so there are no weights; rerank computes features, and mbr chooses without any"
        raise InputError("missing-evidence", detail, ("n_best",))
    _check_features(lists)
    prepared = metric.prepare(references)
    # Counting is quick; what aligns texts takes hours for long lists, and a job is cancelled between two groups.
    quick = metric.counting() is not None
    measure = prepared.statistics if quick else partial(statistics_in_groups, prepared)
    statistics = measure(lists.texts, lists.segments)
    present = np.flatnonzero(lists.lengths)
    offsets = np.concatenate([[0], np.cumsum(lists.lengths[present])])
    return Pool(offsets, names_of(lists), matrix_of(lists), metric, statistics, present)


def names_of(lists: NBestLists) -> tuple[str, ...]:
    """Names of all columns, the dense ones first."""
    return lists.names if lists.sparse is None else (*lists.names, *lists.sparse.names)


def matrix_of(lists: NBestLists) -> FeatureMatrix:
    """The features with 0 where a hypothesis lacks one."""
    dense, sparse = np.ascontiguousarray(lists.values), lists.sparse
    if sparse is None:
        return FeatureMatrix(dense)
    shape = (len(sparse), len(sparse.names))
    return FeatureMatrix(dense, csr_matrix((sparse.values, sparse.columns, sparse.offsets), shape=shape))


def _check_features(lists: NBestLists) -> None:
    wrong = np.argwhere(~(np.abs(lists.values) <= LARGEST_FEATURE))
    if len(wrong):
        h, k = wrong[0].tolist()
        raise _refused(lists, h, lists.names[k], float(lists.features[h, k]))
    if lists.sparse is None:
        return
    large = ~(np.abs(lists.sparse.values) <= LARGEST_FEATURE)
    if large.any():
        at = int(np.argmax(large))
        name, h = lists.sparse.names[lists.sparse.columns[at]], int(lists.sparse.row_of_entries()[at])
        raise _refused(lists, h, name, float(lists.sparse.values[at]))


def _refused(lists: NBestLists, h: int, name: str, value: float) -> InputError:
    segment = int(lists.segments[h])
    detail = (
        f"feature {name} of hypothesis {h - int(lists.offsets[segment])} of segment {segment} is "
        f"{value:g}; accepted are numbers of at most {LARGEST_FEATURE:g}"
    )
    return InputError("invalid-table", detail, ("n_best", segment))
