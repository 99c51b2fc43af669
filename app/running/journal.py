"""What a training has computed so far, so that it can be watched, stopped, and continued after its process was killed.

A training is deterministic for one seed, so whatever it computes at great cost is a sequence of arrays that is the same in every
run. It asks its journal for each of them: one that holds the beginning of that sequence gives it back without computing, and the
training ends with the same bytes as one that was never interrupted.
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
    """What a training reports to; whoever wants it to stop raises an exception of their own in either method."""

    def report(self, what: str, share: float) -> None:
        """Told what is being done, and how much of the training is done, 0 to 1; called often."""
        ...

    def recall(self, compute: Callable[[], Float64s]) -> Float64s:
        """The next recorded array (n,) of this training, or what `compute` gives, which is then recorded.

        The array is the caller's to change. `compute` does not ask the journal.
        """
        ...


class ProgressJournal:
    """Records nothing; `progress` is told what `report` is. Both methods raise where nobody waits for the answer any more."""

    def __init__(self, progress: Callable[[str, float], None]) -> None:
        self._progress = progress

    def report(self, what: str, share: float) -> None:
        """Hand on to `progress`."""
        check_deadline()
        self._progress(what, share)

    def recall(self, compute: Callable[[], Float64s]) -> Float64s:
        """What `compute` gives."""
        return compute()


class SilentJournal(ProgressJournal):
    """Shows and records nothing."""

    def __init__(self) -> None:
        super().__init__(lambda what, share: None)


SILENT: Final[Journal] = SilentJournal()


class FileJournal(ProgressJournal):
    """Records in one file, which belongs to one training: the same rows, options and seed. What it holds is recalled first.

    A last record that was torn is dropped.
    """

    def __init__(self, path: Path, progress: Callable[[str, float], None] = SILENT.report) -> None:
        raw = path.read_bytes() if path.exists() else b""
        recorded = decode(raw)
        self._recorded = iter(recorded)
        super().__init__(progress)
        self._file = path.open("ab")
        self._file.truncate(sum(HEADER.size + array.nbytes for array in recorded))

    def recall(self, compute: Callable[[], Float64s]) -> Float64s:
        """As `Journal.recall`; a record is in the file's cache when this returns, so that it outlives the process."""
        recorded = next(self._recorded, None)
        if recorded is not None:
            return recorded
        computed = compute()
        self._file.write(encode([computed]))
        self._file.flush()
        return computed

    def close(self) -> None:
        """Close the file."""
        self._file.close()


@dataclass(frozen=True)
class Share:
    """A part of a training, which moves the whole from `begin` to `end`; named `what` unless it says itself what it does."""

    whole: Journal
    begin: float
    end: float
    what: str | None = None

    def report(self, what: str, share: float) -> None:
        """Report to the whole."""
        self.whole.report(self.what or what, self.begin + (self.end - self.begin) * share)

    def recall(self, compute: Callable[[], Float64s]) -> Float64s:
        """Recall from the whole."""
        return self.whole.recall(compute)


def recall_named(journal: Journal, compute: Callable[[], Mapping[str, Float64s]]) -> dict[str, Float64s]:
    """Arrays of any shapes by name, as one record: the names, then of each its dimensions, their sizes and its numbers."""

    def flat() -> Float64s:
        computed = compute()
        names = np.frombuffer("\n".join(computed).encode(), np.uint8)
        arrays = [np.asarray(array, np.float64) for array in (names, *computed.values())]
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
    """Arrays (n,) as bytes; those of two sequences one after the other are those of both."""
    values = (np.ascontiguousarray(array, "<f8").tobytes() for array in arrays)
    return b"".join(HEADER.pack(len(raw), crc32(raw)) + raw for raw in values)


def decode(raw: bytes) -> list[Float64s]:
    """The arrays of `encode`, up to the first record that is not whole."""
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
