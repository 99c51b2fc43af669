"""Bootstrap of metrics' agreement with people, and of the difference of two metrics."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from app.arrays import Float64s, Int64s
from app.metrics.meta_evaluation.correlation import AgreementMeasure
from app.running.deadline import check_deadline

__all__ = ["SAMPLES", "Resampling", "bootstrap_agreement", "group_counts"]

SAMPLES: Final = 1000


@dataclass(frozen=True)
class Resampling:
    """Values of an agreement in all samples by metric; (samples,) each."""

    values: Mapping[str, Float64s]

    def interval(self, metric: str, rival: str | None = None) -> tuple[float, float]:
        """Bounds of 95 % of the samples of a metric's agreement, or of its difference from a rival's."""
        values = self.values[metric] - (0.0 if rival is None else self.values[rival])
        low, high = np.percentile(values, [2.5, 97.5])
        return float(low), float(high)

    def share_higher(self, metric: str, rival: str) -> float:
        """Share of the samples in which the metric agrees better than its rival (Song's thesis, B6); a tie counts one half."""
        first, second = self.values[metric], self.values[rival]
        return float(np.mean((first > second) + 0.5 * (first == second)))


def bootstrap_agreement(
    agreement: AgreementMeasure,
    human: Float64s,
    metrics: Mapping[str, Float64s],
    groups: Int64s,
    samples: int = SAMPLES,
    seed: int = 12345,
) -> Resampling:
    """Agreement of each metric (n,) in samples of groups with replacement, or of rows if all rows are one group.

    All metrics share the samples. A group that is drawn twice counts as two groups.
    """
    values = {name: np.empty(samples) for name in metrics}
    for sample, (rows, sampled_groups) in enumerate(_samples(groups, samples, seed)):
        check_deadline()
        for name, scores in metrics.items():
            values[name][sample] = agreement.measure(human[rows], scores[rows], sampled_groups)
    return Resampling(values)


def group_counts(count: int, samples: int, seed: int = 12345) -> Iterator[Int64s]:
    """For each sample, how often each of `count` groups is drawn; (count,)."""
    rng = np.random.default_rng(seed)
    for _ in range(samples):
        yield np.bincount(rng.integers(count, size=count), minlength=count)


def _samples(groups: Int64s, samples: int, seed: int) -> Iterator[tuple[Int64s, Int64s]]:
    """Rows and their groups in each sample."""
    _, places, sizes = np.unique(groups, return_inverse=True, return_counts=True)
    if len(sizes) == 1:
        for counts in group_counts(len(groups), samples, seed):
            yield np.repeat(np.arange(len(groups)), counts), np.zeros(len(groups), np.int64)
        return
    order, ends = np.argsort(places, kind="stable"), np.cumsum(sizes)
    for counts in group_counts(len(sizes), samples, seed):
        numbers = np.repeat(np.arange(len(sizes)), counts)
        lengths = sizes[numbers]
        sampled_groups = np.repeat(np.arange(len(numbers)), lengths)
        inside = np.arange(len(sampled_groups)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        yield order[np.repeat(ends[numbers] - lengths, lengths) + inside], sampled_groups
