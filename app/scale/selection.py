"""The best rows of tables of any size, in two passes: scores of all rows, then the rows above a threshold.

The threshold is exact, and memory does not grow with the rows. Histograms narrow the range of scores around the threshold, and only
scores in that range are sorted.
"""

import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, BinaryIO, Final

import numpy as np

from app.arrays import Float64s
from app.errors import InputError
from app.scale.batches import column_of, rows_where
from app.scale.files.places import kind_of, place_of
from app.scale.files.reading import read_shard
from app.scale.files.shards import Shard, place_name
from app.scale.files.writing import writer_of

__all__ = ["ScoresTask", "SelectionTask", "selection_of"]

BINS: Final = 1 << 16
# Rounds of narrower histograms; scores that still fall into one bin then are sorted.
ROUNDS: Final = 4
# Scores that are sorted in memory.
SORTED: Final = 1 << 22


@dataclass(frozen=True)
class ScoresTask:
    """Scores of the rows of a shard as an array, higher is better; -inf for a row without one.

    The scores are in the column `column`, which `work` adds, or which the table has if there is no work.
    """

    column: str
    out: str
    work: Any = None
    lower_is_better: bool = False

    def check(self) -> None:
        """InputError if no row can be scored."""
        if self.work is not None:
            self.work.check()

    def output(self, shard: Shard) -> str:
        """Name of the result of a shard."""
        return shard.output(".npy")

    def write(self, shard: Shard, file: BinaryIO) -> tuple[int, int]:
        """Write the scores of a shard; the numbers of rows and of rows without a score."""
        parts = [np.empty(0)]
        for batch in read_shard(shard):
            values = column_of(batch if self.work is None else self.work(batch), self.column)
            numbers = np.array([_number(value) for value in values], np.float64)
            parts.append(-numbers if self.lower_is_better else numbers)
        scores = np.concatenate(parts)
        scores[~np.isfinite(scores)] = -np.inf
        with io.BytesIO() as buffer:
            np.save(buffer, scores, allow_pickle=False)
            file.write(buffer.getvalue())
        return len(scores), int(np.isinf(scores).sum())

    def read(self, shard: Shard) -> Float64s:
        """The scores of a shard, (rows,)."""
        with place_of(f"{self.out}/{self.output(shard)}").open() as file:
            scores: Float64s = np.load(io.BytesIO(file.read()), allow_pickle=False)
        return scores


def _number(value: object) -> float:
    try:
        return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return -np.inf


@dataclass(frozen=True)
class SelectionTask:
    """Rows with a score above `threshold`, and the first `ties` of each shard, by the name of its scores, with just that score.

    `threshold` is a number as text, since it may be infinite, which no JSON is.
    """

    scores: ScoresTask
    threshold: str
    out: str
    kind: str = ""
    ties: Mapping[str, int] = field(default_factory=dict)

    def check(self) -> None:
        """Pass: all scores exist."""

    def output(self, shard: Shard) -> str:
        """Name of the result of a shard."""
        return shard.output(self.kind or "".join(kind_of(place_name(shard.address))))

    def write(self, shard: Shard, file: BinaryIO) -> tuple[int, int]:
        """Write the chosen rows of a shard; their number, and none with a fault."""
        scores = self.scores.read(shard)
        threshold = float(self.threshold)
        mask = scores > threshold
        mask[np.flatnonzero(scores == threshold)[: self.ties.get(self.scores.output(shard), 0)]] = True
        begin = 0
        with writer_of(file, self.output(shard)) as writer:
            for batch in read_shard(shard):
                size = len(column_of(batch, next(iter(_names(batch)))))
                writer.write(rows_where(batch, mask[begin : begin + size]))
                begin += size
        return int(mask.sum()), 0


def _names(batch: Any) -> Sequence[str]:
    return list(batch) if isinstance(batch, Mapping) else batch.schema.names


def selection_of(
    scores: ScoresTask,
    shards: Sequence[Shard],
    out: str,
    kind: str = "",
    pairs: int | None = None,
    share: float | None = None,
    minimum: float | None = None,
) -> SelectionTask:
    """The task that writes the best rows: at most `pairs` of them, the `share` of all rows, and none below `minimum`.

    Rows without a score are never chosen. Of equal scores, those of the first rows are.
    """
    total = sum(len(scores.read(shard)) for shard in shards)
    limits = [limit for limit in (pairs, None if share is None else int(share * total)) if limit is not None]
    bound = -np.inf if minimum is None else np.nextafter(minimum, -np.inf)
    if not limits or _count_above(scores, shards, bound) <= min(limits):
        return SelectionTask(scores, repr(float(bound)), out, kind)
    count = min(limits)
    if count == 0:
        return SelectionTask(scores, "inf", out, kind)
    threshold = _nth_highest(scores, shards, count, bound)
    rest = count - _count_above(scores, shards, threshold)
    ties = {}
    for shard in shards:
        equal = min(rest, int((scores.read(shard) == threshold).sum()))
        ties[scores.output(shard)], rest = equal, rest - equal
    return SelectionTask(scores, repr(threshold), out, kind, ties)


def _count_above(scores: ScoresTask, shards: Sequence[Shard], bound: float) -> int:
    return sum(int((scores.read(shard) > bound).sum()) for shard in shards)


def _finite(scores: ScoresTask, shards: Sequence[Shard], low: float, high: float) -> Iterator[Float64s]:
    """Scores of each shard from `low` to `high`, both included."""
    for shard in shards:
        values = scores.read(shard)
        yield values[np.isfinite(values) & (values >= low) & (values <= high)]


def _nth_highest(scores: ScoresTask, shards: Sequence[Shard], count: int, bound: float) -> float:
    """The score that `count` rows above `bound` have or exceed."""
    low, high = np.inf, -np.inf
    for values in _finite(scores, shards, np.nextafter(bound, np.inf), np.inf):
        if len(values):
            low, high = min(low, float(values.min())), max(high, float(values.max()))
    # Rows above `high` are known to be among the chosen ones; the n-th highest is between both.
    rest = count
    for _ in range(ROUNDS):
        if low == high:
            return low
        edges = np.linspace(low, high, BINS + 1)
        counts = np.zeros(BINS, np.int64)
        for values in _finite(scores, shards, low, high):
            counts += np.histogram(values, edges)[0]
        above = np.cumsum(counts[::-1])
        place = BINS - 1 - int(np.searchsorted(above, rest))
        rest -= int(counts[place + 1 :].sum())
        low, high = float(edges[place]), float(edges[place + 1])
        if place + 1 < BINS:
            # The upper edge belongs to the next bin.
            high = float(np.nextafter(high, -np.inf))
        if counts[place] <= SORTED:
            break
    values = np.sort(np.concatenate(list(_finite(scores, shards, low, high))))
    if len(values) < rest:
        raise InputError("internal-error", "the scores changed between two passes", ("scores",))
    return float(values[len(values) - rest])
