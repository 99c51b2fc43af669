"""Cells that are no values: keys that an object does not have, and cells of rows with a fault."""

from dataclasses import dataclass
from typing import Final

__all__ = ["ABSENT", "Absent", "Fault"]


class Absent:
    """The value of a key that an object does not have."""

    def __repr__(self) -> str:
        return "absent"


ABSENT: Final = Absent()


@dataclass(frozen=True)
class Fault:
    """A cell of a row with a fault: the reason, which begins with its code, and the value to write.

    The value is None for one that files cannot hold, and `ABSENT` for a key that the object does not have.
    """

    reason: str
    value: object = None

    def __str__(self) -> str:
        return str(self.value)
