"""Declarations of commands: a class whose fields are the arguments and options, and the command built from it.

A declaration imports nothing heavy, so that help is printed at once. The function that does the work is imported when it is called,
and takes one object of the class. A class with a method `run` does the work itself; `run` then imports what is heavy.
"""

from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, fields
from enum import Enum
from importlib import import_module
from inspect import Parameter, Signature
from types import NoneType
from typing import Any, ClassVar, Final, Literal, TypeVar, get_args, get_origin, get_type_hints

from typer.main import get_command_from_info
from typer.models import CommandInfo

from app.shell.declaration.entries import Entry
from app.shell.declaration.files import Argument, InFile, Mark, OutFile, OutFolder, check_files
from app.shell.declaration.help import HelpfulCommand
from app.shell.declaration.kernels import prepare_kernels

__all__ = ["Command", "Properties", "build_command", "declare", "imported"]

OptionsClass = TypeVar("OptionsClass", bound=type[Any])
# Name of the attribute of a declaration that holds its properties.
PROPERTIES: Final = "command_properties"


@dataclass(frozen=True)
class Properties:
    """Properties of a command beside its options.

    A `server` may run the command as a step of a recipe. The command `resumes` from its unfinished output. `style` is the class of
    the command (``module:name``), where arguments are read in another way than usual.
    """

    server: bool = False
    resumes: bool = False
    style: str = ""


def declare(server: bool = False, resumes: bool = False, style: str = "") -> Callable[[OptionsClass], OptionsClass]:
    """Give a declaration properties; see `Properties`."""

    def mark(declaration: OptionsClass) -> OptionsClass:
        setattr(declaration, PROPERTIES, Properties(server, resumes, style))
        return declaration

    return mark


class Command(HelpfulCommand):
    """A command of the program with its declaration."""

    properties: Properties = Properties()
    arguments: ClassVar[Mapping[str, Argument]] = {}


def imported(place: str) -> Any:
    """The object at ``module:name``."""
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)


def build_command(entry: Entry) -> Command:
    """The command of a line in the list."""
    declaration = imported(entry.options)
    properties: Properties = getattr(declaration, PROPERTIES, Properties())
    hints = get_type_hints(declaration, include_extras=True)
    files: list[Argument] = []

    def call(**values: Any) -> None:
        check_files(files, values)
        work = imported(entry.work) if entry.work else declaration.run
        prepare_kernels()
        work(declaration(**values))

    parameters = [
        Parameter(
            field.name,
            Parameter.KEYWORD_ONLY,
            default=Parameter.empty if field.default is MISSING else field.default,
            annotation=hints[field.name],
        )
        for field in fields(declaration)
    ]
    call.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    call.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    style = imported(properties.style) if properties.style else Command
    info = CommandInfo(entry.name.rpartition(" ")[2], callback=call, cls=style, help=entry.summary)
    command: Any = get_command_from_info(info, pretty_exceptions_short=False, rich_markup_mode=None)
    types = {parameter.name: _parameter_type(parameter) for parameter in command.params}
    command.arguments = {name: _argument(name, types[name], hints[name]) for name in types if name in hints}
    command.properties = properties
    files += command.arguments.values()
    return command  # type: ignore[no-any-return]


def _argument(name: str, flag: str, hint: Any) -> Argument:
    value, metadata = getattr(hint, "__origin__", hint), getattr(hint, "__metadata__", ())
    role = next((item for item in metadata if isinstance(item, InFile | OutFile | OutFolder)), None)
    return Argument(name, flag, _is_closed(value), role, frozenset(item for item in metadata if isinstance(item, Mark)))


def _is_closed(hint: Any) -> bool:
    """Return True if all parts of a type are flags, numbers or choices."""
    if get_origin(hint) is Literal:
        return True
    parts = [part for part in get_args(hint) if part is not NoneType]
    return all(map(_is_closed, parts)) if parts else issubclass(hint, int | float | Enum)


def _parameter_type(parameter: Any) -> str:
    """The flag of an option, or the name of an argument."""
    return next((flag for flag in parameter.opts if flag.startswith("--")), str(parameter.name))
