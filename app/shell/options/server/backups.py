"""Options of `assay server backup` and `assay server restore`."""

from dataclasses import dataclass
from typing import Annotated

from app.shell.declaration.fields import argument, option

__all__ = ["BackupOptions", "RestoreOptions"]

File = Annotated[str, argument(help="Backup file; - is standard output or input.")]


@dataclass(frozen=True, kw_only=True)
class BackupOptions:
    """Options of `assay server backup`."""

    file: File


@dataclass(frozen=True, kw_only=True)
class RestoreOptions:
    """Options of `assay server restore`."""

    file: File
    force: Annotated[bool, option("--force", help="Replace the content of the data folder.")] = False
