"""Fields of declarations: options and arguments of a command, in typer's words."""

from typing import Any

import typer

__all__ = ["argument", "option"]


def option(*names: str, panel: str | None = None, **attributes: Any) -> Any:
    """An option by its names, or by the name of its field; `panel` is its part of the help."""
    return typer.Option(*names, rich_help_panel=panel, **attributes)


def argument(**attributes: Any) -> Any:
    """An argument without a name on the command line."""
    return typer.Argument(**attributes)
