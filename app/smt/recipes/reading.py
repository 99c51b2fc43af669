"""Parsing of recipes: YAML with constants and steps; every value is text, as in a shell."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import yaml

from app.errors import InputError
from app.text.reading.lines import decode_text, read_bytes

__all__ = ["Recipe", "Step", "parse_recipe", "read_recipe"]

LONGEST: Final = 1 << 20
MOST_STEPS: Final = 1000
# Characters of one value, since constants that repeat constants grow exponentially.
LONGEST_VALUE: Final = 10_000
CONSTANT: Final = re.compile(r"\$\{([^{}$]*)\}")
NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
# Members of a step beside its command.
NAME_MEMBER: Final = "name"
PRINT_MEMBER: Final = "print"
NEEDS_MEMBER: Final = "needs"


@dataclass(frozen=True)
class Step:
    """A command with the values of its arguments and options, by names with ``_``; an option has one or several values.

    `prints` is the file for the printed output. `needs` are further files that the command reads. `line` is the step's line in the
    recipe.
    """

    name: str
    command: str
    values: Mapping[str, tuple[str, ...]]
    prints: str | None
    needs: tuple[str, ...]
    line: int


@dataclass(frozen=True)
class Recipe:
    """Steps in order; all their output files are in `folder`, a path relative to the recipe's folder."""

    path: Path
    folder: str
    steps: tuple[Step, ...]

    @property
    def root(self) -> Path:
        """Folder of the recipe, in which its steps run; paths are relative to it."""
        return self.path.parent


def read_recipe(path: Path, constants: Mapping[str, str] | None = None) -> Recipe:
    """Read a recipe from a file; see `parse_recipe`."""
    return parse_recipe(read_bytes(path), path, constants)


def parse_recipe(raw: bytes, path: Path, constants: Mapping[str, str] | None = None) -> Recipe:
    """Parse the content of a recipe's file; `constants` replace constants of the recipe.

    Scalars stay text, so `no` is Norwegian. InputError (`invalid-request`, `invalid-encoding`) names file and line of malformed
    YAML, a repeated member, an unknown constant, or a repeated step name.
    """
    if len(raw) > LONGEST:
        raise InputError("invalid-request", f"{path} has more than {LONGEST} bytes; it is no recipe")
    reader = _Reader(path)
    try:
        root = yaml.compose(decode_text(raw, str(path)), Loader=yaml.BaseLoader)
    except yaml.MarkedYAMLError as error:
        line = 1 if error.problem_mark is None else error.problem_mark.line + 1
        raise reader.refused(line, error.problem or "is not YAML") from None
    except (yaml.YAMLError, RecursionError):
        raise reader.refused(1, "is not YAML") from None
    if root is None:
        raise reader.refused(1, "there are no steps")
    members = reader.mapping(root, "a recipe")
    unknown = next((name for name in members if name not in ("folder", "constants", "steps")), None)
    if unknown is not None:
        raise reader.refused(_line(members[unknown]), f"a recipe has folder, constants and steps, and no {unknown}")
    for name, node in (reader.mapping(members["constants"], "constants") if "constants" in members else {}).items():
        reader.constants[name] = reader.text(node)
    missing = next((name for name in constants or {} if name not in reader.constants), None)
    if missing is not None:
        raise InputError("invalid-request", f"{path} has no constant {missing}", ("--set",))
    if constants:
        # Constants that contain a replaced constant are expanded again.
        reader.constants = dict(constants)
        for name, node in reader.mapping(members["constants"], "constants").items():
            reader.constants.setdefault(name, reader.text(node))
    folder = reader.text(members["folder"]) if "folder" in members else path.stem
    if not folder or folder == path.name:
        raise reader.refused(_line(members.get("folder", root)), "folder is where steps write, as folder: work")
    if "steps" not in members or not isinstance(members["steps"], yaml.SequenceNode) or not members["steps"].value:
        raise reader.refused(_line(members.get("steps", root)), "steps are a list: - align: {source: a, target: b, links: c}")
    steps = tuple(reader.steps(members["steps"].value[: MOST_STEPS + 1]))
    if len(steps) > MOST_STEPS:
        raise reader.refused(steps[-1].line, f"there are more than {MOST_STEPS} steps")
    return Recipe(path, folder, steps)


def _line(node: Any) -> int:
    return int(node.start_mark.line) + 1


class _Reader:
    """Reader of YAML nodes, with the values of constants."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.constants: dict[str, str] = {}

    def refused(self, line: int, detail: str) -> InputError:
        return InputError("invalid-request", f"line {line} of {self.path}: {detail}", (str(self.path), line))

    def mapping(self, node: Any, title: str) -> dict[str, Any]:
        if not isinstance(node, yaml.MappingNode):
            raise self.refused(_line(node), f"{title} stands as name: value")
        members: dict[str, Any] = {}
        for key, value in node.value:
            if not isinstance(key, yaml.ScalarNode) or key.value in members:
                fault = f"{key.value} is there twice" if isinstance(key, yaml.ScalarNode) else "a name is text"
                raise self.refused(_line(key), fault)
            members[key.value] = value
        return members

    def text(self, node: Any) -> str:
        if not isinstance(node, yaml.ScalarNode):
            raise self.refused(_line(node), "text or a number is expected here")

        def value_of(constant: re.Match[str]) -> str:
            if constant[1] not in self.constants:
                raise self.refused(_line(node), f"there is no constant {constant[1]} above")
            return self.constants[constant[1]]

        lengths = (len(value_of(constant)) for constant in CONSTANT.finditer(node.value))
        if len(node.value) + sum(lengths) > LONGEST_VALUE:
            raise self.refused(_line(node), f"a value has more than {LONGEST_VALUE} characters")
        return CONSTANT.sub(value_of, node.value)

    def texts(self, node: Any) -> tuple[str, ...]:
        nodes = node.value if isinstance(node, yaml.SequenceNode) else [node]
        return tuple(self.text(item) for item in nodes)

    def steps(self, nodes: list[Any]) -> Iterator[Step]:
        step_names: set[str] = set()
        for node in nodes:
            members = self.mapping(node, "a step")
            line = _line(node)
            commands = [name for name in members if name not in (NAME_MEMBER, PRINT_MEMBER, NEEDS_MEMBER)]
            if len(commands) != 1:
                raise self.refused(line, "a step is one command, and may have name, print and needs beside it")
            command = commands[0]
            options = self.mapping(members[command], f"what {command} is given")
            step_name = self.text(members[NAME_MEMBER]) if NAME_MEMBER in members else _free(command.rpartition(" ")[2], step_names)
            if not NAME.fullmatch(step_name) or step_name in step_names:
                fault = "is another step's" if step_name in step_names else "is no name: letters, digits, . _ and - are"
                raise self.refused(line, f"{step_name} {fault}")
            step_names.add(step_name)
            values = {name.replace("-", "_"): self.texts(value) for name, value in options.items()}
            if len(values) < len(options):
                raise self.refused(line, f"an option of {command} is there twice, with - and with _")
            prints = self.text(members[PRINT_MEMBER]) if PRINT_MEMBER in members else None
            needs = self.texts(members[NEEDS_MEMBER]) if NEEDS_MEMBER in members else ()
            yield Step(step_name, command, values, prints, needs, line)


def _free(command: str, step_names: set[str]) -> str:
    """The last word of the command, with a number if an earlier step has this name."""
    number = 1
    while (name := command if number == 1 else f"{command}-{number}") in step_names:
        number += 1
    return name
