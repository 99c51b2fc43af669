"""Lines in the list of commands."""

from collections.abc import Iterable
from typing import NamedTuple

__all__ = ["Entry", "entries"]


class Entry(NamedTuple):
    """A command or a group by its full name, such as ``corpus filter``.

    A command has a class of options and a function that does the work, both as ``module:name``. Without a function, the method
    `run` of the class does the work. A group has neither.
    """

    name: str
    summary: str
    options: str = ""
    work: str = ""


def entries(options: str, commands: str, rows: Iterable[tuple[str, ...]]) -> tuple[Entry, ...]:
    """Entries of rows: name and summary; for a command also its module, the class of its options, and its function.

    The module lies in the package `options` and again in the package `commands`. A command without a function has one module, in
    `commands`.
    """
    return tuple(_entry(options, commands, *row) for row in rows)


def _entry(options: str, commands: str, name: str, summary: str, module: str = "", declaration: str = "", work: str = "") -> Entry:
    if not module:
        return Entry(name, summary)
    if not work:
        return Entry(name, summary, f"{commands}.{module}:{declaration}")
    return Entry(name, summary, f"{options}.{module}:{declaration}", f"{commands}.{module}:{work}")
