"""Phrase tables as one file of arrays in mapped memory: they open at once, and processes share them.

`CompactTable.open(path)` reads only the header. Fields of row r:

- ``words[offsets[r]:offsets[r + 1]]``: target words, as indices that `spelled` resolves
- ``links[link_offsets[r]:link_offsets[r + 1]]``: source position, target position, source position, ...
- ``scores[r]``: natural logarithms of scores
- ``pairs[r]``: hash of ``source ||| target`` (`app.text.hashing`)

Rows of a source are adjacent. `sources` has the sorted hashes of sources; `source_rows` has two numbers for each, the first row and
the end of the rows.
"""

import json
import math
import os
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, BinaryIO, Final

import numpy as np

from app.arrays import Float32s, Int32s, Int64s, UInt8s, UInt64s
from app.building.writing import full_disk_named
from app.errors import InputError
from app.smt.corpus.phrases.table_text import read_table

__all__ = ["CompactTable", "is_compact", "write_compact"]

MAGIC: Final = b"ASSAYPT1"
ALIGNMENT: Final = 64
MOST_PLACES: Final = 255
TYPES: Final[dict[str, Any]] = {
    "sources": np.uint64, "source_rows": np.int64, "pairs": np.uint64, "offsets": np.int64, "words": np.int32, "scores": np.float32,
    "link_offsets": np.int64, "links": np.uint8, "spelling": np.uint8, "spelling_offsets": np.int64,
}  # fmt: skip


@dataclass(frozen=True)
class CompactTable:
    """A mapped table (see the module); `longest` is the number of words of the longest source phrase, `name` the file name."""

    sources: UInt64s
    source_rows: Int64s
    pairs: UInt64s
    offsets: Int64s
    words: Int32s
    scores: Float32s
    link_offsets: Int64s
    links: UInt8s
    spelling: UInt8s
    spelling_offsets: Int64s
    longest: int
    name: str = ""

    def __len__(self) -> int:
        return len(self.pairs)

    @classmethod
    def open(cls, path: Path) -> "CompactTable":
        """Map a file of `write_compact`; InputError (`unknown-format`) for another format or an incomplete file."""
        with path.open("rb") as file:
            begin = file.read(len(MAGIC) + 8)
            size = int.from_bytes(begin[len(MAGIC) :], "little")
            if begin[: len(MAGIC)] != MAGIC or size > os.fstat(file.fileno()).st_size:
                raise InputError("unknown-format", f"{path} is no compact phrase table", (str(path),))
            text = file.read(size)
        data = np.memmap(path, np.uint8, "r")
        try:
            header = json.loads(text)
            if len(data) != header["size"]:
                raise InputError(
                    "unknown-format", f"{path} is incomplete: its header announces {header['size']} bytes", (str(path),)
                )
            arrays = {}
            for name, dtype in TYPES.items():
                at, shape = header["arrays"][name]
                arrays[name] = (
                    data[at : at + math.prod(shape) * np.dtype(dtype).itemsize].view(dtype).reshape(shape).view(np.ndarray)
                )
            longest = header["longest"]
            if type(longest) is not int or longest < 1:
                raise ValueError(longest)
            return cls(**arrays, longest=longest, name=path.name)
        except InputError:
            raise
        except (KeyError, RecursionError, TypeError, ValueError):
            raise InputError("unknown-format", f"the header of {path} is damaged", (str(path),)) from None

    def rows_of_sources(self, sources: UInt64s) -> tuple[Int64s, Int64s]:
        """Rows of many source phrases (hashes), concatenated, and the number of rows of each; 0 for an absent source."""
        if not len(self.sources):
            return np.zeros(0, np.int64), np.zeros(len(sources), np.int64)
        at = np.minimum(np.searchsorted(self.sources, sources), len(self.sources) - 1)
        begins = self.source_rows[2 * at]
        counts = np.where(self.sources[at] == sources, self.source_rows[2 * at + 1] - begins, 0)
        if counts.min(initial=0) < 0 or counts.max(initial=0) > len(self):
            raise ValueError("the rows of a source end before they begin, or behind the table")
        ends = np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)])
        return np.repeat(begins - ends[:-1], counts) + np.arange(ends[-1]), counts

    def spelled(self, words: Int64s) -> list[str]:
        """Target words, as strings, of indices into the vocabulary."""
        begins, ends = self.spelling_offsets[words].tolist(), self.spelling_offsets[words + 1].tolist()
        return [self.spelling[begin:end].tobytes().decode() for begin, end in zip(begins, ends, strict=True)]


def is_compact(path: Path) -> bool:
    """Return True if a file begins with the mark of compact tables."""
    with path.open("rb") as file:
        return file.read(len(MAGIC)) == MAGIC


def write_compact(table: Path, out: Path) -> int:
    """Write a phrase table of the text format of Moses, gzipped or plain, as a `CompactTable`; return the number of rows.

    Rows of a source must be adjacent. Memory grows with distinct source phrases (24 bytes each) and target words, not with rows.
    InputError names the malformed line; nothing is written then.
    """
    with ExitStack() as stack:
        stack.enter_context(full_disk_named(out))
        scratch = Path(stack.enter_context(TemporaryDirectory(prefix=".", dir=out.parent)))
        columns = {name: stack.enter_context((scratch / name).open("w+b")) for name in TYPES}
        widths, longest = _columns(table, columns)
        temporary = scratch / "table"
        with temporary.open("wb") as file:
            _join(columns, widths, longest, file)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(out)
    return widths["rows"]


def _columns(table: Path, columns: Mapping[str, BinaryIO]) -> tuple[dict[str, int], int]:
    """Write all columns; return the numbers of rows and scores, and the length of the longest source."""
    vocabulary: dict[str, int] = {}
    keys, begins = [np.empty(0, np.uint64)], [np.empty(0, np.int64)]
    rows = words = links = longest = width = 0
    last = np.uint64(0)
    columns["offsets"].write(np.int64(0).tobytes())
    columns["link_offsets"].write(np.int64(0).tobytes())
    for block in read_table(table):
        if block.sparse_features():
            raise InputError("invalid-table", f"{table} has sparse features; a compact table cannot hold them", (str(table),))
        hashes = block.source_hashes()
        fresh = np.flatnonzero(np.concatenate([[rows == 0 or hashes[0] != last], hashes[1:] != hashes[:-1]]))
        keys.append(hashes[fresh])
        begins.append(fresh + rows)
        last = hashes[-1]
        target_words, places, offsets = block.target_words()
        numbers = np.array([vocabulary.setdefault(word, len(vocabulary)) for word in target_words], np.int32)
        # A link is two places.
        for name, values in (
            ("pairs", block.pair_hashes()),
            ("scores", block.scores.astype(np.float32)),
            ("words", numbers[places]),
            ("offsets", words + offsets[1:]),
            ("links", block.links.astype(np.uint8)),
            ("link_offsets", links + 2 * block.link_offsets[1:]),
        ):
            columns[name].write(values.tobytes())
        if len(block.links) and block.links.max() > MOST_PLACES:
            raise InputError("invalid-table", f"{table} links a place behind {MOST_PLACES}, which a compact table has no room for")
        words, links = words + len(places), links + len(block.links)
        longest = max(longest, block.longest_source())
        width = block.scores.shape[1]
        rows += len(block)
    if not rows:
        raise InputError("empty-input", f"{table} is empty; a phrase table is expected", (str(table),))
    sources, spans = np.concatenate(keys), np.append(np.concatenate(begins), rows)
    order = np.argsort(sources, kind="stable")
    if (sources[order][1:] == sources[order][:-1]).any():
        raise InputError("invalid-table", f"{table} does not have the rows of each source one after the other", (str(table),))
    columns["sources"].write(sources[order].tobytes())
    columns["source_rows"].write(np.stack([spans[:-1][order], spans[1:][order]], axis=1).tobytes())
    spelling = [word.encode() for word in vocabulary]
    columns["spelling"].write(b"".join(spelling))
    columns["spelling_offsets"].write(np.cumsum([0, *map(len, spelling)], dtype=np.int64).tobytes())
    return {"rows": rows, "scores": width}, longest


def _join(columns: Mapping[str, BinaryIO], widths: dict[str, int], longest: int, file: BinaryIO) -> None:
    """Write the header and, one after the other, the columns, from places that any type can be read at."""
    sizes = {name: column.tell() for name, column in columns.items()}
    arrays: dict[str, tuple[int, list[int]]] = {}
    # The header has a length of its own, which is that of its longest numbers.
    at = _padded(len(MAGIC) + 8 + 4096)
    begin = at
    for name, kind in TYPES.items():
        shape = [sizes[name] // np.dtype(kind).itemsize]
        if name == "scores":
            shape = [widths["rows"], widths["scores"]]
        arrays[name] = (at, shape)
        at = _padded(at + sizes[name])
    header = json.dumps({"size": at, "longest": longest, "arrays": arrays}).encode()
    file.write(MAGIC + len(header).to_bytes(8, "little") + header)
    file.write(bytes(begin - file.tell()))
    for name, column in columns.items():
        column.seek(0)
        while part := column.read(1 << 20):
            file.write(part)
        file.write(bytes(_padded(sizes[name]) - sizes[name]))


def _padded(size: int) -> int:
    return -(-size // ALIGNMENT) * ALIGNMENT
