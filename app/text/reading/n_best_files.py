"""Reading of n-best lists from files, for commands and uploads: one file or many, with references and sources."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from app.arrays import Int32s
from app.errors import InputError
from app.text.n_best import NBestLists
from app.text.reading.extractor_files.blocks import is_extractor_file
from app.text.reading.lines import TextFile
from app.text.reading.n_best_lists.bars import is_bars, read_bars
from app.text.reading.n_best_lists.gathering import UPLOAD_LIMIT, Gatherer
from app.text.reading.n_best_lists.json_lists import Beside, read_json
from app.text.reading.n_best_lists.merging import distinct
from app.text.reading.n_best_lists.opening import File, head_of, lines_of_file, opened
from app.text.reading.n_best_lists.table_lists import read_table, table_columns

__all__ = ["FORMS", "File", "ListFile", "ReadLists", "read_lists"]

Reader = Callable[[TextFile, Gatherer, Beside], None]
# The forms of all decoders are one form for the reader.
READERS: Final[Mapping[str, Reader]] = {
    **dict.fromkeys(("moses", "cdec", "joshua"), lambda file, gatherer, _: read_bars(file, gatherer)),
    "jsonl": lambda file, gatherer, beside: gatherer.extend(read_json(file, beside)),
    "tsv": lambda file, gatherer, _: gatherer.extend(read_table(file)),
}
FORMS: Final = tuple(READERS)
LINES: Final = "segment ||| text ||| name= score ... ||| total, or JSON, or a row of a table with the columns segment and text"
# Characters of a bad line that an error shows.
EXCERPT_LENGTH: Final = 40


@dataclass(frozen=True)
class ListFile:
    """One file: its name and form, the number of its hypotheses, and the number of new ones (not read before)."""

    name: str
    form: str
    hypotheses: int
    new: int


@dataclass(frozen=True, eq=False)
class ReadLists:
    """N-best lists of n segments, h hypotheses, ordered by file and line within a segment.

    `origins` (h,) is the index in `files` of the first file with the hypothesis; `copies` (h,) counts its lines in all files.
    `references` has one tuple of n texts for each reference (empty if none); `sources` has n texts (None if none).
    """

    lists: NBestLists
    files: tuple[ListFile, ...]
    origins: Int32s
    copies: Int32s
    references: tuple[tuple[str, ...], ...] = ()
    sources: tuple[str, ...] | None = None


def read_lists(
    files: Sequence[File], form: str | None = None, references: Sequence[File] = (), sources: File | None = None, merge: bool = True
) -> ReadLists:
    """Read lists from files and join them segment by segment.

    `form` is one of `FORMS`; by default the first line of each file decides. A file is a path, or a `TextFile` with bytes or an
    open binary file; gzip is inflated. `merge` joins hypotheses of a segment with equal text and equal features. A segment
    without hypotheses has an empty list. InputError names file and line: ``invalid-table``, ``invalid-encoding``,
    ``empty-input``, or ``unequal-lengths`` if lists, references and sources differ in their number of segments.
    """
    if form is not None and form not in FORMS:
        raise InputError("unknown-format", f"forms of n-best lists are {', '.join(FORMS)}", ("form",))
    is_upload = any(isinstance(file, TextFile) for file in files)
    gatherer, beside, forms = Gatherer(limit=UPLOAD_LIMIT if is_upload else None), Beside(), []
    for file in files:
        with opened(file) as text:
            file_form = form or _form_of(text)
            READERS[file_form](text, gatherer, beside)
            gatherer.file_ends.append(len(gatherer))
            gatherer.file_names.append(text.name)
            forms.append((text.name, file_form))
    if not len(gatherer):
        raise InputError("empty-input", "the n-best lists have no hypotheses", ("n_best",))
    columns = [lines_of_file(file) for file in references]
    source_lines = None if sources is None else lines_of_file(sources)
    lists, origins = gatherer.lists(max(beside.segments, *map(len, columns), 0), len(source_lines or ()))
    totals = new = np.diff(gatherer.file_ends, prepend=0).tolist()
    unique = distinct(lists) if merge else None
    if unique is not None:
        lists, origins = unique.lists, origins[unique.places]
        new = np.bincount(origins, minlength=len(forms)).tolist()
    # A broadcast array of ones takes no memory.
    copies = np.broadcast_to(np.int32(1), len(origins)) if unique is None else unique.copies
    columns = columns or beside.reference_columns(len(lists))
    own_sources = beside.source_column(len(lists)) if source_lines is None else source_lines
    for name, column in [*(("references", column) for column in columns), ("sources", own_sources)]:
        if column is not None and len(column) != len(lists):
            raise InputError("unequal-lengths", f"there are lists of {len(lists)} segments, but {len(column)} {name}", (name,))
    return ReadLists(
        lists,
        tuple(ListFile(*names, *counts) for names, *counts in zip(forms, totals, new, strict=True)),
        origins,
        copies,
        tuple(map(tuple, columns)),
        None if own_sources is None else tuple(own_sources),
    )


def _form_of(file: TextFile) -> str:
    """Return the form of a file by its first line; InputError if no form fits."""
    head = head_of(file)
    if head in ("{", "["):
        detail = f"{file.name} is JSON over many lines; write one object or one array per line"
        raise InputError("unknown-format", detail, (file.name,))
    if head.startswith(("{", "[")):
        return "jsonl"
    if is_bars(head):
        return "moses"
    if table_columns(head) is not None:
        return "tsv"
    if is_extractor_file(head):
        detail = f"{file.name} has numbers of Moses' extractor without texts; give the n-best list, or tune with scores beside it"
        raise InputError("unknown-format", detail, (file.name,))
    detail = f"{file.name} is not an n-best list: it begins with {head[:EXCERPT_LENGTH]!r}; a line is {LINES}"
    raise InputError("unknown-format" if head else "empty-input", detail if head else f"{file.name} is empty", (file.name,))
