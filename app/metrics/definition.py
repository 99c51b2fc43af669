"""What every metric is: per-segment sufficient statistics, and scores of their sums."""

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
from app.running.deadline import check_deadline

__all__ = ["Metric", "Prepared", "Segments", "referred", "several_systems", "statistics_in_groups"]

Segments = Sequence[str]
# Thousands of ordinary segments, or two of 2,000 characters.
WORK_OF_GROUP: Final = 16_000_000_000
# Work that is not worth the trouble: products of matrices of other shapes may differ in their last bit.
GROUPS_AT_ONCE: Final = 5


class Metric(ABC):
    """A metric with its options. Scores are on sacreBLEU's scale (0-100; error rates may exceed it) unless `unit` says otherwise.

    To add one, derive from this class and from `Prepared`, and register a `MetricEntry`.
    """

    name: str
    unit: str = "points (0-100)"
    higher_is_better: bool = True
    # Lowest and highest score; None where there is no bound.
    range: tuple[float | None, float | None] = (0.0, 100.0)
    # Whether there is nothing to score without a reference.
    needs_references: bool = True
    # Whether a segment's statistics depend on the references of other segments.
    needs_all_references: ClassVar[bool] = False

    @abstractmethod
    def prepare(self, references: Sequence[Segments]) -> "Prepared":
        """Preprocess `references`, one list of n segments each, for any number of systems."""

    def beside(self, sources: Segments | None) -> "Metric":
        """The metric for segments with these sources; itself where it does not look at them. InputError where it lacks them."""
        return self

    def cautions(self, statistics: Float64s) -> list[str]:
        """What to know of scores of these statistics (n, s), in sentences."""
        return []

    @abstractmethod
    def score(self, sums: Float64s) -> Float64s:
        """Corpus scores of sums of statistics; shape (m, s) to (m,)."""

    def segment_scores(self, statistics: Float64s) -> Float64s:
        """Score of each segment alone; (n, s) to (n,)."""
        return self.score(statistics)

    def possible(self, statistics: Float64s, references: int) -> Bools:
        """Which rows (n, s) can be the statistics of a segment against so many references; (n,).

        What was stored is held to it before anything is compared with it. Metrics say more than this where they can.
        """
        return np.asarray((np.abs(statistics) <= LARGEST_STATISTIC).all(1))

    def reference_columns(self, width: int) -> Sequence[int]:
        """Which of `width` statistics say the same of every system, where there is one reference; none unless a metric says so.

        What was stored is held to what is counted of the same reference again.
        """
        return ()

    def counting(self) -> Counting | None:
        """How n-gram counts become this metric's statistics; None where something else enters into them."""
        return None

    @abstractmethod
    def options(self) -> str:
        """The signature's middle part, sacreBLEU's keys in sacreBLEU's order."""

    def signature(self, references: int, resampling: str = "") -> str:
        """Everything that a score depends on, and its intervals and tests on `resampling`, as ``bs:1000|seed:12345``."""
        return "|".join(filter(None, (f"nrefs:{references}", resampling, self.options(), f"impl:assay-{__version__}")))

    @property
    def direction(self) -> str:
        """Which way is better, in words."""
        return "higher is better" if self.higher_is_better else "lower is better"


class Prepared(ABC):
    """A metric with its references: turns hypotheses into statistics."""

    @abstractmethod
    def statistics(self, hypotheses: Segments, reference_of: Int64s | None = None) -> Float64s:
        """Sufficient statistics of h hypotheses, hypothesis i against segment ``reference_of[i]``; shape (h, s).

        Without `reference_of` there is one hypothesis for each segment, in order. A hypothesis's statistics do not depend on the
        others, so an n-best list, a sample or several systems can be measured at once. `referred` makes the indexes.
        """

    def statistics_of_systems(self, systems: Sequence[Segments]) -> list[Float64s]:
        """Statistics of several systems' hypotheses; metrics override this where doing them together is faster."""
        return [statistics_in_groups(self, hypotheses) for hypotheses in systems]


def referred(hypotheses: int, segments: int, reference_of: Int64s | None) -> Int64s:
    """The segment of each hypothesis as kernels take it; InputError where the numbers do not fit `segments` references."""
    rows = np.arange(segments) if reference_of is None else np.ascontiguousarray(reference_of, np.int64)
    if rows.shape != (hypotheses,):
        raise InputError("unequal-lengths", f"there are {hypotheses} hypotheses, but {rows.size} are expected")
    if len(rows) and not (rows.min() >= 0 and rows.max() < segments):
        raise InputError("unequal-lengths", f"there are {segments} segments, numbered from 0")
    return rows


def several_systems(prepared: Prepared, systems: Sequence[Segments]) -> list[Float64s]:
    """Statistics of systems as one ragged list: what some metrics are faster with."""
    texts = [text for hypotheses in systems for text in hypotheses]
    rows = np.concatenate([np.arange(len(hypotheses)) for hypotheses in systems])
    return np.split(prepared.statistics(texts, rows), len(systems))


def statistics_in_groups(prepared: Prepared, hypotheses: Segments, reference_of: Int64s | None = None) -> Float64s:
    """`Prepared.statistics`, computed in groups of about a second, between which somebody may give up."""
    ends = _group_ends(hypotheses)
    if len(ends) <= GROUPS_AT_ONCE:
        return prepared.statistics(hypotheses, reference_of)
    rows = referred(len(hypotheses), len(hypotheses), None) if reference_of is None else reference_of
    parts = []
    for begin, end in pairwise([0, *ends]):
        check_deadline()
        try:
            parts.append(prepared.statistics(hypotheses[begin:end], rows[begin:end]))
        except InputError as error:
            # Places of segments, which are the last of a place, were counted in the group.
            *where, last = error.where or ("",)
            raise InputError(error.code, error.detail, (*where, last + begin if isinstance(last, int) else last)) from None
    return np.concatenate(parts)


def _group_ends(hypotheses: Segments) -> list[int]:
    """Where groups of about a second end. What takes longest, shifts and runs of words, takes the cube of a length."""
    work, ends = 0, []
    for place, text in enumerate(hypotheses):
        work += len(text) ** 3
        if work > WORK_OF_GROUP:
            ends.append(place + 1)
            work = 0
    return ends if ends and ends[-1] == len(hypotheses) else [*ends, len(hypotheses)]
