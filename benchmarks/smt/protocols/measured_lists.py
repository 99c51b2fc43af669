"""Lists with the statistics of several metrics for all hypotheses, the data of experiments with weights."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from app.arrays import Float64s, Int64s
from app.errors import InputError
from app.metrics import Metric
from app.smt.tuning.matrix import HypothesisFeatures
from app.smt.tuning.moses_weights import read_any_weights
from app.smt.tuning.pool import TuningPool, pool_of
from app.text.n_best import NBestLists
from app.text.ragged import offsets_of, ragged_rows
from app.text.reading.n_best_files import ReadLists, read_lists

__all__ = ["MeasuredLists", "measure", "read_with_references", "start_weights"]


@dataclass(frozen=True, eq=False)
class MeasuredLists:
    """Features, and the statistics (h, s) of every metric, oracle metrics included.

    `words` (h,) are the lengths of hypotheses in tokens between spaces, `reference_words` (n,) the mean lengths of references.
    """

    pool: TuningPool
    metrics: Mapping[str, Metric]
    statistics: Mapping[str, Float64s]
    words: Int64s
    reference_words: Float64s

    def by(self, metric: str) -> TuningPool:
        """Return the pool with the statistics of one metric, for tuning towards it."""
        return replace(self.pool, metric=self.metrics[metric], statistics=self.statistics[metric])

    def first(self, size: int) -> "MeasuredLists":
        """Return the first `size` hypotheses of each list."""
        lengths = self.pool.lengths
        within = np.arange(len(self.pool.segment_of)) - np.repeat(self.pool.offsets[:-1], lengths)
        places = np.flatnonzero(within < size)
        return self._of(places, offsets_of(np.minimum(lengths, size)), self.pool.segments, self.reference_words)

    def rows(self, segments: Int64s) -> "MeasuredLists":
        """Return the lists of some segments, by index in the pool."""
        places, offsets = ragged_rows(self.pool.offsets, segments)
        return self._of(places, offsets, self.pool.segments[segments], self.reference_words[segments])

    def halves(self) -> tuple["MeasuredLists", "MeasuredLists"]:
        """Return even and odd segments as two sets; InputError for fewer than two segments."""
        if len(self.pool) < 2:
            raise InputError("empty-input", "one segment cannot be halved into lists to tune on and lists to measure", ("n_best",))
        return self.rows(np.arange(0, len(self.pool), 2)), self.rows(np.arange(1, len(self.pool), 2))

    def with_features(self, names: Sequence[str], features: HypothesisFeatures) -> "MeasuredLists":
        """Replace the features."""
        return replace(self, pool=replace(self.pool, names=tuple(names), features=features))

    def _of(self, places: Int64s, offsets: Int64s, segments: Int64s, reference_words: Float64s) -> "MeasuredLists":
        pool = self.pool
        part = TuningPool(offsets, pool.names, pool.features.rows(places), pool.metric, pool.statistics[places], segments)
        statistics = {name: rows[places] for name, rows in self.statistics.items()}
        return MeasuredLists(part, self.metrics, statistics, self.words[places], reference_words)

    def gains(self, metric: str) -> Float64s:
        """Return segment scores of all hypotheses by a metric, higher is better (h,)."""
        sign = 1.0 if self.metrics[metric].higher_is_better else -1.0
        return sign * self.metrics[metric].segment_scores(self.statistics[metric])

    def scores(self, selection: Int64s) -> dict[str, float]:
        """Return the corpus score of one hypothesis per segment, by every metric."""
        return {
            name: float(metric.score(self.statistics[name][selection].sum(0)[None])[0]) for name, metric in self.metrics.items()
        }

    def length_ratio(self, selection: Int64s) -> float:
        """Return words of the chosen hypotheses divided by words of the references."""
        return float(self.words[selection].sum() / max(float(self.reference_words.sum()), 1.0))


def measure(lists: NBestLists, metrics: Mapping[str, Metric], references: Sequence[Sequence[str]]) -> MeasuredLists:
    """Measure all hypotheses by every metric; the first metric is the pool's; InputError as `pool_of`."""
    name, first = next(iter(metrics.items()))
    pool = pool_of(lists, first, references)
    statistics = {name: pool.statistics} | {
        key: metric.prepare(references).statistics(lists.texts, lists.segments) for key, metric in metrics.items() if key != name
    }
    words = np.array([len(text.split()) for text in lists.texts], np.int64)
    reference_words = np.mean(
        [[len(reference[segment].split()) for segment in pool.segments.tolist()] for reference in references], axis=0
    )
    return MeasuredLists(pool, metrics, statistics, words, np.asarray(reference_words, np.float64))


def read_with_references(files: Sequence[str], references: Sequence[str] | None) -> ReadLists:
    """Read n-best lists with references; InputError (`missing-evidence`) without references."""
    read = read_lists([Path(path) for path in files], references=[Path(path) for path in references or ()])
    if not read.references:
        raise InputError("missing-evidence", "lists are measured against references, and there are none", ("references",))
    return read


def start_weights(path: Path | None, lists: MeasuredLists, zero_missing: bool) -> Float64s:
    """Weights (width,) from a file, equal ones without; InputError for a missing weight, unless it counts as 0."""
    names = lists.pool.names
    if path is None:
        return np.ones(len(names))
    return read_any_weights(path.read_bytes(), names, path.name).weights.of_columns(names, zero_missing)
