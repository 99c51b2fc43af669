"""Side information of segments from files of a decoder."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from app.errors import InputError
from app.text.n_best import NBestLists
from app.text.reading.decoder_files.quest_xml import read_quest_xml
from app.text.reading.decoder_files.search_graph import read_search_graph
from app.text.reading.decoder_files.verbose_log import read_verbose_log
from app.text.reading.n_best_files import read_lists
from app.text.reading.n_best_lists.opening import File, head_of, opened
from app.text.side_information import SideInformation

__all__ = ["DECODER_FILES", "read_decoder_files"]

Counts = dict[str, float]

# Files by role, and their contents for documentation.
DECODER_FILES: Final[Mapping[str, str]] = {
    "n_best": "N-best lists of the segments: a list of Moses, or QuEst's XML",
    "moses_log": "Moses' log of the segments (-verbose 2)",
    "search_graph": "Moses' search graph of the segments (-output-search-graph)",
}
# Hypotheses of a segment, as in a request.
MOST_HYPOTHESES: Final = 1000


def read_decoder_files(files: Mapping[str, File]) -> SideInformation:
    """Read files by their role, one of `DECODER_FILES`: `n_best`, and the counts `search` that they tell for every segment.

    A count that stands in several files comes from the log first, then from the graph. InputError names file and line, or
    ``unequal-lengths`` for files of unequal numbers of segments.
    """
    lists: NBestLists | None = None
    counts: dict[str, Sequence[Counts]] = {}
    if "n_best" in files:
        lists, counts["n_best"] = _read_n_best(files["n_best"])
    for role, read in (("search_graph", read_search_graph), ("moses_log", read_verbose_log)):
        if role in files:
            with opened(files[role]) as text:
                counts[role] = read(text)
    sizes = {role: len(rows) for role, rows in counts.items()}
    if len(set(sizes.values())) > 1:
        sizes_text = ", ".join(f"{role} of {size}" for role, size in sizes.items())
        raise InputError("unequal-lengths", f"the files have different numbers of segments: {sizes_text}", (next(iter(sizes)),))
    search = [_merged(rows) for rows in zip(*counts.values(), strict=True)]
    columns: dict[str, Any] = {"n_best": lists, "search": search if any(search) else None}
    return SideInformation(**columns)


def _merged(rows: Sequence[Counts]) -> Counts:
    return {name: value for row in rows for name, value in row.items()}


def _read_n_best(file: File) -> tuple[NBestLists, Sequence[Counts]]:
    with opened(file) as text:
        if head_of(text).startswith("<"):
            lists, counts = read_quest_xml(text)
        else:
            lists = read_lists([text], merge=False).lists
            counts = _phrases(lists)
    if (lists.lengths > MOST_HYPOTHESES).any():
        segment = int(np.argmax(lists.lengths > MOST_HYPOTHESES))
        detail = f"segment {segment} has {int(lists.lengths[segment])} hypotheses; a segment has at most {MOST_HYPOTHESES}"
        raise InputError("missing-evidence", f"{file.name}: {detail}", (file.name,))
    return lists, counts


def _phrases(lists: NBestLists) -> list[Counts]:
    """Phrases of the best hypotheses, by their alignment; empty where a list has no alignment of phrases."""
    alignments = lists.alignments
    rows: list[Counts] = []
    for begin, end in zip(lists.offsets[:-1].tolist(), lists.offsets[1:].tolist(), strict=True):
        spans = None if alignments is None or not alignments.phrases or begin == end else alignments.rows(np.array([begin])).spans
        if spans is None or not len(spans):
            rows.append({})
        else:
            rows.append({"phrases": len(spans), "longest_phrase": float((spans[:, 3] - spans[:, 2]).max() + 1)})
    return rows
