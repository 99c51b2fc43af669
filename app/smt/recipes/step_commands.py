"""Commands that are steps of recipes, with the roles of their arguments: all here, or those that a server runs.

Roles, and whether a server runs a command, are read from its declaration. A step of a server has files of the job, flags, numbers,
choices, and text that the declaration marks as plain; every other option is refused, such as one that names a resource, a model or
a tagger of the server, or `--replace`. `configurations.py` holds the files that a `moses.ini` names to those of the job.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from app.shell.declaration.catalogue import COMMANDS
from app.shell.declaration.files import REQUIREMENT, Argument
from app.shell.declaration.tree import command_named

__all__ = ["Parameter", "StepCommand", "StepCommands", "makers_of"]


@dataclass(frozen=True)
class Parameter:
    """An argument or option of a step.

    A step of a server may require what the command itself does not: the command would use standard input or the server's folders.
    """

    name: str
    opts: tuple[str, ...]
    secondary_opts: tuple[str, ...]
    param_type_name: str
    required: bool
    nargs: int
    multiple: bool
    is_flag: bool


@dataclass(frozen=True)
class StepCommand:
    """A command as a step: its parameters in the command's order, and the roles of all its arguments."""

    params: tuple[Parameter, ...]
    arguments: Mapping[str, Argument]
    resumes: bool


class StepCommands(Mapping[str, StepCommand]):
    """Step commands by name, as ``corpus filter``; a command is imported when it is asked for."""

    def __init__(self, server: bool = False) -> None:
        self.server = server

    def __getitem__(self, name: str) -> StepCommand:
        entry = COMMANDS[name]
        command = command_named(name) if entry.options else None
        if command is None or (self.server and not command.properties.server) or not any(map(_is_file, command.arguments.values())):
            raise KeyError(name)
        parameters = (parameter for parameter in command.params if parameter.name in command.arguments)
        served = [one for one in parameters if not self.server or command.arguments[one.name].served]
        return StepCommand(
            tuple(_parameter(one, command.arguments[one.name], self.server) for one in served),
            command.arguments,
            command.properties.resumes,
        )

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    @cached_property
    def _names(self) -> tuple[str, ...]:
        return tuple(name for name in COMMANDS if name in self)


def makers_of(name: str) -> dict[str, frozenset[str]]:
    """Arguments of a command that are files of numbers, with the commands whose output they may be."""
    arguments = command_named(name).arguments.values()
    return {one.name: one.role.makers for one in arguments if one.reads and one.role.makers}


def _is_file(argument: Argument) -> bool:
    return argument.role is not None


def _parameter(parameter: Any, argument: Argument, server: bool) -> Parameter:
    return Parameter(
        parameter.name,
        tuple(parameter.opts),
        tuple(parameter.secondary_opts),
        parameter.param_type_name,
        parameter.required or (server and REQUIREMENT in argument.marks),
        parameter.nargs,
        getattr(parameter, "multiple", False),
        getattr(parameter, "is_flag", False),
    )
