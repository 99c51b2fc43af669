"""Growing arrays of hundreds of megabytes, with little overhead of memory."""

from mmap import ACCESS_COPY, mmap
from typing import Any, Final

import numpy as np

__all__ = ["Pile"]

# Bytes of the first part and of later parts. Each part is mapped alone: its memory returns to the system at once when it is freed,
# unlike a hole in the heap.
FIRST_BYTES: Final = 1 << 16
PART_BYTES: Final = 1 << 22


class Pile:
    """A growing array of one NumPy type."""

    def __init__(self, kind: Any) -> None:
        """Begin empty; `kind` is a NumPy type."""
        self._kind = np.dtype(kind)
        self._parts: list[Any] = []
        self._free = 0
        self._size = 0

    def __len__(self) -> int:
        return self._size

    def extend(self, values: Any) -> None:
        """Append a copy of an array."""
        begin = 0
        while begin < len(values):
            if not self._free:
                part_memory = mmap(-1, PART_BYTES if self._parts else FIRST_BYTES, access=ACCESS_COPY)
                self._parts.append(np.frombuffer(part_memory, self._kind))
                self._free = len(self._parts[-1])
            count, part = min(self._free, len(values) - begin), self._parts[-1]
            at = len(part) - self._free
            part[at : at + count] = values[begin : begin + count]
            begin, self._free, self._size = begin + count, self._free - count, self._size + count

    def to_array(self) -> Any:
        """Return all values as one array and free the parts; the pile cannot grow afterwards."""
        out = np.empty(self._size, self._kind)
        at = 0
        parts, self._parts = self._parts[::-1], [out]
        while parts:
            part = parts.pop()
            end = min(at + len(part), self._size)
            out[at:end] = part[: end - at]
            at = end
            del part
        self._free = 0
        return out
