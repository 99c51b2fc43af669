"""Many texts in one UTF-8 buffer; a text is decoded at each access."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import overload

import numpy as np

from app.arrays import Int64s, UInt8s
from app.text.ragged import offsets_of

__all__ = ["PackedTexts"]


@dataclass(frozen=True, eq=False)
class PackedTexts(Sequence[str]):
    """Text i is ``data[offsets[i]:offsets[i + 1]]``. Half a surrogate pair, as JSON may hold it, survives unchanged."""

    data: UInt8s
    offsets: Int64s

    @classmethod
    def of(cls, texts: Iterable[str]) -> "PackedTexts":
        """Pack texts, in their order."""
        pieces = [text.encode("utf-8", "surrogatepass") for text in texts]
        return cls(np.frombuffer(b"".join(pieces), np.uint8), np.fromiter(accumulate(map(len, pieces), initial=0), np.int64))

    @property
    def longest(self) -> int:
        """Number of bytes of the longest text, 0 if there are none."""
        return int(np.diff(self.offsets).max(initial=0))

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @overload
    def __getitem__(self, at: int) -> str: ...
    @overload
    def __getitem__(self, at: slice) -> list[str]: ...
    def __getitem__(self, at: int | slice) -> str | list[str]:
        if isinstance(at, slice):
            return [self[k] for k in range(*at.indices(len(self)))]
        if not -len(self) <= at < len(self):
            raise IndexError(at)
        begin, end = self.offsets[at % len(self)], self.offsets[at % len(self) + 1]
        return self.data[begin:end].tobytes().decode("utf-8", "surrogatepass")

    def __iter__(self) -> Iterator[str]:
        data, ends = self.data.tobytes(), self.offsets.tolist()
        return (data[begin:end].decode("utf-8", "surrogatepass") for begin, end in pairwise(ends))

    def rows(self, rows: Int64s) -> "PackedTexts":
        """Texts of these rows, in their order."""
        data, out = self.data.data, bytearray()
        for begin, end in zip(self.offsets[rows].tolist(), self.offsets[rows + 1].tolist(), strict=True):
            out += data[begin:end]
        return PackedTexts(np.frombuffer(out, np.uint8), offsets_of(np.diff(self.offsets)[rows]))
