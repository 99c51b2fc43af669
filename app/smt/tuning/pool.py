"""The data of tuning: hypotheses with features and metric statistics, in arrays."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Final

import numpy as np

from app.arrays import Bools, Float64s, Int64s
from app.errors import InputError
from app.metrics import Metric
from app.metrics.definition import statistics_in_groups
from app.smt.tuning.choice_kernels import first_of_best, spans_of_lists
from app.smt.tuning.matrix import HypothesisFeatures
from app.text.n_best import NBestLists
from app.text.ragged import ragged_rows

__all__ = ["LARGEST_FEATURE", "SMALLEST_SPAN", "TuningPool", "matrix_of", "names_of", "pool_of"]

# Limit of feature values: sums of larger squares lose precision in doubles.
LARGEST_FEATURE: Final = 1e15
# A column with a smaller range in every list counts as constant: its weight could not be written beside others.
SMALLEST_SPAN: Final = 1e-100


@dataclass(frozen=True, eq=False)
class TuningPool:
    """The h hypotheses of n segments in the decoder's order; segment i has at least one, ``offsets[i]:offsets[i + 1]``.

    `names` has the feature name of each column, repeated for components. `metric` scores sums of `statistics` (h, s) over one
    hypothesis per segment. `segments` (n,) are the segment numbers in the original lists.
    """

    offsets: Int64s
    names: tuple[str, ...]
    features: HypothesisFeatures
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
        """The segment index of each hypothesis in this pool; shape (h,)."""
        return np.repeat(np.arange(len(self)), self.lengths)

    @cached_property
    def gains(self) -> Float64s:
        """Segment scores of all hypotheses, higher is better; shape (h,).

        Scores in points (0-100) become fractions, as the thresholds of the literature expect.
        """
        sign = 1.0 if self.metric.higher_is_better else -1.0
        return sign * self.metric.segment_scores(self.statistics) / self.points

    @property
    def points(self) -> float:
        """Divisor that turns a score into a fraction: 100 for points, else 1."""
        return 100.0 if "100" in self.metric.unit else 1.0

    @cached_property
    def varying(self) -> Bools:
        """True for columns that vary within some list; weights of constant columns have no effect; shape (width,)."""
        low, high = spans_of_lists(self.features.dense, self.offsets)
        dense = (high - low > SMALLEST_SPAN).any(0)
        if self.features.sparse is None:
            return np.asarray(dense, np.bool_)
        firsts = np.repeat(self.offsets[:-1], self.lengths)
        differing = abs(self.features.sparse - self.features.sparse[firsts]).sum(axis=0)
        return np.concatenate([dense, np.asarray(differing, np.float64).ravel() > SMALLEST_SPAN])

    def best_hypotheses(self, weights: Float64s) -> Int64s:
        """Choose the hypothesis of each segment with the highest weighted sum, the first of equal ones; shape (n,)."""
        return np.asarray(first_of_best(self.features @ weights, self.offsets))

    def score_of(self, hypotheses: Int64s) -> float:
        """Return the corpus score of one hypothesis per segment (n,)."""
        return float(self.metric.score(self.statistics[hypotheses].sum(0)[None])[0])

    def score(self, weights: Float64s) -> float:
        """Return the corpus score of the hypotheses that `weights` choose."""
        return self.score_of(self.best_hypotheses(weights))

    def better(self, score: float, than: float) -> bool:
        """Return True if a corpus score is better than another."""
        return score > than if self.metric.higher_is_better else score < than

    def rows(self, segments: Int64s) -> "TuningPool":
        """Return the lists of some segments."""
        places, offsets = ragged_rows(self.offsets, segments)
        features, statistics = self.features.rows(places), self.statistics[places]
        return replace(self, offsets=offsets, segments=self.segments[segments], features=features, statistics=statistics)

    def with_columns(self, columns: Int64s) -> "TuningPool":
        """Return the pool with some columns, given in ascending order."""
        names = tuple(self.names[k] for k in columns.tolist())
        return replace(self, names=names, features=self.features.columns(columns))


def pool_of(
    lists: NBestLists, metric: Metric, references: Sequence[Sequence[str]], statistics: Float64s | None = None
) -> TuningPool:
    """Measure all hypotheses against `references` (one list of texts per reference); segments without hypotheses drop out.

    `statistics` (h, s) of earlier work are not computed again. A missing feature counts 0. InputError without hypotheses or
    features, for references of another number than the lists, or for feature values beyond the limit.
    """
    for reference in references:
        if len(reference) != len(lists):
            detail = f"there are lists of {len(lists)} segments, but {len(reference)} references"
            raise InputError("unequal-lengths", detail, ("references",))
    if not len(lists.scores):
        raise InputError("empty-input", "the n-best lists have no hypotheses", ("n_best",))
    if not lists.names and lists.sparse is None:
        detail = "the n-best lists have no features to weight; rerank computes features, and mbr chooses without any"
        raise InputError("missing-evidence", detail, ("n_best",))
    _check_features(lists)
    if statistics is None:
        prepared_references = metric.prepare(references)
        # Metrics by counts are quick. Others align texts and take hours on long lists: groups let a job be cancelled between them.
        quick = metric.counting() is not None
        measure = prepared_references.statistics if quick else partial(statistics_in_groups, prepared_references)
        statistics = measure(lists.texts, lists.segments)
    present = np.flatnonzero(lists.lengths)
    offsets = np.concatenate([[0], np.cumsum(lists.lengths[present])])
    return TuningPool(offsets, names_of(lists), matrix_of(lists), metric, statistics, present)


def names_of(lists: NBestLists) -> tuple[str, ...]:
    """Return the names of all columns, dense ones first."""
    return lists.names if lists.sparse is None else (*lists.names, *lists.sparse.names)


def matrix_of(lists: NBestLists) -> HypothesisFeatures:
    """Return the features of lists; a missing feature counts 0."""
    dense, sparse = np.ascontiguousarray(lists.values), lists.sparse
    if sparse is None:
        return HypothesisFeatures(dense)
    # Few lists have sparse features, and this import takes a tenth of a second.
    from scipy.sparse import csr_matrix

    shape = (len(sparse), len(sparse.names))
    return HypothesisFeatures(dense, csr_matrix((sparse.values, sparse.columns, sparse.offsets), shape=shape))


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
        f"{value:g}; the largest absolute value is {LARGEST_FEATURE:g}"
    )
    return InputError("invalid-table", detail, ("n_best", segment))
