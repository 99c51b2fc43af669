"""Batches of lines: rows of TSV, and objects of JSONL. A line with a fault is a row with it."""

import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import isfinite
from typing import Any, BinaryIO, Final, NamedTuple

import numpy as np

from app.errors import InputError
from app.scale.batches import Batch
from app.scale.cells import ABSENT, Fault
from app.scale.files.places import Place
from app.scale.files.shards import JSON_LINES, Shard, damaged
from app.scale.files.sizes import BATCH_BYTES
from app.text.reading.lines import decode_text

__all__ = ["BYTE_ORDER_MARK", "LONGEST", "ROWS", "check_names", "is_encodable", "line_batches"]

# Rows of a batch. Scores of a batch depend in their last bits on its size, so that it never changes.
ROWS: Final = 4096
# Bytes of a line; a cell of a megabyte is read, and then refused as a segment.
LONGEST: Final = 16 << 20
BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"


class Line(NamedTuple):
    """A line without its end: its place in the file, its text with surrogates for bad bytes, and its fault."""

    place: str | int
    text: str
    fault: str | None = None

    def fault_of(self, code: str, reason: str) -> str:
        """A fault of this line."""
        return f"{code}: {_name_of(self.place)} {reason}"


def _name_of(place: str | int) -> str:
    return f"line {place}" if isinstance(place, int) else place


def line_batches(file: BinaryIO, shard: Shard, place: Place, kind: str, is_compressed: bool) -> Iterator[Batch]:
    """Batches of the lines of a shard, dicts of arrays; InputError for a file that is damaged or no table of its kind."""
    if kind in JSON_LINES:
        yield from _batches_of_objects(file, shard, place.name, is_compressed)
        return
    heading, _ = _line(file, place.name)
    if not heading:
        raise InputError("empty-input", f"{place.name} is empty; write a heading and rows", (place.name,))
    if len(heading) > LONGEST:
        raise InputError("segment-too-long", f"line 1 of {place.name} has more than {LONGEST} bytes; split it", (place.name,))
    names = decode_text(heading, place.name).rstrip("\r\n").split("\t")
    check_names(names, place.name)
    batch = None
    for batch in _parts(_lines(file, shard, place.name, is_compressed, len(heading))):
        yield _cells(batch, names)
    if batch is None and shard.count == 1:
        yield {name: np.empty(0, object) for name in names}


def check_names(names: Sequence[str], name: str) -> None:
    """InputError (`invalid-table`) for a file with two columns of one name."""
    repetition = next((column for column in names if names.count(column) > 1), None)
    if repetition is not None:
        raise InputError("invalid-table", f"{name} has two columns {repetition}; rename one", (name,))


def is_encodable(text: str) -> bool:
    """False for a text with a lone surrogate, which UTF-8 does not have."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _parts(lines: Iterator[Line]) -> Iterator[list[Line]]:
    """Lines in parts of `ROWS`, or of fewer long ones."""
    part: list[Line] = []
    size = 0
    for line in lines:
        part.append(line)
        size += len(line.text)
        if len(part) == ROWS or size >= BATCH_BYTES:
            yield part
            part, size = [], 0
    if part:
        yield part


def _lines(file: BinaryIO, shard: Shard, name: str, is_compressed: bool, heading: int) -> Iterator[Line]:
    """Lines of a shard that are not empty; of a compressed file all lines."""
    at = heading
    number = 1 if heading else 0
    is_first = is_compressed or shard.begin <= heading
    if not is_first:
        # The line of the byte before belongs to the shard before.
        file.seek(shard.begin - 1)
        at = shard.begin - 1 + _line(file, name)[1]
    while is_compressed or at < shard.end:
        raw, size = _line(file, name)
        if not raw:
            return
        number += 1
        line = _line_of(raw.removeprefix(BYTE_ORDER_MARK) if not at else raw, number if is_first else f"the line at byte {at}")
        if line.text or line.fault:
            yield line
        at += size


def _line_of(raw: bytes, place: str | int) -> Line:
    if len(raw) > LONGEST:
        return Line(place, "", f"segment-too-long: {_name_of(place)} has more than {LONGEST} bytes")
    try:
        return Line(place, raw.decode().rstrip("\r\n"))
    except UnicodeDecodeError as error:
        fault = f"invalid-encoding: byte {error.start + 1} of {_name_of(place)} is not UTF-8"
        return Line(place, raw.decode(errors="surrogateescape").rstrip("\r\n"), fault)


def _line(file: BinaryIO, name: str) -> tuple[bytes, int]:
    """Bytes of a line, of a too long one a few more than may be, and its size."""
    try:
        raw = file.readline(LONGEST + 1)
        size = len(raw)
        part = raw
        while len(part) > LONGEST and not part.endswith(b"\n"):
            part = file.readline(LONGEST + 1)
            size += len(part)
    except (EOFError, OSError, zlib.error) as error:
        raise damaged(name, error) from None
    return raw, size


def _cells(lines: Sequence[Line], names: Sequence[str]) -> dict[str, np.ndarray]:
    rows: list[Sequence[object]] = []
    for line in lines:
        cells = line.text.split("\t")
        fault = line.fault
        if fault is None and len(cells) != len(names):
            fault = line.fault_of("invalid-table", f"has {len(cells)} columns, the heading has {len(names)}")
        if fault is None and "\r" in line.text:
            fault = line.fault_of("invalid-character", "has a carriage return in a cell")
        rows.append(cells if fault is None else _faulty_cells(cells if line.text else [], len(names), fault))
    return {column: np.array(values, object) for column, values in zip(names, zip(*rows, strict=True), strict=True)}


def _faulty_cells(cells: Sequence[str], width: int, fault: str) -> list[Fault]:
    texts = [cell if is_encodable(cell) and "\r" not in cell else None for cell in cells[:width]]
    return [Fault(fault, text) for text in (*texts, *[None] * (width - len(texts)))]


def _batches_of_objects(file: BinaryIO, shard: Shard, name: str, is_compressed: bool) -> Iterator[Batch]:
    """Batches of objects. All have the columns of the first one of the file: a key may lack in later rows."""
    first: Mapping[str, object] = {}
    if shard.number:
        first = _objects(next(_parts(_lines(file, replace(shard, begin=0), name, is_compressed, 0)), []), name, ())
    for part in _parts(_lines(file, shard, name, is_compressed, 0)):
        batch = _objects(part, name, tuple(first))
        first = first or dict.fromkeys(batch)
        yield batch


def _objects(lines: Sequence[Line], name: str, first: Sequence[str]) -> dict[str, np.ndarray]:
    rows = [_object(line) for line in lines]
    names = dict.fromkeys((*(key for row, _ in rows for key in row), *first))
    fault = next((fault for _, fault in rows if fault is not None), None)
    if not names and fault is not None:
        code, _, reason = fault.partition(": ")
        raise InputError(code, f"{reason}; {name} has no JSON objects in its first rows", (name,))
    columns = {}
    for key in names:
        # One by one: NumPy would read lists of equal lengths as further dimensions.
        column = np.empty(len(rows), object)
        for k, (row, fault) in enumerate(rows):
            value = row.get(key, ABSENT)
            column[k] = value if fault is None else Fault(fault, value)
        columns[key] = column
    return columns


class NotFiniteError(ValueError):
    """JSON has a number that is not finite."""


def _object(line: Line) -> tuple[dict[str, Any], str | None]:
    """The object in a line, without values that JSON cannot hold, and the fault of the line."""
    try:
        value = json.loads(line.text, parse_constant=_finite, parse_float=_finite)
        fault = line.fault
    except NotFiniteError:
        value = json.loads(line.text)
        fault = line.fault or line.fault_of("invalid-table", "has a number that is not finite, such as NaN, Infinity or 1e999")
    except (ValueError, RecursionError):
        value, fault = None, line.fault
    if not isinstance(value, dict):
        return {}, fault or line.fault_of("invalid-table", "is no JSON object")
    if fault is None:
        return value, None
    return {key: cell if _is_json(cell) else None for key, cell in value.items() if is_encodable(key)}, fault


def _finite(text: str) -> float:
    number = float(text)
    if not isfinite(number):
        raise NotFiniteError
    return number


def _is_json(value: object) -> bool:
    try:
        return is_encodable(json.dumps(value, ensure_ascii=False, allow_nan=False))
    except ValueError:
        return False
