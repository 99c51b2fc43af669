"""A batch with the resources of its pair, and whatever several features need of them, computed once."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

from app.arrays import Bools, Float64s, Int64s
from app.features.requirements import PairResources, required
from app.text.batch import SegmentBatch, TokenColumn
from app.text.side_information import Kind

__all__ = ["View", "also_in", "copied_tokens", "part", "ratio"]

T = TypeVar("T")
Column = TypeVar("Column")


class View:
    """What features look at: one batch, one pair's resources."""

    def __init__(self, batch: SegmentBatch, resources: PairResources) -> None:
        self.batch = batch
        self.resources = resources
        self._done: dict[Callable[..., Any], Any] = {}

    @property
    def given(self) -> frozenset[Kind[Any]]:
        """What came with the segments."""
        return self.batch.side_information.kinds

    def beside(self, kind: Kind[Column]) -> Column:
        """The side information of a kind; InputError where the segments came without."""
        return required(self.batch.side_information.get(kind), kind)

    @property
    def source(self) -> TokenColumn:
        """The tokens of the sources."""
        return self.batch.source

    @property
    def target(self) -> TokenColumn:
        """The tokens of the translations."""
        return self.batch.translation

    @property
    def texts(self) -> tuple[Sequence[str], Sequence[str]]:
        """Sources and translations as they were sent, or their tokens with blanks between where there is nothing else."""
        if self.batch.texts is not None:
            return self.batch.texts
        columns = self.batch.cased_source, self.batch.cased_translation
        source, target = ([" ".join(column.tokens(row)) for row in range(len(column))] for column in columns)
        return source, target

    def __len__(self) -> int:
        return len(self.batch)

    def done(self, compute: Callable[["View"], T]) -> bool:
        """Whether ``compute(self)`` is there already."""
        return compute in self._done

    def once(self, compute: Callable[["View"], T]) -> T:
        """``compute(self)``, the same object each time."""
        if compute not in self._done:
            self._done[compute] = compute(self)
        result: T = self._done[compute]
        return result


def also_in(column: TokenColumn, other: TokenColumn) -> Bools:
    """Whether each token of `column` stands in the same segment of `other` too; shape (tokens,)."""
    numbers = {word: k for k, word in enumerate(other.vocabulary)}
    same = np.array([numbers.get(word, -1) for word in column.vocabulary], np.int64)[column.ids]
    width = len(other.vocabulary) + 1
    present = np.sort(other.segments * width + other.ids)
    if not len(present):
        return np.zeros(len(column.ids), np.bool_)
    # np.isin does the same, and takes as long for one segment as for a hundred.
    looked_for = column.segments * width + same
    places = np.minimum(np.searchsorted(present, looked_for), len(present) - 1)
    return np.asarray((same >= 0) & (present[places] == looked_for))


def copied_tokens(view: View) -> Bools:
    """Whether each token of the translation stands in its source too."""
    return also_in(view.target, view.source)


def part(block: Callable[[View], Float64s], k: int) -> Callable[[View], Float64s]:
    """Column `k` of a block (n, m) that is computed once."""
    return lambda view: view.once(block)[:, k]


def ratio(numerator: Float64s | Int64s, denominator: Float64s | Int64s) -> Float64s:
    """Element-wise quotient, 0 where the denominator is 0; `denominator` (n,) divides rows of (n, k) too."""
    if numerator.ndim > denominator.ndim:
        denominator = denominator[:, None]
    out = np.zeros(numerator.shape)
    np.divide(numerator, denominator, out=out, where=denominator != 0)
    return out
