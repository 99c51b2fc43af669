"""Help that fits a screen: everyday options with their lines, the others by name under their titles."""

from enum import Enum
from pathlib import Path
from textwrap import wrap
from types import NoneType
from typing import Any, Final, Literal, get_args, get_origin

from typer.core import TyperCommand

__all__ = ["HelpfulCommand"]

SCREEN_LINES: Final = 50
EVERYDAY: Final = "Options"
# These come last wherever they are declared.
LAST: Final = ("replace", "server", "form", "help")
HELP_ALL: Final = "--help-all"


class HelpfulCommand(TyperCommand):
    """A command whose --help fits a screen; --help-all describes every option."""

    full_help = False

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """The arguments; prints the whole help on --help-all."""
        if HELP_ALL in args[: args.index("--") if "--" in args else len(args)]:
            self.full_help = True
            print(self.get_help(ctx))
            ctx.exit()
        rest: list[str] = super().parse_args(ctx, args)
        return rest

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Parts of the line of usage; arguments have the names of their descriptions."""
        names = (
            (_argument(parameter), _is_required(parameter))
            for parameter in self.get_params(ctx)
            if parameter.param_type_name == "argument"
        )
        return ["[OPTIONS]", *(name if is_required else f"[{name}]" for name, is_required in names)]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write arguments, everyday options, and other options under the titles of their panels."""
        arguments: list[tuple[str, str]] = []
        panels: dict[str, list[tuple[str, str]]] = {EVERYDAY: []}
        parameters = self.get_params(ctx)
        order = sorted(parameters, key=lambda parameter: LAST.index(parameter.name) + 1 if parameter.name in LAST else 0)
        for parameter in order:
            record = _record(parameter)
            if parameter.param_type_name == "argument":
                arguments.append(record)
            else:
                panels.setdefault(getattr(parameter, "rich_help_panel", None) or EVERYDAY, []).append(record)
        if arguments:
            with formatter.section("Arguments"):
                formatter.write_dl(arguments)
        begin = len(formatter.buffer)
        for title, records in panels.items():
            with formatter.section(title):
                formatter.write_dl(records)
        if not self.full_help and formatter.getvalue().count("\n") > SCREEN_LINES and len(panels) > 1:
            del formatter.buffer[begin:]
            self._write_short(panels, formatter)

    def _write_short(self, panels: dict[str, list[tuple[str, str]]], formatter: Any) -> None:
        for title, records in panels.items():
            with formatter.section(title):
                if title == EVERYDAY:
                    formatter.write_dl(records)
                else:
                    flags = (name.split(" ")[0].partition("/")[0].rstrip(",") for name, _ in records)
                    indent = " " * formatter.current_indent
                    lines = wrap(
                        ", ".join(flags), formatter.width, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False
                    )
                    formatter.write("\n".join(lines) + "\n")
        formatter.write_paragraph()
        formatter.write_text(f"{HELP_ALL} describes every option.")


def _record(parameter: Any) -> tuple[str, str]:
    """Names and value of a parameter, and its help with its default."""
    if parameter.param_type_name == "argument":
        return _argument(parameter), f"{parameter.help or ''}{'' if _is_required(parameter) else ' Optional.'}"
    names = ", ".join(parameter.opts) + (f"/{parameter.secondary_opts[0]}" if parameter.secondary_opts else "")
    default = parameter.default
    has_default = not parameter.is_flag and default not in (None, "", [], ())
    text = f"{parameter.help or ''}{' Required.' if parameter.required else ''}"
    return (
        names if parameter.is_flag else f"{names} {_value(parameter)}",
        f"{text} [{getattr(default, 'value', default)}]" if has_default else text,
    )


def _argument(parameter: Any) -> str:
    return f"{_value(parameter)}{'...' if parameter.nargs == -1 else ''}"


def _is_required(parameter: Any) -> bool:
    return bool(parameter.required or parameter.default is not None)


def _value(parameter: Any) -> str:
    """The placeholder of a value."""
    if parameter.metavar:
        return str(parameter.metavar).strip("[].")
    if parameter.param_type_name == "argument":
        return str(parameter.name).upper()
    kind = parameter.type_descriptor.annotation
    return _placeholder(kind)


def _placeholder(hint: Any) -> str:
    parts = [part for part in get_args(hint) if part is not NoneType]
    if get_origin(hint) is Literal:
        return "|".join(map(str, parts))
    if get_origin(hint) is tuple:
        return " ".join(map(_placeholder, parts))
    if parts:
        return _placeholder(parts[0])
    if isinstance(hint, type) and issubclass(hint, Enum):
        return "|".join(str(member.value) for member in hint)
    return {int: "N", float: "NUMBER", Path: "FILE"}.get(hint, "TEXT")
