"""The page of commands: a section for each, out of their declarations and of the examples that tests run."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import typer

from app.shell.program import program
from scripts.reference.tables import table

__all__ = ["EXAMPLES", "commands", "commands_page", "examples"]

# Command lines, each run by tests/shell/test_documented.py in this order.
EXAMPLES: Final = Path(__file__).with_name("examples.sh")
HEAD: Final = """# Commands

`assay COMMAND --help` prints the same in a terminal. [The shell](../use/shell.md) explains output, exit codes and `--server`.
The words in capitals in the examples stand for your own files and names.
"""


def commands() -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every command below the program with its path, parents before children."""
    pending: list[tuple[tuple[str, ...], Any]] = [((), typer.main.get_command(program))]
    while pending:
        path, command = pending.pop()
        if path:
            yield path, command
        children = dict(getattr(command, "commands", {}))
        pending += [((*path, name), children[name]) for name in sorted(children, reverse=True) if not children[name].hidden]


def examples() -> list[str]:
    """The example lines, in the order in which they run."""
    return [line for line in EXAMPLES.read_text("utf-8").splitlines() if line.startswith("assay ")]


def commands_page() -> str:
    """docs/reference/commands.md."""
    by_path = dict(commands())
    lines: dict[tuple[str, ...], list[str]] = {}
    for line in examples():
        words = shlex.split(line, comments=True)[1:]
        path = max((p for p in by_path if p == tuple(words[: len(p)])), key=len)
        lines.setdefault(path, []).append(line)
    parts = [HEAD]
    for path, command in by_path.items():
        parts.append(f"{'#' * min(len(path) + 1, 4)} assay {' '.join(path)}\n\n{_plain(command.help)}\n")
        if path in lines:
            parts.append("```sh\n" + "\n".join(lines[path]) + "\n```\n")
        rows = [_row(parameter) for parameter in command.params if not parameter.hidden and parameter.help]
        # A group has no options but those of its children.
        if rows:
            parts.append(table(["Argument or option", "Meaning", "Default"], rows) + "\n")
    return "\n".join(parts)


def _row(parameter: Any) -> list[object]:
    if parameter.param_type_name == "argument":
        name = f"`{(parameter.metavar or parameter.name.upper()).strip('[]').replace(']...', '...')}`"
    else:
        name = ", ".join(f"`{option}`" for option in [*parameter.opts, *parameter.secondary_opts])
        if parameter.multiple:
            name += " (repeatable)"
    default = parameter.default
    if parameter.required:
        text = "required"
    elif default in (None, "", (), False, []) or callable(default):
        text = ""
    else:
        text = f"`{' '.join(map(str, default)) if isinstance(default, list | tuple) else getattr(default, 'value', default)}`"
    return [name, _cell(_plain(parameter.help)), text]


def _plain(text: str | None) -> str:
    return re.sub(r"\n(?!\n)", " ", re.sub(r"\n\s*\n", "\n\n", (text or "").replace("\b", ""))).strip()


def _cell(text: str) -> str:
    return re.sub(r"\s+", " ", text).replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*")
