"""Where there is no room, the error names what was being written, as whoever asked for it calls it."""

import errno
import resource
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import numpy as np
import pytest

from app.building.gzip_files import open_packed, written_gzip
from app.building.writing import file_aside, folder_aside, text_aside
from app.smt.corpus.external_sort import SMALLEST_MEMORY, sorted_lines

NOISE = np.random.default_rng(0).bytes(100_000)


@contextmanager
def short_files() -> Iterator[None]:
    """Files have 4096 bytes at most, until the end."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize("kind", ["text.gz", "text", "plain", "folder", "inner.gz", "second"])
def test_a_full_disk_is_named(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "made" / kind if kind == "inner.gz" else tmp_path / kind
    with pytest.raises(OSError) as raised, short_files(), ExitStack() as stack:
        if kind.startswith("text"):
            stack.enter_context(text_aside(path)).write(NOISE.decode("latin-1"))
        elif kind == "plain":
            stack.enter_context(file_aside(path)).write_bytes(NOISE)
        elif kind == "folder":
            (stack.enter_context(folder_aside(path)) / "part").write_bytes(NOISE)
        elif kind == "inner.gz":
            stack.enter_context(written_gzip(stack.enter_context(folder_aside(tmp_path / "made")) / kind)).write(NOISE)
        else:
            # Of several files it is the one that was written to.
            first = open_packed(stack.enter_context(file_aside(path)), path, stack)
            stack.enter_context(file_aside(tmp_path / "other"))
            first.write(NOISE)
    assert raised.value.errno == errno.EFBIG and raised.value.filename == str(path)
    assert not path.exists()


def test_a_full_disk_is_named_where_lines_are_sorted(tmp_path: Path) -> None:
    block = np.frombuffer(NOISE.replace(b"\n", b" ") + b"\n", np.uint8)
    with pytest.raises(OSError) as raised, short_files():
        list(sorted_lines([block] * 10, SMALLEST_MEMORY, tmp_path))
    assert raised.value.filename == str(tmp_path)


def test_what_fails_leaves_no_folder_that_it_made(tmp_path: Path) -> None:
    (tmp_path / "kept").mkdir()
    for folder in (tmp_path / "a" / "b" / "c", tmp_path / "kept" / "c"):
        with pytest.raises(ValueError, match="broken"), folder_aside(folder) as aside:
            (aside / "part").write_bytes(NOISE)
            raise ValueError("broken")
    assert list(tmp_path.rglob("*")) == [tmp_path / "kept"]
    with folder_aside(tmp_path / "a" / "b" / "c") as aside:
        (aside / "part").write_bytes(NOISE)
    assert (tmp_path / "a" / "b" / "c" / "part").read_bytes() == NOISE
