"""Names of sparse features, numbered as they come, and the features of many rows by these numbers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from app.arrays import Bools, Float64s, Int64s
from app.text.ragged import offsets_of, ragged_rows

__all__ = ["Origin", "RowFeatures", "SparseNames", "padded", "summed_rows"]


class Origin(IntEnum):
    """Where a feature's values come from, which says what they count for."""

    # Of a phrase pair, and so part of what a table's limit looks at.
    PAIR = 0
    # Of a phrase pair too, but Moses looks at it once limits have chosen.
    LATER = 1
    # The table's own column: each table of a way has one.
    TABLE = 2
    # Of two phrases beside each other.
    BOUNDARY = 3


class SparseNames:
    """Names by number, in the order in which they came; it belongs to one thread."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.origins: list[Origin] = []
        self._numbers: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self.names)

    def number(self, name: str, origin: Origin = Origin.BOUNDARY) -> int:
        """The number of a name, a new one if it is new; whoever knows says its `origin`, which is BOUNDARY until then."""
        number = self._numbers.setdefault(name, len(self.names))
        if number == len(self.names):
            self.names.append(name)
            self.origins.append(origin)
        elif origin is not Origin.BOUNDARY:
            self.origins[number] = origin
        return number

    def of_origin(self, *origins: Origin) -> Bools:
        """Which numbers are of these; shape (names,)."""
        return np.isin(np.array(self.origins, np.int64), origins)

    def vector(self, values: Mapping[str, float]) -> Float64s:
        """Values by number, 0 for other names; new ones are numbered."""
        numbers = [self.number(name) for name in values]
        made = np.zeros(len(self.names))
        made[numbers] = list(values.values())
        return made


def padded(values: Float64s, width: int) -> Float64s:
    """Values of the first names, 0 behind them: as many as `width`, since names come up later than weights and features."""
    return np.pad(values, (0, max(0, width - len(values))))


@dataclass(frozen=True, eq=False)
class RowFeatures:
    """Features of rows in CSR form: those of row r are ``numbers[offsets[r]:offsets[r + 1]]``, each once, with their `values`."""

    offsets: Int64s
    numbers: Int64s
    values: Float64s

    @classmethod
    def empty(cls, rows: int) -> "RowFeatures":
        """Rows without features."""
        return cls(np.zeros(rows + 1, np.int64), np.zeros(0, np.int64), np.zeros(0))

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def rows(self, chosen: Int64s) -> "RowFeatures":
        """These rows, in this order."""
        places, offsets = ragged_rows(self.offsets, chosen)
        return RowFeatures(offsets, self.numbers[places], self.values[places])

    def sums(self, weights: Float64s) -> Float64s:
        """Each row's weighted sum; `weights` are by number, and numbers behind them weigh nothing."""
        weighted = np.append(weights, 0.0)[np.minimum(self.numbers, len(weights))] * self.values
        return np.asarray(np.bincount(self._owners(), weighted, len(self)), np.float64)

    def only(self, kept: Bools) -> "RowFeatures":
        """The features whose number is `kept`."""
        there = kept[self.numbers]
        counts = np.bincount(self._owners()[there], minlength=len(self))
        return RowFeatures(offsets_of(counts), self.numbers[there], self.values[there])

    def of_row(self, row: int) -> list[tuple[int, float]]:
        """Number and value of each feature of a row."""
        begin, end = self.offsets[row], self.offsets[row + 1]
        return list(zip(self.numbers[begin:end].tolist(), self.values[begin:end].tolist(), strict=True))

    def with_rows(self, first: int, others: "RowFeatures") -> "RowFeatures":
        """What `others` have, added to rows from `first` on."""
        owners = np.concatenate([self._owners(), others._owners() + first])
        return summed_rows(
            len(self), owners, np.concatenate([self.numbers, others.numbers]), np.concatenate([self.values, others.values])
        )

    @classmethod
    def joined(cls, parts: Sequence["RowFeatures"]) -> "RowFeatures":
        """The rows of several, one after the other."""
        return cls(
            offsets_of(np.concatenate([np.diff(part.offsets) for part in parts])),
            np.concatenate([part.numbers for part in parts]), np.concatenate([part.values for part in parts]),
        )  # fmt: skip

    def _owners(self) -> Int64s:
        return np.repeat(np.arange(len(self)), np.diff(self.offsets))


def summed_rows(count: int, rows: Int64s, numbers: Int64s, values: Float64s) -> RowFeatures:
    """Features of so many rows, given in any order; what a row has of one number is summed."""
    width = int(numbers.max(initial=0)) + 1
    keys, places = np.unique(rows * width + numbers, return_inverse=True)
    sums = np.asarray(np.bincount(places.reshape(-1), values, len(keys)), np.float64)
    return RowFeatures(offsets_of(np.bincount(keys // width, minlength=count)), keys % width, sums)
