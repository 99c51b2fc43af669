"""Options of `assay corpus run`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from app.shell.declaration.fields import argument, option
from app.shell.declaration.files import Replacing

__all__ = ["RunOptions"]


@dataclass(frozen=True, kw_only=True)
class RunOptions(Replacing):
    """Options of `assay corpus run`."""

    recipe: Annotated[Path, argument(help="YAML of steps: commands with their options.")]
    constants: Annotated[list[str] | None, option("--set", metavar="NAME=VALUE", help="Value of a constant. Repeatable.")] = None
    to: Annotated[str | None, option(help="Last step to run.")] = None
    force: Annotated[list[str] | None, option(help="Run this step even if unchanged. Repeatable.")] = None
    dry_run: Annotated[bool, option("--dry-run", help="Print the steps to run, with reasons; run nothing.")] = False
