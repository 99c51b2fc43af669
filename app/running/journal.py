"""Records of a training, so that it can be watched, stopped, and continued after its process was killed.

A training is deterministic for a seed, so its costly results are one sequence of arrays in every run. It asks its journal for each
array. A journal with the beginning of the sequence returns recorded arrays without computing them. The training then ends with
the bytes of an uninterrupted run.
"""

import struct
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol
from zlib import crc32

import numpy as np

from app.arrays import Float64s
from app.running.deadline import check_deadline

__all__ = ["SILENT", "FileJournal", "Journal", "ProgressJournal", "Share", "SilentJournal", "decode", "encode", "recall_named"]

# Bytes of an array and their CRC-32, before the bytes.
HEADER: Final = struct.Struct("<QI")


class Journal(Protocol):
    """Receiver of the progress and results of a training. Either method may raise to stop the training."""

    def report(self, task: str, share: float) -> None:
        """Receive the present task and the share of the training that is done, 0 to 1; called often."""
        ...

    def recall(self, compute: Callable[[], Float64s]) -> Float64s:
        """Next recorded array (n,) of this training, else the result of `compute`, which is then recorded.

        The caller may change the array. `compute` may not use the journal.
        """
        ...


class ProgressJournal:
    """Records nothing and passes reports on to `progress`. `report` raises after the deadline."""

    def __init__(self, progress: Callable[[str, float], None]) -> None:
        self._progress = progress

    def report(self, task: str, share: float) -> None:
        """Check the deadline and call `progress`."""
        check_deadline()
        self._progress(task, share)

    def recall(self, compute: Callable[[], Float64s]) -> Float64s:
        """Result of `compute`."""
        return compute()


class SilentJournal(ProgressJournal):
    """Shows and records nothing."""

    def __init__(self) -> None:
        super().__init__(lambda task, share: None)


SILENT: Final[Journal] = SilentJournal()


class FileJournal(ProgressJournal):
    """Records in the file of one training (its rows, options and seed); records in the file are recalled first.

    An incomplete last record is dropped.
    """

    def __init__(self, path: Path, progress: Callable[[str, float], None] = SILENT.report) -> None:
        raw = path.read_bytes() if path.exists() else b""
        records = decode(raw)
        self._records = iter(records)
        super().__init__(progress)
        self._file = path.open("ab")
        self._file.truncate(sum(HEADER.size + array.nbytes for array in records))

    def recall(self, compute: Callable[[], Float64s]) -> Float64s:
        """Recall as `Journal.recall`; a new record is flushed to the system, so that it outlives the process."""
        record = next(self._records, None)
        if record is not None:
            return record
        result = compute()
        self._file.write(encode([result]))
        self._file.flush()
        return result

    def close(self) -> None:
        """Close the file."""
        self._file.close()


@dataclass(frozen=True)
class Share:
    """A part of a training that moves it from share `begin` to `end`; `task` replaces the tasks that the part reports."""

    journal: Journal
    begin: float
    end: float
    task: str | None = None

    def report(self, task: str, share: float) -> None:
        """Report to the journal of the training."""
        self.journal.report(self.task or task, self.begin + (self.end - self.begin) * share)

    def recall(self, compute: Callable[[], Float64s]) -> Float64s:
        """Recall from the journal of the training."""
        return self.journal.recall(compute)


def recall_named(journal: Journal, compute: Callable[[], Mapping[str, Float64s]]) -> dict[str, Float64s]:
    """Recall arrays of any shapes by name, as one record: the names, then dimensions, sizes and numbers of each array."""

    def flat() -> Float64s:
        results = compute()
        names = np.frombuffer("\n".join(results).encode(), np.uint8)
        arrays = [np.asarray(array, np.float64) for array in (names, *results.values())]
        return np.concatenate([part for array in arrays for part in ([array.ndim], array.shape, array.ravel())])

    names, *arrays = _shaped(journal.recall(flat))
    return dict(zip(names.astype(np.uint8).tobytes().decode().split("\n"), arrays, strict=True))


def _shaped(flat: Float64s) -> Iterator[Float64s]:
    begin = 0
    while begin < len(flat):
        first = begin + 1 + int(flat[begin])
        shape = flat[begin + 1 : first].astype(np.int64)
        begin = first + int(np.prod(shape))
        yield flat[first:begin].reshape(shape).copy()


def encode(arrays: Iterable[Float64s]) -> bytes:
    """Encode arrays (n,) as bytes; encodings of two sequences can be concatenated."""
    values = (np.ascontiguousarray(array, "<f8").tobytes() for array in arrays)
    return b"".join(HEADER.pack(len(raw), crc32(raw)) + raw for raw in values)


def decode(raw: bytes) -> list[Float64s]:
    """Decode the output of `encode`, up to the first incomplete record."""
    arrays: list[Float64s] = []
    begin = 0
    while len(raw) >= begin + HEADER.size:
        size, check = HEADER.unpack_from(raw, begin)
        values = raw[begin + HEADER.size : begin + HEADER.size + size]
        if len(values) < size or crc32(values) != check or size % 8:
            break
        arrays.append(np.frombuffer(values, "<f8").astype(np.float64))
        begin += HEADER.size + size
    return arrays
