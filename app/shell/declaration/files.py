"""Roles of arguments and options: files that a command reads or writes, and values that a server's step may have."""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from app.errors import InputError

__all__ = [
    "ALIGNERS",
    "LANGUAGE_MODELS",
    "LEXICAL_TABLES",
    "LOCAL_MACHINE",
    "PLAIN_TEXT",
    "REQUIREMENT",
    "Argument",
    "InFile",
    "Mark",
    "OutFile",
    "OutFolder",
    "Replacing",
    "check_file",
    "check_files",
    "check_folder",
]

# Commands whose output is numbers that other commands map into memory as they are.
ALIGNERS: Final = frozenset({"resources align"})
LANGUAGE_MODELS: Final = frozenset({"resources lm", "resources import-lm", "resources mix-lm"})
LEXICAL_TABLES: Final = frozenset({"resources import-lexical"})


@dataclass(frozen=True)
class InFile:
    """A file or folder that is read: FILE, FILE:COLUMN, NAME=FILE or NAME=FILE:COLUMN; ``-`` is standard input.

    Of a value in two parts the `first` is the file. A `shipped` one may be the name of something that ships with Assay.
    A file of numbers is mapped into memory as it is; a server takes only those that `makers` have written, or text.
    """

    first: bool = False
    shipped: bool = False
    makers: frozenset[str] = frozenset()


@dataclass(frozen=True)
class OutFile:
    """A file that is written; of a value in two parts the `first` is the file.

    A `named` one may be NAME=FILE; its command checks the file, since it knows the names. A `resumed` one may exist, since the
    command knows the file of its earlier run and refuses others.
    """

    first: bool = False
    named: bool = False
    resumed: bool = False


@dataclass(frozen=True)
class OutFolder:
    """A folder that files are written into; its command checks the single files."""

    first: bool = False


@dataclass(frozen=True)
class Mark:
    """A property of a parameter in steps of a server."""

    name: str


# The parameter names something of the machine that runs the command: no step of a server has it.
LOCAL_MACHINE: Final = Mark("here only")
# The text is a name, a number or a formula, never a place: a step of a server may have it.
PLAIN_TEXT: Final = Mark("plain text")
# A step of a server must name this, although the command has a default (standard input, or a folder of the machine).
REQUIREMENT: Final = Mark("needed")

Role = InFile | OutFile | OutFolder


@dataclass(frozen=True)
class Argument:
    """A field of a declaration: its name, the option's flag or the argument's name, its role and its marks.

    Values of a `closed` type are flags, numbers or choices, so that they can name nothing of a machine.
    """

    name: str
    shown: str
    closed: bool
    role: Role | None = None
    marks: frozenset[Mark] = field(default_factory=frozenset)

    @property
    def reads(self) -> bool:
        """True for a parameter that names an input file."""
        return isinstance(self.role, InFile)

    @property
    def writes(self) -> bool:
        """True for a parameter that names an output file or folder."""
        return isinstance(self.role, OutFile | OutFolder)

    @property
    def served(self) -> bool:
        """True for parameters of server steps: files of the job, closed types, and text marked as plain."""
        return LOCAL_MACHINE not in self.marks and (self.closed or self.role is not None or PLAIN_TEXT in self.marks)

    @property
    def first(self) -> bool:
        """True if only the first part of the value is a file."""
        return self.role is not None and self.role.first


@dataclass(frozen=True, kw_only=True)
class Replacing:
    """Options of a command that refuses to overwrite files without --replace."""

    replace: Annotated[bool, typer.Option("--replace", help="Overwrite output files that exist."), LOCAL_MACHINE] = False


def check_files(arguments: list[Argument], values: Mapping[str, Any]) -> None:
    """InputError where an output is an input or another output, cannot be written, or exists and --replace is not set."""
    from app.building.writing import check_apart

    reads = [path for argument in arguments if argument.reads for path in _inputs(values.get(argument.name), argument.first)]
    writes = [
        (argument, Path(text))
        for argument in arguments
        if argument.writes
        for text in _texts(values.get(argument.name), argument.first)
    ]
    check_apart(reads, [path for _, path in writes])
    if len({path.absolute() for _, path in writes}) < len(writes):
        raise InputError("invalid-request", "two of the output files are the same")
    for argument, path in writes:
        if isinstance(argument.role, OutFolder):
            check_folder(path, argument.shown)
            continue
        if isinstance(argument.role, OutFile) and argument.role.named:
            continue
        check_file(path, argument.shown)
        if not values.get("replace", True) and path.exists() and not (isinstance(argument.role, OutFile) and argument.role.resumed):
            raise InputError("invalid-request", f"{path} exists already; --replace overwrites it", (argument.shown,))


def _texts(value: Any, first: bool) -> list[str]:
    """Values as they were typed, or the first part of a value. Standard input and output are no files."""
    values = value if isinstance(value, list | tuple) else [] if value is None else [value]
    return [text for text in map(str, values[:1] if first else values) if text != "-"]


def _inputs(value: Any, first: bool) -> Iterator[Path]:
    """Files that FILE, FILE:COLUMN, NAME=FILE or NAME=FILE:COLUMN may name."""
    for text in _texts(value, first):
        for part in {text, text.partition("=")[2]}:
            yield from (Path(path) for path in (part, part.rpartition(":")[0]) if path)


def check_folder(folder: Path, option: str) -> None:
    """Raise InputError if a folder neither exists nor can be made. Call it before hours of work."""
    above = next(path for path in (folder, *folder.absolute().parents) if path.exists())
    if not above.is_dir():
        raise InputError("invalid-request", f"{above} is not a folder", (option,))
    if not os.access(above, os.W_OK):
        raise InputError("invalid-request", f"{above} cannot be written to", (option,))


def check_file(file: Path, option: str) -> None:
    """InputError where a file cannot be written: it is a folder, or its folder does not exist."""
    if file.is_dir():
        raise InputError("invalid-request", f"{file} is a folder", (option,))
    if not file.parent.is_dir():
        raise InputError("invalid-request", f"{file.parent} is not a folder", (option,))
    # Special files, as /dev/stdout, are written to directly.
    if not os.access(file if file.exists() else file.parent, os.W_OK):
        raise InputError("invalid-request", f"{file} cannot be written", (option,))
