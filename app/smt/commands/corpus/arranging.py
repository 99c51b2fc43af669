"""`assay concatenate`, `slice`, `split` and `sort`: lines of files side by side, in other order or number."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from app.errors import InputError
from app.shell.output import check_file, counted, say
from app.shell.parameters import number
from app.smt.corpus.arranging import Division, concatenate, cut, divide, sort_by_scores

__all__ = ["commands"]

commands = typer.Typer(rich_markup_mode=None)
Files = Annotated[list[Path], typer.Argument(help="Files with as many lines each; gzip is read; FILE:COLUMN of a table.")]
Out = Annotated[list[Path], typer.Option(help="File to write for each of them, in their order; .gz packs.")]
Replace = Annotated[bool, typer.Option("--replace", help="Write in the place of files that are there already.")]


@commands.command("concatenate")
def concatenate_files(
    files: Annotated[list[Path], typer.Argument(help="Files; gzip is read; FILE:COLUMN of a table.")],
    out: Annotated[Path, typer.Option(help="File to write; .gz packs.")],
    replace: Replace = False,
) -> None:
    """Write the lines of several files one after the other."""
    _check(["--out"], [[out]], 1, replace)
    say(f"wrote {counted(concatenate(files, out), 'line')}")


@commands.command("slice")
def slice_files(
    files: Files,
    out: Out,
    start: Annotated[int, typer.Option(help="The first line, from 0; a negative number counts from the end.")] = 0,
    stop: Annotated[int | None, typer.Option(help="The line before which it ends; the end otherwise.")] = None,
    step: Annotated[int, typer.Option(min=1, help="Take each N-th line of them.")] = 1,
    replace: Replace = False,
) -> None:
    """Write some lines of files side by side: the first, the last, those between, each tenth."""
    _check(["--out"], [out], len(files), replace)
    say(f"wrote {counted(cut(files, out, start, stop, step), 'line')}")


@commands.command("split")
def split_files(
    files: Files,
    out: Out,
    rest: Annotated[list[Path] | None, typer.Option(help="File for the other lines of each, in their order.")] = None,
    lines: Annotated[int | None, typer.Option(min=0, help="So many lines, at random.")] = None,
    share: Annotated[
        float | None,
        number(about="Share of the lines, by what is in them: equal ones go one way.", low=0, high=1, shares=True),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, max=2**63 - 1, help="Another seed takes other lines.")] = 1,
    replace: Replace = False,
) -> None:
    """Divide files side by side in two, as into text to train on and text to measure on."""
    _check(["--out", "--rest"], [out, rest or []], len(files), replace)
    taken, left = divide(files, out, rest or [], Division(lines, share, seed))
    say(f"wrote {counted(taken, 'line')}, and {'' if rest else 'left out '}{counted(left, 'other')}")


@commands.command("sort")
def sort_files(
    files: Files,
    by: Annotated[Path, typer.Option(help="A number for each line, as assay select-data --scores writes.")],
    out: Out,
    best_first: Annotated[bool, typer.Option("--best-first", help="The highest number first; the lowest otherwise.")] = False,
    replace: Replace = False,
) -> None:
    """Sort lines of files side by side by their scores."""
    _check(["--out"], [out], len(files), replace)
    say(f"wrote {counted(sort_by_scores(files, by, out, best_first), 'line')}")


def _check(options: Sequence[str], named: Sequence[Sequence[Path]], count: int, replace: bool) -> None:
    every = [path for paths in named for path in paths]
    for option, paths in zip(options, named, strict=True):
        if len(paths) != count and (paths or option == "--out"):
            detail = f"there are {counted(count, 'file')} to read and {len(paths)} to write; name one for each"
            raise InputError("invalid-request", detail, (option,))
        for path in paths:
            check_file(path, option)
            if path.exists() and not replace:
                detail = f"{path} is there already; --replace writes another in its place"
                raise InputError("invalid-request", detail, ("--replace",))
    if len({path.absolute() for path in every}) < len(every):
        raise InputError("invalid-request", "two of the files to write are the same")
