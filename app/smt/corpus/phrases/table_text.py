"""Moses tables as text, ``source ||| target ||| scores [||| links [||| counts [||| sparse]]]``, parsed in blocks of lines.

Kernels parse regular text, with one blank between words and around bars; other blocks are made regular first. After a failure,
plain Python finds the malformed line for the error.
"""

import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from math import inf, isfinite, nan
from pathlib import Path
from typing import Final

import numpy as np

from app.arrays import Bools, Float64s, Int32s, Int64s, UInt8s, UInt64s
from app.building.gzip_files import opened
from app.errors import InputError
from app.smt.corpus.phrases.row_kernels import find_columns, find_phrase_words, parse_numbers, parse_places
from app.text.hashing import hash_slices

__all__ = ["WORST", "TableBlock", "read_table"]

CHUNK: Final = 1 << 20
# Logarithm of a probability of 0, as in Moses; the lowest score.
WORST: Final = -100.0
SOURCE, TARGET, SCORES, LINKS, _, SPARSE = range(6)
BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class TableBlock:
    """Lines of a table: text, spans of phrases in it (begin, end), natural logarithms of scores (rows, scores), and links.

    Links of row r are ``links[2 * link_offsets[r]:2 * link_offsets[r + 1]]``: source position, target position, and so on.
    A table without targets has empty ones. `sparse` has the spans of sparse features; `place` is the path and the line numbers.
    """

    text: UInt8s
    sources: Int64s
    targets: Int64s
    scores: Float64s
    links: Int32s
    link_offsets: Int64s
    sparse: Int64s
    place: tuple[Path, Int64s]

    def __len__(self) -> int:
        return len(self.sources)

    def sparse_features(self) -> list[tuple[int, str, float]]:
        """Row, name and value of each sparse feature. InputError names a malformed line."""
        features: list[tuple[int, str, float]] = []
        path, numbers = self.place
        for row in np.flatnonzero(self.sparse[:, 1] > self.sparse[:, 0]).tolist():
            words = _cell(self.text, self.sparse[row]).split()
            values = [_number(word) for word in words[1::2]]
            if len(words) % 2 or not all(map(isfinite, values)):
                raise _refused(path, int(numbers[row]), "sparse features are pairs of a name and a number")
            if len(set(words[::2])) < len(values):
                raise _refused(path, int(numbers[row]), "a sparse feature has two values")
            features += [(row, name, value) for name, value in zip(words[::2], values, strict=True)]
        return features

    def source_hashes(self) -> UInt64s:
        """Hashes of source phrases; shape (rows,)."""
        hashes: UInt64s = hash_slices(self.text, self.sources[:, 0], self.sources[:, 1])
        return hashes

    def pair_hashes(self) -> UInt64s:
        """Hashes of ``source ||| target``; shape (rows,)."""
        hashes: UInt64s = hash_slices(self.text, self.sources[:, 0], self.targets[:, 1])
        return hashes

    def longest_source(self) -> int:
        """Number of words of the longest source phrase."""
        _, _, offsets = _phrase_words(self.text, self.sources)
        return int(np.diff(offsets).max(initial=0))

    def source_words(self) -> tuple[list[str], Int64s, Int64s]:
        """Distinct words of sources by first occurrence, the index of each word of all sources among them, and offsets of rows."""
        return self._words(self.sources)

    def target_words(self) -> tuple[list[str], Int64s, Int64s]:
        """Distinct words of targets by first occurrence, the index of each word of all targets among them, and offsets of rows."""
        return self._words(self.targets)

    def _words(self, spans: Int64s) -> tuple[list[str], Int64s, Int64s]:
        begins, ends, offsets = _phrase_words(self.text, spans)
        hashes = hash_slices(self.text, begins, ends)
        _, firsts, places = np.unique(hashes, return_index=True, return_inverse=True)
        order = np.argsort(firsts)
        ranks = np.empty(len(order), np.int64)
        ranks[order] = np.arange(len(order))
        firsts = firsts[order]
        words = [
            self.text[begin:end].tobytes().decode()
            for begin, end in zip(begins[firsts].tolist(), ends[firsts].tolist(), strict=True)
        ]
        return words, ranks[places.reshape(-1)], offsets


def read_table(
    path: Path, width: int | None = None, of_source: bool = False, source_mask: Callable[[UInt8s, Int64s], Bools] | None = None
) -> Iterator[TableBlock]:
    """Yield blocks of a table, gzipped or plain, with `width` scores a line, by default the number of the first line.

    A table `of_source` has lines ``source ||| scores``. `source_mask` maps a text and spans of sources to a mask of rows to read;
    scores of other lines stay unread. InputError (`invalid-table`, `invalid-encoding`) names file and line.
    """
    first = 1
    with ExitStack() as stack:
        for raw in _pieces(path, stack):
            count = raw.count(b"\n")
            _check_encoding(path, raw, first)
            text = np.frombuffer(raw, np.uint8)
            columns, counts, regular = find_columns(text, count)
            if not regular:
                text = np.frombuffer(_tidied(raw), np.uint8)
                columns, counts, _ = find_columns(text, count)
            rows = np.arange(count) if source_mask is None else np.flatnonzero(source_mask(text, columns[:, SOURCE]))
            columns, counts = columns[rows], counts[rows]
            _check_columns(path, columns, counts, of_source, first + rows)
            if len(rows):
                scores = columns[:, SCORES - of_source]
                width = width or max(1, len(_cell(text, scores[0]).split()))
                yield _block(path, text, columns, width, of_source, first + rows)
            first += count


def _pieces(path: Path, stack: ExitStack) -> Iterator[bytes]:
    """Yield blocks of complete lines; each line ends with a newline."""
    file = opened(path, stack)
    rest = b""
    first = True
    while True:
        try:
            part = file.read(CHUNK)
        except (EOFError, OSError, zlib.error):
            raise InputError("invalid-encoding", f"{path.name} is a damaged gzip file", (path.name,)) from None
        if first:
            part, first = part.removeprefix(BYTE_ORDER_MARK), False
        if not part:
            break
        end = part.rfind(b"\n") + 1
        if end:
            yield rest + part[:end]
            rest = part[end:]
        elif len(rest) > CHUNK:
            raise InputError("segment-too-long", f"a line of {path.name} has more than {CHUNK} bytes", (path.name,))
        else:
            rest += part
    if rest:
        yield rest + b"\n"


def _check_encoding(path: Path, raw: bytes, first: int) -> None:
    try:
        raw.decode()
    except UnicodeDecodeError as error:
        line = first + raw[: error.start].count(b"\n")
        raise InputError("invalid-encoding", f"line {line} of {path.name} is not UTF-8", (path.name, line)) from None


def _tidied(raw: bytes) -> bytes:
    """Lines with one blank between words and around bars."""
    lines = (" ||| ".join(" ".join(cell.split()) for cell in line.split("|||")) for line in raw.decode().split("\n")[:-1])
    return "".join(f"{' '.join(line.split())}\n" for line in lines).encode()


def _cell(text: UInt8s, span: Int64s) -> str:
    return text[span[0] : span[1]].tobytes().decode()


def _check_columns(path: Path, columns: Int64s, counts: Int64s, of_source: bool, numbers: Int64s) -> None:
    short = (counts < 3 - of_source) | (columns[:, SOURCE, 0] == columns[:, SOURCE, 1])
    if short.any():
        form = "source ||| scores" if of_source else "source ||| target ||| scores"
        raise _refused(path, int(numbers[np.argmax(short)]), f"expected: {form}")


def _block(path: Path, text: UInt8s, columns: Int64s, width: int, of_source: bool, numbers: Int64s) -> TableBlock:
    cells = np.ascontiguousarray(columns[:, SCORES - of_source])
    values, bad = parse_numbers(text, cells, width)
    if bad >= 0:
        raise _refused(path, int(numbers[bad]), _wrong_scores(_cell(text, cells[bad]), width))
    with np.errstate(divide="ignore"):
        scores: Float64s = np.maximum(np.log(values), WORST)
    sources, targets = columns[:, SOURCE], columns[:, TARGET] if not of_source else columns[:, SOURCE, 1:].repeat(2, axis=1)
    if of_source:
        empty = np.zeros((len(columns), 2), np.int64)
        return TableBlock(
            text, sources, targets, scores, np.zeros(0, np.int32), np.zeros(len(columns) + 1, np.int64), empty, (path, numbers)
        )
    sizes = np.stack([np.diff(_phrase_words(text, spans)[2]) for spans in (sources, targets)], axis=1)
    links, offsets, bad = parse_places(text, np.ascontiguousarray(columns[:, LINKS]), sizes)
    if bad >= 0:
        raise _refused(path, int(numbers[bad]), _wrong_links(_cell(text, columns[bad, LINKS])))
    return TableBlock(text, sources, targets, scores, links, offsets, columns[:, SPARSE], (path, numbers))


def _number(word: str) -> float:
    try:
        return float(word)
    except ValueError:
        return nan


def _wrong_scores(cell: str, width: int) -> str:
    try:
        values = [float(score) for score in cell.split()]
    except ValueError:
        return "a score is not a number"
    if len(values) != width:
        return f"{width} scores are expected, not {len(values)}"
    return "a score is negative or not finite" if not all(0 <= value < inf for value in values) else "a score is not a plain number"


def _wrong_links(cell: str) -> str:
    for link in cell.split():
        left, _, right = link.partition("-")
        if not (left.isascii() and left.isdigit() and right.isascii() and right.isdigit()):
            return "an alignment is not of the form 0-0 1-2"
    return "a link exceeds the words of the phrases"


def _refused(path: Path, number: int, reason: str) -> InputError:
    return InputError("invalid-table", f"line {number} of {path.name}: {reason}", (path.name, number))


def _phrase_words(text: UInt8s, spans: Int64s) -> tuple[Int64s, Int64s, Int64s]:
    """`find_phrase_words` of spans in one layout: the column of a single row has another, for which a kernel would be compiled."""
    words: tuple[Int64s, Int64s, Int64s] = find_phrase_words(text, np.ascontiguousarray(spans))
    return words
