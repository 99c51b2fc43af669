"""Shards: parts of files that are read, computed and written on their own."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from app.errors import InputError
from app.running.extras import package_of
from app.scale.files.places import Place, files_at, kind_of, place_of

__all__ = [
    "ARROW",
    "JSON_LINES",
    "LINES",
    "PARQUET",
    "SHARD_BYTES",
    "SHARD_ROWS",
    "TABS",
    "Shard",
    "damaged",
    "place_name",
    "row_groups",
    "shards_of",
]

# Code of the error about a file whose bytes are no table.
NO_TABLE: Final = "invalid-table"
PARQUET: Final = (".parquet", ".pq")
ARROW: Final = (".arrow", ".feather")
TABS: Final = (".tsv", ".tab")
JSON_LINES: Final = (".jsonl", ".ndjson")
LINES: Final = TABS + JSON_LINES
# Rows of a shard at least, if row groups are small; bytes of a shard of lines.
SHARD_ROWS: Final = 20_000
SHARD_BYTES: Final = 32 << 20


@dataclass(frozen=True)
class Shard:
    """A part of a file, `number` of `count` parts: row groups of Parquet, batches of Arrow, or bytes of lines, `begin` to `end`.

    A line belongs to the shard of its first byte.
    """

    address: str
    state: str
    begin: int
    end: int
    number: int
    count: int

    @property
    def place(self) -> Place:
        """The file, which must be unchanged; InputError (`invalid-table`) otherwise."""
        place = place_of(self.address)
        if place.state != self.state:
            raise InputError("invalid-table", f"{self.address} changed since the run began; run again", (place.name,))
        return place

    def output(self, kind: str) -> str:
        """Name of an output of a `kind`, that of the file if empty: its name, with the number of the shard if it has several."""
        name = place_name(self.address)
        kind_of_file = "".join(kind_of(name))
        return self._numbered(name.removesuffix(kind_of_file), kind or kind_of_file)

    def companion(self, kind: str) -> str:
        """Name of numbers about the shard, in a file of a `kind`: the whole name of its file, so that no two files share it."""
        return self._numbered(place_name(self.address), kind)

    def _numbered(self, stem: str, kind: str) -> str:
        return f"{stem}{kind}" if self.count == 1 else f"{stem}-{self.number:05}-of-{self.count:05}{kind}"


def place_name(address: str) -> str:
    """Last part of an address."""
    return address.rstrip("/").rpartition("/")[2]


def shards_of(patterns: Sequence[str]) -> list[Shard]:
    """Shards of all files that match, each file once; InputError for unknown kinds. A damaged file is one shard."""
    places = {place.address: place for pattern in patterns for place in map(place_of, files_at(pattern))}
    return [shard for place in places.values() for shard in _shards_of_file(place)]


def _shards_of_file(place: Place) -> Iterator[Shard]:
    kind, compression = kind_of(place.name)
    if kind in (*PARQUET, *ARROW) and not compression:
        try:
            bounds = _bounds(row_groups(place)) if kind in PARQUET else _arrow_batches(place)
        except InputError as error:
            if error.code != NO_TABLE:
                raise
            # Its reader says at the end that it is damaged, or reads a stream of Arrow.
            bounds = [0, 0]
    elif kind in LINES:
        # Packed lines have no places to begin at.
        parts = 1 if compression else max(1, -(-place.size // SHARD_BYTES))
        bounds = [place.size * k // parts for k in range(parts + 1)]
    else:
        kinds = ", ".join((*PARQUET, *ARROW, *(f"{kind}[.gz|.zst]" for kind in LINES)))
        raise InputError("invalid-request", f"{place.name} is of no kind that is read here; these are {kinds}", (place.name,))
    count = len(bounds) - 1
    for number in range(count):
        yield Shard(place.address, place.state, bounds[number], bounds[number + 1], number, count)


def row_groups(place: Place) -> list[int]:
    """Rows of each group of a file of Parquet; InputError (`invalid-table`) if it is damaged."""
    pa, pq = package_of("pyarrow", "parquet"), package_of("pyarrow.parquet", "parquet")
    with place.open() as file:
        try:
            metadata = pq.ParquetFile(file).metadata
        except (pa.ArrowException, OSError) as error:
            raise damaged(place.name, error) from None
        return [metadata.row_group(group).num_rows for group in range(metadata.num_row_groups)]


def _arrow_batches(place: Place) -> list[int]:
    pa = package_of("pyarrow", "parquet")
    with place.open() as file:
        try:
            batches = pa.ipc.open_file(file)
            return _bounds([batches.get_batch(number).num_rows for number in range(batches.num_record_batches)])
        except (pa.ArrowException, OSError) as error:
            raise damaged(place.name, error) from None


def _bounds(rows: Sequence[int]) -> list[int]:
    """Bounds of groups of neighbours with at least `SHARD_ROWS` rows each, but the last one."""
    bounds, total = [0], 0
    for number, count in enumerate(rows):
        total += count
        if total >= SHARD_ROWS or number == len(rows) - 1:
            bounds.append(number + 1)
            total = 0
    return bounds if len(bounds) > 1 else [0, 0]


def damaged(name: str, error: Exception) -> InputError:
    """InputError (`invalid-table`) about a file whose bytes are no table."""
    return InputError(NO_TABLE, f"{name} cannot be read: {str(error).partition(chr(10))[0]}", (name,))
