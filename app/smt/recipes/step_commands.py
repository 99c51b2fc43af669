"""Commands as steps of recipes, with the roles of their arguments, on this machine or on a server.

A command's declaration states the roles, and if a server runs the command. A server accepts files of the job, flags, numbers,
choices, and text marked as plain. It refuses all other options, such as `--replace` and names of the server's resources, models or
taggers. `configurations.py` restricts the files in a `moses.ini` to files of the job.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from app.shell.declaration.catalogue import COMMANDS
from app.shell.declaration.files import REQUIREMENT, Argument
from app.shell.declaration.tree import command_named

__all__ = ["StepCommand", "StepCommands", "makers_of"]


@dataclass(frozen=True)
class StepCommand:
    """A command as a step: its parameters (of click) in the command's order, and the roles of all its arguments.

    `required` are names of parameters. Some are required only on a server; without them a command would use standard input or the
    server's folders.
    """

    params: tuple[Any, ...]
    required: frozenset[str]
    arguments: Mapping[str, Argument]
    resumes: bool


class StepCommands(Mapping[str, StepCommand]):
    """Step commands by name, such as ``corpus filter``; each is imported at its first use."""

    def __init__(self, server: bool = False) -> None:
        self.server = server

    def __getitem__(self, name: str) -> StepCommand:
        entry = COMMANDS[name]
        command = command_named(name) if entry.options else None
        if command is None or (self.server and not command.properties.server) or not any(map(_is_file, command.arguments.values())):
            raise KeyError(name)
        parameters = (parameter for parameter in command.params if parameter.name in command.arguments)
        usable = tuple(parameter for parameter in parameters if not self.server or command.arguments[parameter.name].served)
        required = {parameter.name for parameter in usable if parameter.required}
        if self.server:
            required |= {parameter.name for parameter in usable if REQUIREMENT in command.arguments[parameter.name].marks}
        return StepCommand(usable, frozenset(required), command.arguments, command.properties.resumes)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    @cached_property
    def _names(self) -> tuple[str, ...]:
        return tuple(name for name in COMMANDS if name in self)


def makers_of(name: str) -> dict[str, frozenset[str]]:
    """Arguments of a command that may be binary files, with the commands that may write them."""
    arguments = command_named(name).arguments.values()
    return {argument.name: argument.role.makers for argument in arguments if argument.reads and argument.role.makers}


def _is_file(argument: Argument) -> bool:
    return argument.role is not None
