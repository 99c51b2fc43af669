"""Outputs of several systems for a set of segments."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from app.arrays import Float64s, Int64s
from app.errors import InputError
from app.metrics import Metric
from app.text.n_best import NBestLists
from app.text.packed_texts import PackedTexts

__all__ = ["SystemOutputs"]


@dataclass(frozen=True, eq=False)
class SystemOutputs:
    """Outputs of s systems for n segments, by system name."""

    systems: Mapping[str, Sequence[str]]

    def __post_init__(self) -> None:
        """Raise InputError for fewer than two systems, or unequal numbers of segments."""
        if len(self.systems) < 2:
            raise InputError("empty-input", "give at least two systems to combine", ("systems",))
        sizes = {len(texts) for texts in self.systems.values()}
        if len(sizes) > 1:
            raise InputError("unequal-lengths", "systems have unequal numbers of segments", ("systems",))

    def __len__(self) -> int:
        return len(next(iter(self.systems.values())))

    @cached_property
    def offsets(self) -> Int64s:
        """Offsets of segments in `texts`; shape (n + 1,)."""
        return np.arange(len(self) + 1) * len(self.systems)

    @cached_property
    def texts(self) -> list[str]:
        """Outputs of all systems, segment by segment."""
        return [text for row in zip(*self.systems.values(), strict=True) for text in row]

    def lists(self) -> NBestLists:
        """Return the outputs of each segment as an n-best list without scores and features."""
        size = len(self.texts)
        return NBestLists(self.offsets, PackedTexts.of(self.texts), np.zeros(size), (), np.empty((size, 0)))

    def rows(self, segments: Int64s) -> "SystemOutputs":
        """Return the outputs for some segments."""
        return SystemOutputs({name: [texts[i] for i in segments.tolist()] for name, texts in self.systems.items()})

    def statistics(self, metric: Metric, references: Sequence[Sequence[str]]) -> Float64s:
        """Return a metric's statistics of all outputs; (n, systems, s)."""
        rows = np.repeat(np.arange(len(self)), len(self.systems))
        statistics = metric.prepare(references).statistics(self.texts, rows)
        return statistics.reshape(len(self), len(self.systems), -1)
