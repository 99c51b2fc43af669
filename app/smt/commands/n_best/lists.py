"""N-best lists as commands take them, and as they are sent to a server: files, since as JSON they are many times as large."""

import gzip
import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from app.errors import InputError
from app.operations.operation import Body
from app.shell.output import say
from app.text.n_best import NBestLists
from app.text.reading.lines import TextFile
from app.text.reading.n_best_files import ReadLists, read_lists

__all__ = ["check_beside", "list_files", "read_list_arguments"]

PREFIXES = ("", "held_out_")


def read_list_arguments(paths: Sequence[str], beside: Iterable[Sequence[str] | None] = ()) -> ReadLists:
    """The lists of one file (``-`` is standard input), or of several that are merged segment by segment; each may be gzip.

    Empty lists are added up to the number of segments of the longest text `beside` them.
    """
    if paths.count("-") > 1:
        raise InputError("invalid-request", "standard input can be read once")
    files = [TextFile("standard input", sys.stdin.buffer.read()) if path == "-" else Path(path) for path in paths]
    try:
        read = read_lists(files)
    except InputError as error:
        if error.code != "unknown-format" or len(files) == 1:
            raise
        hint = "each reference stands behind a -r of its own, weights behind an option"
        raise InputError(error.code, f"{error.detail}; {hint}", error.where) from None
    missing = max([0, *(len(texts or ()) - len(read.lists) for texts in beside)])
    nonempty = int(np.count_nonzero(read.lists.lengths))
    if nonempty < len(read.lists) + missing:
        say(f"{len(read.lists) + missing - nonempty} of {len(read.lists) + missing} segments have no hypotheses")
    offsets = read.lists.offsets
    return replace(read, lists=replace(read.lists, offsets=np.append(offsets, np.repeat(offsets[-1:], missing))))


def check_beside(lists: NBestLists, texts: Mapping[str, Sequence[str] | None]) -> None:
    """InputError that names a text with another number of segments than the lists."""
    for name, column in texts.items():
        if column is not None and len(column) != len(lists):
            detail = f"there are n-best lists of {len(lists)} segments, but {len(column)} texts here"
            raise InputError("unequal-lengths", detail, (name,))


def list_files(request: Body) -> dict[str, bytes]:
    """The lists, references and sources of a request, as files of a form by their role."""
    files: dict[str, bytes] = {}
    for prefix in PREFIXES:
        lists = getattr(request, f"{prefix}n_best", None)
        if lists is not None:
            files[f"{prefix}n_best"] = _lines(_hypotheses(lists))
        references: Mapping[str, Sequence[str]] = getattr(request, f"{prefix}references", None) or {}
        for name, texts in references.items():
            files[f"{prefix}reference:{name}"] = _lines(texts)
        sources = getattr(request, f"{prefix}sources", None)
        if sources is not None:
            files[f"{prefix}source"] = _lines(sources)
    return files


def _hypotheses(lists: NBestLists) -> Iterator[str]:
    """Lines of JSON, a hypothesis each, which keep any text unchanged."""
    for segment, hypotheses in enumerate(lists):
        for h in hypotheses:
            row = {"segment": segment, "text": lists.texts[h], "score": float(lists.scores[h]), "features": lists.named(h)}
            yield json.dumps(row)


def _lines(texts: Iterable[str]) -> bytes:
    return gzip.compress("".join(f"{text}\n" for text in texts).encode(), 1, mtime=0)
