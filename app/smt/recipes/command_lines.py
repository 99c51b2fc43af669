"""Command lines of a recipe's steps, with their input and output files."""

import re
import shlex
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any, Final

from app.errors import InputError
from app.shell.declaration.files import InFile
from app.smt.recipes.reading import Recipe, Step
from app.smt.recipes.step_commands import StepCommand

__all__ = ["MANIFESTS", "CommandLine", "command_lines", "is_file_name", "is_within", "overlap", "typed_line"]

# Folder for manifests of finished steps, inside a recipe's folder.
MANIFESTS: Final = "manifests"
# File names that a server accepts: at most four parts, none of which leads out of the job's folder.
FILE_NAME: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,99}(?:/[A-Za-z0-9_][A-Za-z0-9._-]{0,99}){0,3}")
LONGEST_FILE_NAME: Final = 200
TRUE: Final = "true"
FALSE: Final = "false"


@dataclass(frozen=True)
class CommandLine:
    """Arguments of `assay` for a step, run from the recipe's folder; file paths are relative to it.

    `replaces`: the command has an option that overwrites existing files. `resumes`: the command continues existing output.
    """

    step: Step
    arguments: tuple[str, ...]
    reads: tuple[str, ...]
    writes: tuple[str, ...]
    prints: str | None
    replaces: bool
    resumes: bool

    @property
    def outputs(self) -> tuple[str, ...]:
        """Files that the step writes, including its printed output."""
        return self.writes if self.prints is None else (*self.writes, self.prints)


def is_file_name(name: str) -> bool:
    """Return True if a server accepts this file name."""
    return len(name) <= LONGEST_FILE_NAME and FILE_NAME.fullmatch(name) is not None


def command_lines(recipe: Recipe, commands: Mapping[str, StepCommand], files: Collection[str] | None = None) -> list[CommandLine]:
    """Command line of each step; `commands` maps names to the commands that may be steps.

    An input is the output of an earlier step, or a file beside the recipe. With `files`, those names replace the files beside the
    recipe; then the disk is not read, and every name must pass `is_file_name`. InputError names the line of the step. It is raised
    for an unknown command, option or input, and for an output written twice or outside the recipe's folder.
    """
    writers: dict[str, Step] = {}
    lines = []
    for step in recipe.steps:
        line = _Arguments(recipe, step, writers, _command(recipe, step, commands), files).command_line()
        for path in line.outputs:
            if any(overlap(name, path) for name in files or ()):
                raise _refused(recipe, step, f"{path} is a file that was given")
            writer = next((step for name, step in writers.items() if overlap(name, path)), None)
            if writer is not None:
                raise _refused(recipe, step, f"{path} is written by {writer.name} already")
            writers[path] = step
        lines.append(line)
    return lines


def typed_line(line: CommandLine) -> str:
    """The line as typed in a shell."""
    command = shlex.join(("assay", *line.arguments))
    return command if line.prints is None else f"{command} > {shlex.quote(line.prints)}"


def _refused(recipe: Recipe, step: Step, detail: str) -> InputError:
    return InputError("invalid-request", f"line {step.line} of {recipe.path}, {step.name}: {detail}", (str(recipe.path), step.line))


def overlap(path: str, second_path: str) -> bool:
    """Return True if two paths are equal, or one lies in the other."""
    first, second = PurePosixPath(path), PurePosixPath(second_path)
    return first == second or first in second.parents or second in first.parents


def is_within(name: str, paths: Iterable[str]) -> bool:
    """Return True if a path is one of `paths`, or lies in one."""
    return any(name == path or name.startswith(f"{path}/") for path in paths)


def _command(recipe: Recipe, step: Step, commands: Mapping[str, StepCommand]) -> StepCommand:
    if step.command not in commands:
        raise _refused(recipe, step, f"no step is {step.command}; steps are {', '.join(sorted(commands))}")
    return commands[step.command]


class _Arguments:
    """Arguments of a step's command from the values of the step."""

    def __init__(
        self, recipe: Recipe, step: Step, writers: Mapping[str, Step], command: StepCommand, files: Collection[str] | None
    ) -> None:
        self.recipe, self.step, self.writers, self.command, self.files = recipe, step, writers, command, files
        self.reads: list[str] = []
        self.writes: list[str] = []
        for value in step.needs:
            self.read(value)

    def command_line(self) -> CommandLine:
        step = self.step
        parameters = {parameter.name: parameter for parameter in self.command.params}
        names = {_long(parameter): parameter for parameter in parameters.values()} | parameters
        unknown = next((name for name in step.values if name not in names), None)
        if unknown is not None:
            options = ", ".join(sorted(_long(parameter).replace("_", "-") for parameter in parameters.values()))
            raise _refused(self.recipe, step, f"{step.command} has no {unknown.replace('_', '-')}; there are {options}")
        values_by_name = {names[name].name: values for name, values in step.values.items()}
        for name, parameter in parameters.items():
            if name in self.command.required and name not in values_by_name:
                raise _refused(self.recipe, step, f"{step.command} needs {_long(parameter).replace('_', '-')}")
        if "replace" in values_by_name:
            raise _refused(self.recipe, step, "what a recipe has written it may replace; leave out replace")
        flags, positional = [], []
        for name, parameter in parameters.items():
            if name not in values_by_name:
                continue
            if parameter.param_type_name == "argument":
                positional += self.paths(parameter, values_by_name[name])
            else:
                flags += self.option(parameter, values_by_name[name])
        prints = None if step.prints is None else self.inside(step.prints)
        if not self.writes and prints is None:
            raise _refused(self.recipe, step, "this writes no file; name one as print: FILE beside the command")
        arguments = (*step.command.split(" "), *flags, *(["--", *positional] if positional else []))
        return CommandLine(
            step,
            arguments,
            tuple(dict.fromkeys(self.reads)),
            tuple(self.writes),
            prints,
            "replace" in self.command.arguments,
            self.command.resumes,
        )

    def option(self, parameter: Any, values: Sequence[str]) -> list[str]:
        if parameter.is_flag:
            if values not in ((TRUE,), (FALSE,)):
                raise _refused(self.recipe, self.step, f"{_long(parameter)} is {TRUE} or {FALSE}")
            return [parameter.opts[-1]] if values == (TRUE,) else list(parameter.secondary_opts[:1])
        words = self.paths(parameter, values)
        count = parameter.nargs if parameter.nargs > 1 else 1
        if len(words) % count or (len(words) != count and not parameter.multiple) or not words:
            raise _refused(self.recipe, self.step, f"{_long(parameter)} takes {count} value{'s' if count > 1 else ''}")
        flag = parameter.opts[-1] if parameter.opts[-1].startswith("--") else parameter.opts[0]
        parts = [words[k : k + count] for k in range(0, len(words), count)]
        # With =, since a value may look like an option.
        return [word for part in parts for word in ([f"{flag}={part[0]}"] if count == 1 else [flag, *part])]

    def paths(self, parameter: Any, values: Sequence[str]) -> list[str]:
        name = parameter.name
        argument = self.command.arguments[name]
        if argument.role is None:
            return list(values)
        count = 1 if argument.first else len(values)
        return [*(self.file(name, value) for value in values[:count]), *values[count:]]

    def file(self, name: str, value: str) -> str:
        role = self.command.arguments[name].role
        if isinstance(role, InFile):
            return self.read(value, role.shipped)
        place = self.inside(value)
        self.writes.append(place)
        return place

    def inside(self, value: str) -> str:
        """Path of an output file; InputError for a path outside the recipe's folder."""
        path = PurePosixPath(value)
        if value in ("", ".", "-") or path.is_absolute() or ".." in path.parts or path.parts[0] == MANIFESTS:
            detail = f"{value!r} is not a file of the recipe's folder: no absolute path, no .. in it, and not {MANIFESTS}"
            raise _refused(self.recipe, self.step, detail)
        place = str(PurePosixPath(self.recipe.folder) / path)
        if self.files is not None and not is_file_name(place):
            detail = f"{value!r} is no name of a file here: letters, digits, . _ and - are, and / between at most four parts"
            raise _refused(self.recipe, self.step, detail)
        return place

    def read(self, value: str, may_be_none: bool = False) -> str:
        """The value with the path of its file: FILE, NAME=FILE, FILE:COLUMN or NAME=FILE:COLUMN."""
        heads = [("", value)] + ([(f"{value.partition('=')[0]}=", value.partition("=")[2])] if "=" in value else [])
        for head, rest in heads:
            for file, tail in [(rest, ""), (rest.rpartition(":")[0], f":{rest.rpartition(':')[2]}")]:
                place = self.place(file) if file else None
                if place is not None and not (self.files is not None and "/" in head + tail):
                    self.reads.append(place)
                    return f"{head}{place}{tail}"
        if may_be_none and (self.files is None or is_file_name(value)):
            return value
        origin = "beside the recipe" if self.files is None else "among the files that were given"
        raise _refused(self.recipe, self.step, f"no step before writes {value}, and it is not {origin}")

    def place(self, file: str) -> str | None:
        if self.files is not None and not is_file_name(file):
            return None
        place = str(PurePosixPath(self.recipe.folder) / file)
        if any(overlap(path, place) for path in self.writers):
            return place
        if self.files is not None:
            return file if any(name == file or name.startswith(f"{file}/") for name in self.files) else None
        return file if (self.recipe.root / file).exists() else None


def _long(parameter: Any) -> str:
    """An option's long name with ``_``; for an argument, its name."""
    names = [name.removeprefix("--") for name in parameter.opts if name.startswith("--")]
    return (names[0] if names else str(parameter.name)).replace("-", "_")
