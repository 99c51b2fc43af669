"""Options of `assay resources encode`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from app.shell.declaration.fields import argument, option
from app.shell.declaration.files import InFile, OutFile

__all__ = ["EncodeOptions"]


@dataclass(frozen=True, kw_only=True)
class EncodeOptions:
    """Options of `assay resources encode`."""

    texts: Annotated[str, argument(help="Texts, one per line, or FILE:COLUMN; - is stdin."), InFile()]
    output: Annotated[Path, option("--output", "-o", help="Output file, as vectors.npy: float32, one row per text."), OutFile()]
