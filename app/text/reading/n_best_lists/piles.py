"""Arrays that grow by hundreds of megabytes and are then whole, in little more memory than they need."""

from mmap import ACCESS_COPY, mmap
from typing import Any, Final

import numpy as np

__all__ = ["Pile"]

# Bytes of the first part and of those after it. They are mapped one by one, so that each goes back to the system as soon as it is
# let go, which a heap does not do with holes.
FIRST_BYTES: Final = 1 << 16
PART_BYTES: Final = 1 << 22


class Pile:
    """Numbers of one kind, one after the other."""

    def __init__(self, kind: Any) -> None:
        """An empty one."""
        self._kind = np.dtype(kind)
        self._parts: list[Any] = []
        self._free = 0
        self._size = 0

    def __len__(self) -> int:
        return self._size

    def extend(self, values: Any) -> None:
        """More numbers, an array of them; they are copied."""
        begin = 0
        while begin < len(values):
            if not self._free:
                mapped = mmap(-1, PART_BYTES if self._parts else FIRST_BYTES, access=ACCESS_COPY)
                self._parts.append(np.frombuffer(mapped, self._kind))
                self._free = len(self._parts[-1])
            taken, part = min(self._free, len(values) - begin), self._parts[-1]
            at = len(part) - self._free
            part[at : at + taken] = values[begin : begin + taken]
            begin, self._free, self._size = begin + taken, self._free - taken, self._size + taken

    def whole(self) -> Any:
        """All numbers as one array; what they were in is let go on the way, and nothing can be added any more."""
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
