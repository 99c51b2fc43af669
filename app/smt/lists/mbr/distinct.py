"""Lists of distinct texts: equal texts are computed once."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from app.arrays import Float64s, Int64s
from app.text.ragged import offsets_of

__all__ = ["DistinctTexts"]


@dataclass(frozen=True, eq=False)
class DistinctTexts:
    """The d distinct texts of n lists, in order of appearance: list i has ``offsets[i]:offsets[i + 1]``.

    Entry h of the original lists is text ``place[h]``.
    """

    texts: Sequence[str]
    offsets: Int64s
    place: Int64s

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __iter__(self) -> Iterator[tuple[int, int]]:
        """Yield the begin and end of each list."""
        return zip(self.offsets[:-1].tolist(), self.offsets[1:].tolist(), strict=True)

    @classmethod
    def of(cls, texts: Sequence[str], offsets: Int64s) -> "DistinctTexts":
        """Build from lists with entries ``texts[offsets[i]:offsets[i + 1]]``."""
        distinct: list[str] = []
        place, sizes = np.empty(len(texts), np.int64), []
        entries = iter(texts)
        for begin, end in zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True):
            numbers: dict[str, int] = {}
            first = len(distinct)
            for h in range(begin, end):
                place[h] = first + numbers.setdefault(next(entries), len(numbers))
            distinct += numbers
            sizes.append(len(numbers))
        return cls(distinct, offsets_of(sizes), place)

    @cached_property
    def lengths(self) -> Int64s:
        """Number of distinct texts of each list; shape (n,)."""
        return np.diff(self.offsets)

    @cached_property
    def list_of(self) -> Int64s:
        """The list of each distinct text; shape (d,)."""
        return np.repeat(np.arange(len(self)), self.lengths)

    def gathered(self, weights: Float64s) -> Float64s:
        """Return the weight of each distinct text, summed over its entries; (h,) to (d,)."""
        return np.bincount(self.place, weights, len(self.texts)).astype(np.float64)
