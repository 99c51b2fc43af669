"""Lines in the list of commands."""

from collections.abc import Iterable
from typing import NamedTuple

__all__ = ["Entry", "entries"]


class Entry(NamedTuple):
    """A command or a group by its whole name, as ``corpus filter``.

    A command has a declaration of its options and a function that does the work, both as ``module:name``; a group has neither.
    """

    name: str
    summary: str
    options: str = ""
    work: str = ""


def entries(options: str, commands: str, rows: Iterable[tuple[str, ...]]) -> tuple[Entry, ...]:
    """Entries of rows: name and summary, and of a command its module, the class of its options, and its function.

    The module lies in the package `options` and again in the package `commands`.
    """
    return tuple(
        Entry(*row) if len(row) == 2 else Entry(row[0], row[1], f"{options}.{row[2]}:{row[3]}", f"{commands}.{row[2]}:{row[4]}")
        for row in rows
    )
