"""Lines in the list of commands."""

from typing import NamedTuple

__all__ = ["Entry"]


class Entry(NamedTuple):
    """A command or a group by its whole name, as ``corpus filter``.

    A command has a declaration of its options and a function that does the work, both as ``module:name``; a group has neither.
    """

    name: str
    summary: str
    options: str = ""
    work: str = ""
