"""Options of `assay corpus concatenate`, `slice`, `split` and `sort`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from app.shell.declaration.command import declare
from app.shell.declaration.fields import argument, option
from app.shell.declaration.files import InFile, OutFile, Replacing
from app.shell.declaration.parameters import number

__all__ = ["ConcatenateOptions", "SliceOptions", "SortOptions", "SplitOptions"]

Files = Annotated[list[Path], argument(help="Parallel files, or FILE:COLUMN of a table; gzip is read.")]
Out = Annotated[list[Path], option(help="Output for each file, in their order; .gz packs.")]


@declare(server=True)
@dataclass(frozen=True, kw_only=True)
class ConcatenateOptions(Replacing):
    """Options of `assay corpus concatenate`."""

    files: Annotated[list[Path], argument(help="Files, or FILE:COLUMN of a table; gzip is read."), InFile()]
    out: Annotated[Path, option(help="Output file; .gz packs."), OutFile()]


@declare(server=True)
@dataclass(frozen=True, kw_only=True)
class SliceOptions(Replacing):
    """Options of `assay corpus slice`."""

    files: Annotated[Files, InFile()]
    out: Annotated[Out, OutFile()]
    start: Annotated[int, option(help="First line, from 0; negative numbers count from the end.")] = 0
    stop: Annotated[int | None, option(help="Line before which to stop; default: the end.")] = None
    step: Annotated[int, option(min=1, help="Take each N-th line.")] = 1


@declare(server=True)
@dataclass(frozen=True, kw_only=True)
class SplitOptions(Replacing):
    """Options of `assay corpus split`."""

    files: Annotated[Files, InFile()]
    out: Annotated[Out, OutFile()]
    rest: Annotated[list[Path] | None, option(help="Output for the other lines of each file, in their order."), OutFile()] = None
    lines: Annotated[int | None, option(min=0, help="Number of lines, drawn at random.")] = None
    share: Annotated[
        float | None, number(about="Share of the lines, by content: equal lines stay together.", low=0, high=1, shares=True)
    ] = None
    seed: Annotated[int, option(min=0, max=9223372036854775807, help="Seed of the draw.")] = 1


@declare(server=True)
@dataclass(frozen=True, kw_only=True)
class SortOptions(Replacing):
    """Options of `assay corpus sort`."""

    files: Annotated[Files, InFile()]
    by: Annotated[Path, option(help="A number per line, as from assay corpus select --scores."), InFile()]
    out: Annotated[Out, OutFile()]
    best_first: Annotated[bool, option("--best-first", help="Highest number first.")] = False
