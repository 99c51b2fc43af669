"""Options of `assay annotate`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from app.shell.declaration.fields import argument, option
from app.shell.declaration.parameters import HasHeader, Label, Model, Priority, Profile, Server

__all__ = ["AnnotateOptions"]


@dataclass(frozen=True, kw_only=True)
class AnnotateOptions:
    """Options of `assay annotate`."""

    file: Annotated[Path, argument(help="XLIFF, TMX, PO, TSV, CSV, JSON lines, n-best list, or a zip archive.")]
    output: Annotated[Path | None, option("--output", "-o", help="Output file; default: standard output.")] = None
    pair: Annotated[str | None, option(help="Language pair, as ro-en; default: from the file or its words.")] = None
    source: Annotated[str | None, option(help="Sources of an n-best list, one per line.")] = None
    header: HasHeader = None
    model: Model = None
    label: Label = None
    profile: Profile = None
    glossary: Annotated[Path | None, option(help="Check terms of this glossary: .csv, .tsv, .tbx or .xlsx.")] = None
    priority: Priority = None
    server: Server = None
