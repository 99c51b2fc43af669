"""Commands and groups by name; a command is imported when it is called."""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from typer.core import TyperGroup

from app.shell.declaration.catalogue import COMMANDS
from app.shell.declaration.command import build_command

__all__ = ["Group", "command_named"]


class Group(TyperGroup):
    """Commands under a common name; each is imported when it is called, and listed without importing it."""

    def __init__(self, path: str = "", **options: Any) -> None:
        super().__init__(**options)
        self.commands: Any = Members(path)

    def list_commands(self, ctx: Any) -> list[str]:
        """Names of the commands, in the order of help."""
        return list(self.commands)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write a line for each command."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry.summary) for name, entry in self.commands.entries.items()])


class Members(Mapping[str, Any]):
    """Commands and groups directly below a name."""

    def __init__(self, path: str) -> None:
        start = f"{path} " if path else ""
        names = (name for name in COMMANDS if name.startswith(start) and " " not in name.removeprefix(start))
        self.entries = {name.removeprefix(start): COMMANDS[name] for name in names}

    def __getitem__(self, name: str) -> Any:
        return command_named(self.entries[name].name)

    def __iter__(self) -> Iterator[str]:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)


@cache
def command_named(name: str) -> Any:
    """The command or group of a whole name, as ``corpus filter``; KeyError where there is none."""
    entry = COMMANDS[name]
    if entry.options:
        return build_command(entry)
    return Group(name, name=name.rpartition(" ")[2], help=entry.summary, no_args_is_help=True, rich_markup_mode=None)
