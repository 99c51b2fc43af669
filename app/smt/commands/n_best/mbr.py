"""`assay nbest mbr`: of many translations of each segment the one that the others agree with most."""

from pathlib import Path

from app.shell.declaration.forms import Format
from app.shell.inputs import named_lists, read_file_bytes
from app.shell.output import print_json, say
from app.shell.requests import make_request
from app.shell.running import answer_to
from app.smt.commands.options.n_best.mbr import MbrOptions
from app.smt.operations.mbr import MbrRequest
from app.smt.operations.mbr import operation as mbr_operation
from app.text.n_best import NBestLists
from app.text.reading.lines import TextFile
from app.text.reading.moses_n_best import n_best_line
from app.text.reading.n_best_files import read_lists

__all__ = ["mbr"]


def mbr(options: MbrOptions) -> None:
    """Choose of each segment's translations the one that the others agree with most, by any metric.

    Prints one translation a line, an empty one where a segment has no candidate.
    """
    lists = _lists(options.files)
    request = make_request(
        MbrRequest,
        n_best=lists,
        systems=named_lists(options.files) if lists is None else None,
        metric=options.metric,
        samples=None if options.samples is None else read_lists([_file(options.samples)], merge=False).lists,
        probabilities="model" if options.model else None,
        scale=options.scale,
        own=False if options.no_own else None,
        way=options.way,
        scores=options.scores or None,
    )
    answer = answer_to(mbr_operation, request, options.server)
    if options.form is Format.JSON:
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
