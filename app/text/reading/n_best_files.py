"""The one entry for n-best lists in files, of commands and of uploads: one or many, with references and sources beside them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from app.arrays import Int32s
from app.errors import InputError
from app.text.n_best import NBestLists
from app.text.reading.lines import TextFile
from app.text.reading.n_best_lists.bars import is_bars, read_bars
from app.text.reading.n_best_lists.gathering import MOST_UPLOADED, Gatherer
from app.text.reading.n_best_lists.json_lists import Beside, read_json
from app.text.reading.n_best_lists.merging import distinct
from app.text.reading.n_best_lists.opening import File, head_of, lines_of_file, opened
from app.text.reading.n_best_lists.table_lists import read_table, table_columns

__all__ = ["FORMS", "File", "ListFile", "ReadLists", "read_lists"]

Reader = Callable[[TextFile, Gatherer, Beside], None]
# The decoders' forms are told apart by nothing and read alike.
READERS: Final[Mapping[str, Reader]] = {
    "moses": lambda file, gatherer, _: read_bars(file, gatherer),
    "cdec": lambda file, gatherer, _: read_bars(file, gatherer),
    "joshua": lambda file, gatherer, _: read_bars(file, gatherer),
    "jsonl": lambda file, gatherer, beside: gatherer.extend(read_json(file, beside)),
    "tsv": lambda file, gatherer, _: gatherer.extend(read_table(file)),
}
FORMS: Final = tuple(READERS)
LINES: Final = "segment ||| text ||| name= score ... ||| total, or JSON, or a row of a table with the columns segment and text"
# Of a line that is none: enough to see which file it is.
SHOWN: Final = 40


@dataclass(frozen=True)
class ListFile:
    """One file: its form, its hypotheses, and how many of them no file before it, nor itself before, had."""

    name: str
    form: str
    hypotheses: int
    new: int


@dataclass(frozen=True, eq=False)
class ReadLists:
    """What files held: n lists of h hypotheses, those of one segment in the order of the files and of their lines.

    `origins` (h,) is the first of `files` that had a hypothesis, `copies` (h,) how often it stood in all of them. `references` are
    one list of n texts a reference, `sources` n texts; empty and None where there are none.
    """

    lists: NBestLists
    files: tuple[ListFile, ...]
    origins: Int32s
    copies: Int32s
    references: tuple[tuple[str, ...], ...] = ()
    sources: tuple[str, ...] | None = None


def read_lists(
    files: Sequence[File],
    form: str | None = None,
    references: Sequence[File] = (),
    sources: File | None = None,
    merge: bool = True,
) -> ReadLists:
    """Lists of files, merged segment by segment; `form` is one of `FORMS`, otherwise each file's content tells its own.

    A file is a path, or a `TextFile` with its bytes or an open binary file; each may be gzip. With `merge`, hypotheses of a
    segment that have one text and one vector of features are one. Segments without a hypothesis have an empty list; there are as
    many segments as references and sources have lines. InputError names file and line: ``invalid-table``, ``invalid-encoding``,
    ``empty-input``, or ``unequal-lengths`` where lists and texts beside them are not of one number of segments.
    """
    if form is not None and form not in FORMS:
        raise InputError("unknown-format", f"forms of n-best lists are {', '.join(FORMS)}", ("form",))
    uploaded = any(isinstance(file, TextFile) for file in files)
    gatherer, beside, forms = Gatherer(most=MOST_UPLOADED if uploaded else None), Beside(), []
    for file in files:
        with opened(file) as text:
            own = form or _form_of(text)
            READERS[own](text, gatherer, beside)
            gatherer.end_file()
            forms.append((text.name, own))
    if not len(gatherer):
        raise InputError("empty-input", "the n-best lists have no hypotheses", ("n_best",))
    columns = [lines_of_file(file) for file in references]
    gathered = gatherer.gathered(max(beside.segments, *map(len, columns), 0))
    lists, origins = gathered.lists, gathered.files
    totals = new = np.diff(gatherer.file_ends, prepend=0).tolist()
    merged = distinct(lists) if merge else None
    if merged is not None:
        lists, origins = merged.lists, origins[merged.places]
        new = np.bincount(origins, minlength=len(forms)).tolist()
    # Equal numbers take no memory.
    copies = np.broadcast_to(np.int32(1), len(origins)) if merged is None else merged.copies
    columns = columns or beside.reference_columns(len(lists))
    own_sources = beside.source_column(len(lists)) if sources is None else lines_of_file(sources)
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
    """The form that a file's first line has; InputError where it has none."""
    head = head_of(file)
    if head in ("{", "["):
        detail = f"{file.name} is JSON over many lines; lists have an object or an array a line"
        raise InputError("unknown-format", detail, (file.name,))
    if head.startswith(("{", "[")):
        return "jsonl"
    if is_bars(head):
        return "moses"
    if table_columns(head) is not None:
        return "tsv"
    detail = f"{file.name} begins like no n-best list: {head[:SHOWN]!r}; a line is {LINES}"
    raise InputError("unknown-format" if head else "empty-input", detail if head else f"{file.name} is empty", (file.name,))
