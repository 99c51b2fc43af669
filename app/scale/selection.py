"""The best rows of tables of any size, in two passes: scores of all rows, then the rows above a threshold.

The threshold is exact, and memory does not grow with the rows: histograms of the bits of scores find it digit by digit.
"""

import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, BinaryIO, ClassVar, Final

import numpy as np

from app.arrays import Float64s, UInt64s
from app.errors import InputError
from app.scale.batches import column_of, row_count, rows_where
from app.scale.files.places import place_of
from app.scale.files.reading import read_shard
from app.scale.files.shards import Shard
from app.scale.files.writing import writer_of

__all__ = ["ScoresTask", "SelectionTask", "selection_of"]

# Bits of a digit of keys.
DIGIT_BITS: Final = 16
SIGN: Final = np.uint64(1 << 63)


@dataclass(frozen=True)
class ScoresTask:
    """Scores of the rows of a shard as an array, higher is better; -inf for a row without one. A score is a finite number.

    The scores are in the column `column`, which `work` adds, or which the table has if there is no work.
    """

    column: str
    out: str
    work: Any = None
    lower_is_better: bool = False

    def cards(self) -> Mapping[str, str]:
        """Digests of the cards of the work; InputError if no row can be scored."""
        digests: Mapping[str, str] = {} if self.work is None else self.work.cards()
        return digests

    def output(self, shard: Shard) -> str:
        """Name of the result of a shard."""
        return shard.companion(".npy")

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
        return len(scores), int(np.isneginf(scores).sum())

    def check(self, shard: Shard) -> None:
        """Read the scores; any error for damaged ones."""
        self.read(shard)

    def read(self, shard: Shard) -> Float64s:
        """The scores of a shard, (rows,)."""
        with place_of(f"{self.out}/{self.output(shard)}").open() as file:
            scores: Float64s = np.load(io.BytesIO(file.read()), allow_pickle=False)
        return scores


def _number(value: object) -> float:
    """The number that a value is, or that a text writes in full; NaN for others, such as True and ``1_0``."""
    if isinstance(value, bool | np.bool_) or (isinstance(value, str) and "_" in value):
        return np.nan
    try:
        return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return np.nan


@dataclass(frozen=True)
class SelectionTask:
    """Rows with a score above `threshold`, and the first `ties` of each shard, by the name of its scores, with just that score.

    `threshold` is a number as text, since it may be infinite, which no JSON is. `budget` has the limits that led to it. `faults`
    are the reasons of shards without scores, by the names of these.
    """

    # Facts that follow from the inputs: a repaired one may change them.
    OUTCOMES: ClassVar = ("threshold", "ties", "faults")

    scores: ScoresTask
    threshold: str
    out: str
    kind: str = ""
    budget: Mapping[str, float | None] = field(default_factory=dict)
    ties: Mapping[str, int] = field(default_factory=dict)
    faults: Mapping[str, str] = field(default_factory=dict)

    def cards(self) -> Mapping[str, str]:
        """No cards: all scores exist."""
        return {}

    def output(self, shard: Shard) -> str:
        """Name of the result of a shard."""
        return shard.output(self.kind)

    def write(self, shard: Shard, file: BinaryIO) -> tuple[int, int]:
        """Write the chosen rows of a shard; their number, and none with a fault. InputError for a shard without scores."""
        fault = self.faults.get(self.scores.output(shard))
        if fault is not None:
            code, _, reason = fault.partition(": ")
            raise InputError(code, reason)
        scores = self.scores.read(shard)
        threshold = float(self.threshold)
        mask = scores > threshold
        mask[np.flatnonzero(scores == threshold)[: self.ties.get(self.scores.output(shard), 0)]] = True
        begin = 0
        with writer_of(file, self.output(shard)) as writer:
            for batch in read_shard(shard):
                size = row_count(batch)
                writer.write(rows_where(batch, mask[begin : begin + size]))
                begin += size
        return int(mask.sum()), 0

    def check(self, shard: Shard) -> None:
        """Do nothing: no run reads its results."""


def selection_of(
    task: SelectionTask, shards: Sequence[Shard], pairs: int | None = None, minimum: float | None = None
) -> SelectionTask:
    """A task with the threshold and the ties of the best rows: at most `pairs` of them, and none below `minimum`.

    Rows without a score are never chosen. Of equal scores, those of the first rows are.
    """
    scores = task.scores
    shards = [shard for shard in shards if scores.output(shard) not in task.faults]
    bound = -np.inf if minimum is None else float(np.nextafter(minimum, -np.inf))
    if pairs is None or _count_above(scores, shards, bound) <= pairs:
        return replace(task, threshold=repr(bound))
    if pairs == 0:
        return replace(task, threshold="inf")
    threshold = _nth_highest(scores, shards, pairs, bound)
    rest = pairs - _count_above(scores, shards, threshold)
    ties = {}
    for shard in shards:
        equal = min(rest, int((scores.read(shard) == threshold).sum()))
        ties[scores.output(shard)], rest = equal, rest - equal
    return replace(task, threshold=repr(threshold), ties=ties)


def _count_above(scores: ScoresTask, shards: Sequence[Shard], bound: float) -> int:
    return sum(int((scores.read(shard) > bound).sum()) for shard in shards)


def _nth_highest(scores: ScoresTask, shards: Sequence[Shard], count: int, bound: float) -> float:
    """The score that `count` rows above `bound` have or exceed."""
    # Leading digits of its key, and its place among the keys that begin with them.
    digits, rest = 0, count
    for shift in range(64 - DIGIT_BITS, -1, -DIGIT_BITS):
        counts = np.zeros(1 << DIGIT_BITS, np.int64)
        for keys in _keys_above(scores, shards, bound):
            heads = keys >> np.uint64(shift)
            matches = heads[heads >> np.uint64(DIGIT_BITS) == digits]
            counts += np.bincount((matches & np.uint64(len(counts) - 1)).astype(np.int64), minlength=len(counts))
        totals = np.cumsum(counts[::-1])
        place = int(np.searchsorted(totals, rest))
        if place == len(counts):
            raise InputError("internal-error", "the scores changed between two passes", ("scores",))
        rest -= int(totals[place - 1]) if place else 0
        digits = digits << DIGIT_BITS | len(counts) - 1 - place
    key = np.uint64(digits)
    return float((key ^ SIGN if key & SIGN else ~key).view(np.float64))


def _keys_above(scores: ScoresTask, shards: Sequence[Shard], bound: float) -> Iterator[UInt64s]:
    """Keys of the scores of each shard above `bound`: whole numbers in their order. Both zeros have one key."""
    for shard in shards:
        values = scores.read(shard)
        bits = (values[values > bound] + 0.0).view(np.uint64)
        yield np.where(bits & SIGN, ~bits, bits | SIGN)
