"""What every metric is: per-segment sufficient statistics, and scores of their sums."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar

from app import __version__
from app.arrays import Float64s

__all__ = ["LONGEST_QUADRATIC", "Metric", "Prepared", "Segments"]

Segments = Sequence[str]
# Words of a segment up to which metrics that compare all pairs of words work: they take seconds there, and hours beyond.
LONGEST_QUADRATIC = 2000


class Metric(ABC):
    """A metric with its options. Scores are on sacreBLEU's scale (0-100; error rates may exceed it) unless `unit` says otherwise.

    To add one, derive from this class and from `Prepared`, and register a `MetricEntry`.
    """

    name: str
    unit: str = "points (0-100)"
    higher_is_better: bool = True
    # Lowest and highest score; None where there is no bound.
    range: tuple[float | None, float | None] = (0.0, 100.0)
    # Whether a segment's statistics depend on the references of other segments.
    needs_all_references: ClassVar[bool] = False

    @abstractmethod
    def prepare(self, references: Sequence[Segments]) -> "Prepared":
        """Preprocess `references`, one list of n segments each, for any number of systems."""

    @abstractmethod
    def score(self, sums: Float64s) -> Float64s:
        """Corpus scores of sums of statistics; shape (m, s) to (m,)."""

    def segment_scores(self, statistics: Float64s) -> Float64s:
        """Score of each segment alone; (n, s) to (n,)."""
        return self.score(statistics)

    @abstractmethod
    def options(self) -> str:
        """The signature's middle part, sacreBLEU's keys in sacreBLEU's order."""

    def signature(self, references: int) -> str:
        """Everything that a score depends on."""
        return f"nrefs:{references}|{self.options()}|impl:assay-{__version__}"

    @property
    def direction(self) -> str:
        """Which way is better, in words."""
        return "higher is better" if self.higher_is_better else "lower is better"


class Prepared(ABC):
    """A metric with its references: turns hypotheses into statistics."""

    @abstractmethod
    def statistics(self, hypotheses: Segments) -> Float64s:
        """Sufficient statistics of n hypotheses; shape (n, s)."""

    def statistics_of_systems(self, systems: Sequence[Segments]) -> list[Float64s]:
        """Statistics of several systems' hypotheses; metrics override this where doing them together is faster."""
        return [self.statistics(hypotheses) for hypotheses in systems]
