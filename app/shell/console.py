"""Tables and progress bars in a terminal, apart from other output so that commands without them start at once."""

import sys
from collections.abc import Callable, Iterator, Sequence, Set
from contextlib import contextmanager

from rich.console import Console
from rich.progress import Progress
from rich.table import Table

__all__ = ["print_table", "terminal_bar"]

# Width of tables that a file or another program reads.
FILE_WIDTH = 200


class _Console(Console):
    """A console that leaves broken pipes to the program."""

    def on_broken_pipe(self) -> None:
        """Raise the error of the pipe again, within its handler."""
        raise


@contextmanager
def terminal_bar(title: str) -> Iterator[Callable[[str, float], None]]:
    """A bar on stderr, and a function that moves it: it takes a message and the finished share."""
    with Progress(console=_Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=1.0)
        yield lambda message, share: bar.update(task, description=message, completed=share)


def print_table(names: Sequence[str], numeric: Set[str], rows: Sequence[Sequence[str]], limit: int | None = None) -> None:
    """Print rows of cells below column names, in aligned columns; `numeric` columns are aligned at the right.

    Long cells fold if the table is wider than the terminal or `limit`.
    """
    table = Table(box=None, pad_edge=False, show_edge=False)
    for name in names:
        table.add_column(name, justify="right" if name in numeric else "left", overflow="fold")
    for cells in rows:
        table.add_row(*cells)
    console = _Console(width=None if sys.stdout.isatty() else FILE_WIDTH, highlight=False, markup=False)
    console.print(table, width=min(console.width, limit or console.width))
