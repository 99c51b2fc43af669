"""Options of `assay smt merge-extracts`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from app.shell.declaration.command import declare
from app.shell.declaration.fields import argument, option
from app.shell.declaration.files import InFile, OutFolder, Replacing
from app.shell.declaration.forms import Format

__all__ = ["MergeExtractsOptions"]


@declare(server=True)
@dataclass(frozen=True, kw_only=True)
class MergeExtractsOptions(Replacing):
    """Options of `assay smt merge-extracts`."""

    extractions: Annotated[list[str], argument(help="NAME=FOLDER of each extraction."), InFile()]
    out: Annotated[Path | None, option(help="Output folder of joined pairs; default: report only."), OutFolder()] = None
    subsets: Annotated[bool, option("--subsets", help="Write every subset, into folders within --out.")] = False
    trace: Annotated[Path | None, option(help="File of assay smt decode --trace: report used pairs."), InFile()] = None
    text: Annotated[Path | None, option(help="Decoded text, for --trace."), InFile()] = None
    memory: Annotated[int, option(min=16, help="Megabytes for sorting.")] = 512
    form: Annotated[Format, option("--format", help="text, json, tsv or markdown.")] = Format.TEXT
