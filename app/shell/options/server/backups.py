"""Options of `assay server backup` and `assay server restore`."""

from dataclasses import dataclass
from typing import Annotated

import typer

__all__ = ["BackupOptions", "RestoreOptions"]

File = Annotated[str, typer.Argument(help="Backup file; - is standard output or input.")]


@dataclass(frozen=True, kw_only=True)
class BackupOptions:
    """Options of `assay server backup`."""

    file: File


@dataclass(frozen=True, kw_only=True)
class RestoreOptions:
    """Options of `assay server restore`."""

    file: File
    force: Annotated[bool, typer.Option("--force", help="Replace the content of the data folder.")] = False
