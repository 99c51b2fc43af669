"""Options that take several values, as in sacreBLEU: ``-i A B C -m bleu ter``."""

from collections.abc import Iterator, Sequence
from typing import Any

from app.shell.declaration.command import Command

__all__ = ["GreedyCommand", "spread"]


class GreedyCommand(Command):
    """A command whose options that may be repeated also take several values at once."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Arguments with the option repeated before each of its values."""
        names = [name for parameter in self.params if getattr(parameter, "multiple", False) for name in parameter.opts]
        return super().parse_args(ctx, list(spread(args, names)))


def spread(args: Sequence[str], names: Sequence[str]) -> Iterator[str]:
    """Write ``-i A B`` as ``-i A -i B`` for these options. ``-`` is a value; arguments after ``--`` stay."""
    taking, bare = None, False
    for number, argument in enumerate(args):
        if argument == "--":
            yield from args[number:]
            return
        if argument in names:
            taking, bare = argument, True
            yield argument
        elif argument.startswith("-") and argument != "-":
            taking, bare = None, False
            yield argument
        else:
            # The option itself precedes its first value.
            if taking is not None and not bare:
                yield taking
            bare = False
            yield argument
