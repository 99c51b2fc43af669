"""Accuracy of translation selection on judged candidates of several systems (Shah and Specia 2014, section 6)."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from app.arrays import Float64s, Int64s
from app.metrics import Metric

__all__ = ["CandidatePool", "SelectionAccuracy", "accuracy_of"]


@dataclass(frozen=True)
class SelectionAccuracy:
    """Share of sources whose selected translation has the best label, mean label of the selection, and its corpus scores."""

    accuracy: float
    label: float
    scores: Mapping[str, float]


@dataclass(frozen=True)
class CandidatePool:
    """Candidates (n) of sources that at least two systems translated: their `rows` among all segments, their source, and label.

    A selection is an array of weights (n,) with sum 1 over the candidates of a source: equally good candidates share the source.
    """

    rows: Int64s
    source: Int64s
    systems: tuple[str, ...]
    labels: Float64s
    higher_is_better: bool

    @classmethod
    def of(cls, sources: Sequence[str], systems: Sequence[str], labels: Float64s, higher_is_better: bool) -> "CandidatePool":
        """Candidates among segments (m). If sources repeat, the nth translations of all systems belong together."""
        occurrences: Counter[tuple[str, str]] = Counter()
        keys: list[tuple[str, int]] = []
        for source, system in zip(sources, systems, strict=True):
            keys.append((source, occurrences[source, system]))
            occurrences[source, system] += 1
        sizes = Counter(keys)
        rows = np.array([row for row, key in enumerate(keys) if sizes[key] > 1], np.int64)
        numbers: dict[tuple[str, int], int] = {}
        source_numbers = [numbers.setdefault(keys[row], len(numbers)) for row in rows]
        return cls(rows, np.array(source_numbers, np.int64), tuple(systems[row] for row in rows), labels[rows], higher_is_better)

    @property
    def sources(self) -> int:
        """Number of sources."""
        return int(self.source.max()) + 1 if len(self.source) else 0

    def best(self, scores: Float64s, higher_is_better: bool) -> Float64s:
        """Selection of the candidates with the best score (n,) of their source."""
        values = scores if higher_is_better else -scores
        best = np.full(self.sources, -np.inf)
        np.maximum.at(best, self.source, values)
        return self._shared(values == best[self.source])

    @property
    def oracle(self) -> Float64s:
        """Selection of the best labels."""
        return self.best(self.labels, self.higher_is_better)

    @property
    def chance(self) -> Float64s:
        """Selection without any evidence: every candidate with equal weight."""
        return self._shared(np.ones(len(self.rows)))

    def of_system(self, system: str) -> Float64s:
        """Selection of one system's translations, and chance for sources that it did not translate."""
        mask = np.array([name == system for name in self.systems], np.float64)
        translated = np.bincount(self.source, mask, self.sources) > 0
        return self._shared(np.where(translated[self.source], mask, 1.0))

    def _shared(self, marks: np.ndarray) -> Float64s:
        """Weights of marked candidates, equal within a source."""
        weights = np.asarray(marks, np.float64)
        return np.asarray(weights / np.bincount(self.source, weights, self.sources)[self.source])


def accuracy_of(
    pool: CandidatePool, selection: Float64s, metrics: Mapping[str, Metric], statistics: Mapping[str, Float64s]
) -> SelectionAccuracy:
    """Accuracy of a selection (n,); corpus scores come from weighted sums of the candidates' `statistics` (n, s)."""
    is_best = pool.oracle > 0
    scores = {name: float(metric.score((selection @ statistics[name])[None])[0]) for name, metric in metrics.items()}
    return SelectionAccuracy(float(selection @ is_best / pool.sources), float(selection @ pool.labels / pool.sources), scores)
