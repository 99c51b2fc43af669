"""Base classes of metrics: sufficient statistics per segment, and scores of their sums."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from itertools import pairwise
from typing import ClassVar, Final

import numpy as np

from app import __version__
from app.arrays import Bools, Float64s, Int64s
from app.errors import InputError
from app.metrics.counting import Counting
from app.metrics.plausible import LARGEST_STATISTIC
from app.metrics.tokens.texts import joined_texts
from app.running.deadline import check_deadline

__all__ = ["Metric", "PreparedMetric", "Segments", "reference_rows", "statistics_in_groups"]

Segments = Sequence[str]
# Work between two checks of the deadline: thousands of ordinary segments, or two of 2,000 characters.
WORK_OF_GROUP: Final = 16_000_000_000
# Up to this many groups are computed together: products of matrices of another shape may differ in their last bit.
GROUPS_AT_ONCE: Final = 5


class Metric(ABC):
    """A metric with its options. Scores are on sacreBLEU's scale (0-100; error rates may exceed it) unless `unit` says otherwise.

    To add one, derive from this class and from `PreparedMetric`, and register a `MetricEntry`.
    """

    name: str
    unit: str = "points (0-100)"
    higher_is_better: bool = True
    # Lowest and highest score; None if there is no bound.
    range: tuple[float | None, float | None] = (0.0, 100.0)
    # False if the metric can score without a reference.
    needs_references: bool = True
    # False if the metric ignores references.
    reads_references: bool = True
    # True if a segment's statistics depend on the references of the rest.
    needs_all_references: ClassVar[bool] = False

    @abstractmethod
    def prepare(self, references: Sequence[Segments]) -> "PreparedMetric":
        """Preprocess references, one list of n segments each, to measure any number of systems."""

    def with_sources(self, sources: Segments | None) -> "Metric":
        """Return this metric with the sources (n,) of the segments; InputError if the metric needs sources and gets None.

        Metrics that read no sources return themselves.
        """
        return self

    def cautions(self, statistics: Float64s) -> list[str]:
        """Warnings about scores of these statistics (n, s), a sentence each."""
        return []

    @abstractmethod
    def score(self, sums: Float64s) -> Float64s:
        """Corpus scores of sums of statistics; shape (m, s) to (m,)."""

    def segment_scores(self, statistics: Float64s) -> Float64s:
        """Score of each segment alone; (n, s) to (n,)."""
        return self.score(statistics)

    def plausible_rows(self, statistics: Float64s, references: int) -> Bools:
        """Mask of the rows of `statistics` (n, s) that a segment with this many references can have; shape (n,).

        It guards against damaged files of stored statistics. Metrics override it with stricter tests.
        """
        return np.asarray((np.abs(statistics) <= LARGEST_STATISTIC).all(1))

    def reference_columns(self, width: int) -> Sequence[int]:
        """Columns of the `width` statistics that depend on a single reference alone, not on the system; none by default.

        Stored statistics are checked against the reference by these columns.
        """
        return ()

    def counting(self) -> Counting | None:
        """The conversion of n-gram counts into this metric's statistics; None if the statistics need more than counts."""
        return None

    @abstractmethod
    def options(self) -> str:
        """The options of the signature, with the keys and the order of sacreBLEU."""

    def signature(self, references: int, resampling: str = "") -> str:
        """All settings that change a score, as ``nrefs:1|bs:1000|seed:12345|case:mixed``; `resampling` is the part of the tests."""
        return "|".join(filter(None, (f"nrefs:{references}", resampling, self.options(), f"impl:assay-{__version__}")))

    @property
    def direction(self) -> str:
        """The direction of better scores, in words."""
        return "higher is better" if self.higher_is_better else "lower is better"


class PreparedMetric(ABC):
    """A metric with preprocessed references: turns hypotheses into statistics."""

    # True if one call over the hypotheses of all systems is faster than one call per system.
    joins_systems: ClassVar[bool] = False

    @abstractmethod
    def statistics(self, hypotheses: Segments, reference_of: Int64s | None = None) -> Float64s:
        """Sufficient statistics of h hypotheses, hypothesis i against segment ``reference_of[i]``; shape (h, s).

        Without `reference_of`, hypothesis i belongs to segment i. Hypotheses are independent of each other, so one call can measure
        an n-best list, a sample or several systems. `reference_rows` makes the indices.
        """

    def statistics_of_systems(self, systems: Sequence[Segments]) -> list[Float64s]:
        """Statistics (n, s) of each system."""
        if not self.joins_systems:
            return [statistics_in_groups(self, hypotheses) for hypotheses in systems]
        rows = np.concatenate([np.arange(len(hypotheses)) for hypotheses in systems])
        return np.split(self.statistics(joined_texts(systems), rows), len(systems))


def reference_rows(hypotheses: int, segments: int, reference_of: Int64s | None) -> Int64s:
    """Segment index of each hypothesis for kernels; shape (hypotheses,). InputError if an index is not below `segments`."""
    rows = np.arange(segments) if reference_of is None else np.ascontiguousarray(reference_of, np.int64)
    if rows.shape != (hypotheses,):
        raise InputError("unequal-lengths", f"there are {hypotheses} hypotheses, but {rows.size} are expected")
    if len(rows) and not (rows.min() >= 0 and rows.max() < segments):
        raise InputError("unequal-lengths", f"there are {segments} segments, numbered from 0")
    return rows


def statistics_in_groups(prepared_metric: PreparedMetric, hypotheses: Segments, reference_of: Int64s | None = None) -> Float64s:
    """`PreparedMetric.statistics` in groups of about a second, with a check of the deadline before each."""
    ends = _group_ends(hypotheses)
    if len(ends) <= GROUPS_AT_ONCE:
        return prepared_metric.statistics(hypotheses, reference_of)
    rows = reference_rows(len(hypotheses), len(hypotheses), None) if reference_of is None else reference_of
    parts = []
    for begin, end in pairwise([0, *ends]):
        check_deadline()
        try:
            parts.append(prepared_metric.statistics(hypotheses[begin:end], rows[begin:end]))
        except InputError as error:
            # The last part of a place is a segment number, which was counted within the group.
            *path, number = error.where or ("",)
            raise InputError(error.code, error.detail, (*path, number + begin if isinstance(number, int) else number)) from None
    return np.concatenate(parts)


def _group_ends(hypotheses: Segments) -> list[int]:
    """Ends of groups of about a second. The slowest metrics, with shifts and runs of words, take cubic time in a length."""
    work, ends = 0, []
    for place, text in enumerate(hypotheses):
        work += len(text) ** 3
        if work > WORK_OF_GROUP:
            ends.append(place + 1)
            work = 0
    return ends if ends and ends[-1] == len(hypotheses) else [*ends, len(hypotheses)]
