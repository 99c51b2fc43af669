"""`assay mbr`: of many translations of each segment the one that the others agree with most."""

from pathlib import Path
from typing import Annotated

import typer

from app.shell.inputs import named_lists, read_file_bytes
from app.shell.output import Format, print_json, say
from app.shell.parameters import Server, default, number_option, option
from app.shell.requests import make_request
from app.shell.running import answer_to
from app.smt.operations.mbr import MbrRequest
from app.smt.operations.mbr import operation as mbr_operation
from app.text.n_best import NBestLists
from app.text.reading.lines import TextFile
from app.text.reading.moses_n_best import n_best_line
from app.text.reading.n_best_files import read_lists

__all__ = ["commands"]

commands = typer.Typer(rich_markup_mode=None)


@commands.command()
def mbr(
    files: Annotated[
        list[str],
        typer.Argument(
            help="An n-best list (Moses, cdec, Joshua), parts of one, or the outputs of several systems: FILE or NAME=FILE."
        ),
    ],
    metric: Annotated[str, option(MbrRequest, "metric", "--metric", "-m")] = default(MbrRequest, "metric"),
    samples: Annotated[
        str | None, typer.Option(help="An n-best list of the same segments to stand for the references; the candidates otherwise.")
    ] = None,
    model: Annotated[
        bool, typer.Option("--model", help="Let references count by their probability, the softmax of scale × score.")
    ] = False,
    scale: Annotated[float, number_option(MbrRequest, "scale", "The inverse of the temperature")] = default(MbrRequest, "scale"),
    no_own: Annotated[bool, typer.Option("--no-own", help="Leave out a candidate as a reference of itself.")] = False,
    way: Annotated[str, option(MbrRequest, "way")] = default(MbrRequest, "way"),
    scores: Annotated[bool, option(MbrRequest, "scores", "--scores")] = False,
    server: Server = None,
    form: Annotated[Format, typer.Option("--format", "-f", help="Form of the answer.")] = Format.TEXT,
) -> None:
    """Choose of each segment's translations the one that the others agree with most, by any metric.

    Prints one translation a line, an empty one where a segment has no candidate.
    """
    lists = _lists(files)
    request = make_request(
        MbrRequest,
        n_best=lists,
        systems=named_lists(files) if lists is None else None,
        metric=metric,
        samples=None if samples is None else read_lists([_file(samples)], merge=False).lists,
        probabilities="model" if model else None,
        scale=scale,
        own=False if no_own else None,
        way=way,
        scores=scores or None,
    )
    answer = answer_to(mbr_operation, request, server)
    if form is Format.JSON:
        print_json(answer)
        return
    for row in answer["segments"]:
        print(row.get("text", ""))
    say(f"{answer['moved']} of {len(answer['segments'])} segments have another translation than their first")


def _lists(files: list[str]) -> NBestLists | None:
    """The lists of one file, or of several whose first line is one of a list; None where they are lines of text."""
    if len(files) == 1:
        return read_lists([_file(files[0])], merge=False).lists
    if "=" in files[0] and not Path(files[0]).exists():
        return None
    read = [_file(path) for path in files]
    if n_best_line(next(iter(read[0].lines()), "")) is None:
        return None
    return read_lists(read).lists


def _file(path: str) -> TextFile:
    return TextFile(path, read_file_bytes(path))
