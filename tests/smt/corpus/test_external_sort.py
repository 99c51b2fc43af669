"""Sorting by bytes: what Python's own sort of bytes gives, whatever has to wait on disk."""

import errno
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.arrays import UInt8s
from app.errors import InputError
from app.smt.corpus import external_sort
from app.smt.corpus.external_sort import sorted_lines

LINES = st.lists(st.text(st.sampled_from("ab \x00\té"), max_size=24).map(str.encode), max_size=300)


@settings(max_examples=60, deadline=None)
@given(LINES, st.sampled_from([300, 3000, 1 << 20]), st.integers(1, 50))
def test_order_is_that_of_bytes(lines: list[bytes], memory: int, block: int) -> None:
    blocks = [
        np.frombuffer(b"".join(line + b"\n" for line in lines[at : at + block]), np.uint8) for at in range(0, len(lines), block)
    ]
    with TemporaryDirectory() as scratch, pytest.MonkeyPatch.context() as patch:
        patch.setattr(external_sort, "SMALLEST_MEMORY", 1)
        text = b"".join(part.tobytes() for part in sorted_lines(blocks, memory, Path(scratch)))
    assert text == b"".join(line + b"\n" for line in sorted(lines))


def test_many_equal_and_long_lines(tmp_path: Path) -> None:
    lines = [b"a man in a blue shirt ||| ein mann" + b"x" * (number % 90) for number in range(5000)]
    blocks = [np.frombuffer(b"\n".join(lines) + b"\n", np.uint8)]
    assert b"".join(part.tobytes() for part in sorted_lines(blocks, 1 << 24, tmp_path)).splitlines() == sorted(lines)


@pytest.mark.parametrize("runs", [3, 4, 5, 6, 7, 200])
def test_more_runs_than_may_be_open_are_merged_in_passes(runs: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    at_a_time: list[int] = []
    merged = external_sort._merged

    def counted(paths: list[Path], memory: int) -> Iterator[UInt8s]:
        at_a_time.append(len(paths))
        return merged(paths, memory)

    monkeypatch.setattr(external_sort, "SMALLEST_MEMORY", 1)
    monkeypatch.setattr(external_sort, "MOST_RUNS", 3)
    monkeypatch.setattr(external_sort, "_merged", counted)
    lines = [b"%d" % (number * 7919 % 1000) for number in range(runs)]
    blocks = [np.frombuffer(line + b"\n", np.uint8) for line in lines]
    assert b"".join(part.tobytes() for part in sorted_lines(blocks, 1, tmp_path)).splitlines() == sorted(lines)
    assert max(at_a_time) == at_a_time[-1] == len(list(tmp_path.iterdir())) == 3


def test_little_memory_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="bytes of memory"):
        list(sorted_lines([], 1000, tmp_path))


def test_a_full_disk_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> Path:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(external_sort, "_spilled", full)
    block = np.frombuffer(b"line\n" * 100_000, np.uint8)
    with pytest.raises(OSError, match="No space left"):
        list(sorted_lines([block, block], 1 << 20, tmp_path))
