"""Names of sparse features, numbered in order of appearance, and features of many rows by these numbers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from app.arrays import Bools, Float64s, Int64s
from app.text.ragged import offsets_of, ragged_rows

__all__ = ["FeatureOrigin", "RowFeatures", "SparseNames", "padded", "summed_rows"]


class FeatureOrigin(IntEnum):
    """Origin of a feature's values, which determines where they count."""

    # A phrase pair: the value counts when a table's limit selects rows.
    PAIR = 0
    # A phrase pair too, but Moses adds the value after the limit.
    LATER = 1
    # The table's own column: every table of a way has one.
    TABLE = 2
    # Two adjacent phrases.
    BOUNDARY = 3


class SparseNames:
    """Sparse feature names, numbered in order of appearance; use one object per thread."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.origins: list[FeatureOrigin] = []
        self._numbers: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self.names)

    def number(self, name: str, origin: FeatureOrigin = FeatureOrigin.BOUNDARY) -> int:
        """Number of a name; a new name gets the next number.

        An `origin` other than BOUNDARY replaces the stored one.
        """
        number = self._numbers.setdefault(name, len(self.names))
        if number == len(self.names):
            self.names.append(name)
            self.origins.append(origin)
        elif origin is not FeatureOrigin.BOUNDARY:
            self.origins[number] = origin
        return number

    def of_origin(self, *origins: FeatureOrigin) -> Bools:
        """Mask of the names with these origins; shape (names,)."""
        return np.isin(np.array(self.origins, np.int64), origins)

    def vector(self, values: Mapping[str, float]) -> Float64s:
        """Values by number, 0 for missing names; new names get numbers; shape (names,)."""
        numbers = [self.number(name) for name in values]
        result = np.zeros(len(self.names))
        result[numbers] = list(values.values())
        return result


def padded(values: Float64s, width: int) -> Float64s:
    """Values padded with 0 to `width`, since names may appear after weights or features were computed."""
    return np.pad(values, (0, max(0, width - len(values))))


@dataclass(frozen=True, eq=False)
class RowFeatures:
    """Features of rows in CSR form: row r has ``numbers[offsets[r]:offsets[r + 1]]``, each once, with their `values`."""

    offsets: Int64s
    numbers: Int64s
    values: Float64s

    @classmethod
    def empty(cls, rows: int) -> "RowFeatures":
        """Rows without features."""
        return cls(np.zeros(rows + 1, np.int64), np.zeros(0, np.int64), np.zeros(0))

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def rows(self, order: Int64s) -> "RowFeatures":
        """Copy of these rows, in this order."""
        places, offsets = ragged_rows(self.offsets, order)
        return RowFeatures(offsets, self.numbers[places], self.values[places])

    def sums(self, weights: Float64s) -> Float64s:
        """Weighted sum of each row; `weights` are by number, and 0 beyond their end; shape (rows,)."""
        weighted = np.append(weights, 0.0)[np.minimum(self.numbers, len(weights))] * self.values
        return np.asarray(np.bincount(self._owners(), weighted, len(self)), np.float64)

    def with_numbers(self, mask: Bools) -> "RowFeatures":
        """Copy with the features whose number is in the `mask`; shape of the mask (names,)."""
        indices = mask[self.numbers]
        counts = np.bincount(self._owners()[indices], minlength=len(self))
        return RowFeatures(offsets_of(counts), self.numbers[indices], self.values[indices])

    def of_row(self, row: int) -> list[tuple[int, float]]:
        """Number and value of each feature of a row."""
        begin, end = self.offsets[row], self.offsets[row + 1]
        return list(zip(self.numbers[begin:end].tolist(), self.values[begin:end].tolist(), strict=True))

    def with_rows(self, first: int, additions: "RowFeatures") -> "RowFeatures":
        """Copy with `additions` to the rows from `first` on."""
        owners = np.concatenate([self._owners(), additions._owners() + first])
        return summed_rows(
            len(self), owners, np.concatenate([self.numbers, additions.numbers]), np.concatenate([self.values, additions.values])
        )

    @classmethod
    def joined(cls, parts: Sequence["RowFeatures"]) -> "RowFeatures":
        """Concatenation of the rows of `parts`."""
        return cls(
            offsets_of(np.concatenate([np.diff(part.offsets) for part in parts])),
            np.concatenate([part.numbers for part in parts]), np.concatenate([part.values for part in parts]),
        )  # fmt: skip

    def _owners(self) -> Int64s:
        return np.repeat(np.arange(len(self)), np.diff(self.offsets))


def summed_rows(count: int, rows: Int64s, numbers: Int64s, values: Float64s) -> RowFeatures:
    """Features of `count` rows from triples in any order; values of equal row and number are added."""
    width = int(numbers.max(initial=0)) + 1
    keys, places = np.unique(rows * width + numbers, return_inverse=True)
    sums = np.asarray(np.bincount(places.reshape(-1), values, len(keys)), np.float64)
    return RowFeatures(offsets_of(np.bincount(keys // width, minlength=count)), keys % width, sums)
