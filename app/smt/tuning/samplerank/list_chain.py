"""Chains of SampleRank over n-best lists: batches, burn-in and learning, in the order of the algorithm."""

from dataclasses import dataclass, field
from typing import Final

import numpy as np

from app.arrays import Float64s, Int32s, Int64s
from app.running.deadline import check_deadline
from app.running.journal import Journal
from app.smt.tuning.online.gain import CorpusGain
from app.smt.tuning.online.learner import kernel_rows
from app.smt.tuning.pool import TuningPool
from app.smt.tuning.samplerank.list_kernels import walk_lists
from app.smt.tuning.samplerank.rules import ChainRules

__all__ = ["ChainPlan", "ListChain", "ListChains"]

# Steps between two reports: a few hundredths of a second of work.
CHUNK: Final = 4000
# Random numbers for neighbours in memory at once.
MOST_DRAWS: Final = 4_000_000


@dataclass(frozen=True)
class ChainPlan:
    """Plan of a chain's part of an epoch: per segment `burn_in` steps, then `samples` steps; `batch` segments at a time.

    A `batch` of 0 is the whole part; `neighbours` of 0 means the whole list.
    """

    burn_in: int
    samples: int
    batch: int
    neighbours: int


@dataclass
class ListChain:
    """State of a chain over lists; the sum of the weights over learning steps is ``steps * weights - lagged``."""

    weights: Float64s
    lag: Float64s
    counts: Int64s = field(default_factory=lambda: np.zeros(4, np.int64))

    def weight_sum(self) -> Float64s:
        """Sum of the weights over learning steps."""
        return np.asarray(self.counts[0] * self.weights - self.lag)

    def as_array(self) -> Float64s:
        """Return all values in one array."""
        return np.concatenate([self.weights, self.lag, self.counts.astype(np.float64)])

    @classmethod
    def of_array(cls, flat: Float64s) -> "ListChain":
        """Read an array of `as_array`."""
        width = (len(flat) - 4) // 2
        return cls(flat[:width].copy(), flat[width : 2 * width].copy(), flat[2 * width :].astype(np.int64))


class ListChains:
    """Runs of chains over the lists of a pool."""

    def __init__(self, pool: TuningPool, gain: CorpusGain, rules: ChainRules) -> None:
        self._pool, self._gain, self._rules = pool, gain, rules
        self._rows: tuple[Float64s, Int32s, Int32s, Float64s] = kernel_rows(pool.features)
        self._scratch = np.zeros(pool.features.width - pool.features.dense.shape[1])
        self._gains = np.zeros(len(pool.statistics))
        self._longest = int(pool.lengths.max())

    def epoch(
        self, weights: Float64s, shard: Int64s, plan: ChainPlan, rng: np.random.Generator, journal: Journal, share: float
    ) -> Float64s:
        """Run a chain over its part of an epoch; return its packed state."""
        stand = ListChain(weights.copy(), np.zeros(len(weights)))
        size = plan.batch or len(shard)
        for begin in range(0, len(shard), size):
            batch = shard[begin : begin + size]
            current = self._pool.offsets[:-1].copy()
            sums = self._pool.statistics[current[batch]].sum(0)
            for learns, steps in ((False, plan.burn_in), (True, plan.samples)):
                self._walk(stand, batch, current, sums, steps * len(batch), learns, plan.neighbours, rng, journal, share)
        return stand.as_array()

    def _walk(
        self,
        stand: ListChain,
        batch: Int64s,
        current: Int64s,
        sums: Float64s,
        steps: int,
        learns: bool,
        neighbours: int,
        rng: np.random.Generator,
        journal: Journal,
        share: float,
    ) -> None:
        draw_count = max(neighbours - 1, 0) if neighbours < self._longest else 0
        chunk = max(1, min(CHUNK, MOST_DRAWS // max(draw_count, 1)))
        for begin in range(0, steps, chunk):
            journal.report("sampling", share)
            count = min(chunk, steps - begin)
            segments = batch[rng.integers(0, len(batch), count)]
            uniforms, subsets = rng.random(count), rng.random((count, draw_count))
            if self._gain.compiled or not learns:
                self.steps(stand, segments, uniforms, subsets, current, sums, learns)
                continue
            for k in range(count):
                if k % 100 == 0:
                    journal.report("sampling", share)
                self.measure(int(segments[k]), current, sums)
                self.steps(stand, segments[k : k + 1], uniforms[k : k + 1], subsets[k : k + 1], current, sums, learns)

    def measure(self, segment: int, current: Int64s, sums: Float64s) -> None:
        """Set the gains of all hypotheses of a segment within the present batch, for the next step."""
        first, last = self._pool.offsets[segment : segment + 2].tolist()
        base = sums - self._pool.statistics[current[segment]]
        self._gains[first:last] = self._gain.of(base, self._pool.statistics[first:last])

    def steps(
        self,
        stand: ListChain,
        segments: Int64s,
        uniforms: Float64s,
        subsets: Float64s,
        current: Int64s,
        sums: Float64s,
        learns: bool,
    ) -> None:
        """Take steps with given segments and random numbers; update `current` (n,) and `sums` (s,)."""
        check_deadline()
        rules = self._rules
        walk_lists(
            segments,
            uniforms,
            subsets,
            self._pool.offsets,
            *self._rows,
            self._pool.statistics,
            self._gains,
            stand.weights,
            stand.lag,
            current,
            sums,
            stand.counts,
            self._scratch,
            rules.chooser,
            rules.update,
            rules.margin,
            rules.step,
            rules.temperature,
            self._gain.scale,
            learns,
            self._gain.compiled,
        )
