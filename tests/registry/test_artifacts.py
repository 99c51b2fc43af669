"""Artifacts appear whole or not at all, under names that stay inside their folder."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.errors import InputError
from app.registry.artifacts import LocalArtifacts


def _write(text: str):
    return lambda folder: [(folder / name).write_text(text) for name in ("a", "b")] and None


def test_a_folder_appears_whole(tmp_path: Path) -> None:
    store = LocalArtifacts(tmp_path / "models")
    assert store.names() == []
    store.save("one", _write("1"))
    assert store.names() == ["one"]
    assert {path.name: path.read_text() for path in store.folder("one").iterdir()} == {"a": "1", "b": "1"}
    with pytest.raises(InputError, match="exists already"):
        store.save("one", _write("2"))
    store.save("one", _write("3"), replace=True)
    assert (store.folder("one") / "a").read_text() == "3"
    store.save_file("m.json", lambda path: path.write_text("{}") and None)
    assert store.names() == ["m.json", "one"]
    assert sorted(os.listdir(tmp_path / "models")) == ["m.json", "one"]


def test_what_fails_leaves_nothing(tmp_path: Path) -> None:
    store = LocalArtifacts(tmp_path)
    store.save("kept", _write("1"))

    def fail(folder: Path) -> None:
        (folder / "a").write_text("half")
        raise OSError("the disk is full")

    for replace in (False, True):
        with pytest.raises(OSError, match="full"):
            store.save("kept" if replace else "new", fail, replace)
    assert os.listdir(tmp_path) == ["kept"]
    assert (tmp_path / "kept" / "a").read_text() == "1"


def test_a_killed_writer_shows_nothing_and_is_swept_up(tmp_path: Path) -> None:
    program = (
        "import os, pathlib, sys; from app.registry.artifacts import LocalArtifacts\n"
        "def write(folder):\n    (folder / 'a').write_text('half')\n    os.kill(os.getpid(), 9)\n"
        "LocalArtifacts(pathlib.Path(sys.argv[1])).save('new', write)"
    )
    assert subprocess.run([sys.executable, "-c", program, str(tmp_path)], check=False).returncode == -9
    store = LocalArtifacts(tmp_path)
    assert store.names() == []
    (left,) = os.listdir(tmp_path)
    store.save("one", _write("1"))
    assert left in os.listdir(tmp_path)
    os.utime(tmp_path / left, (0, time.time() - 100_000))
    store.save("two", _write("1"))
    assert sorted(os.listdir(tmp_path)) == ["one", "two"]


@pytest.mark.parametrize("name", ["", ".", "..", ".hidden", "a/b", "/etc", "a\\b", "a\0b", "a\nb", "x" * 201, "ß" * 101])
def test_names_that_are_none(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError):
        LocalArtifacts(tmp_path).save(name, _write("1"))
    assert not os.listdir(tmp_path)


@given(st.text())
def test_every_path_stays_inside(name: str) -> None:
    root = Path("/models")
    try:
        path = LocalArtifacts(root).folder(name)
    except InputError:
        return
    assert path.parent == root and os.path.normpath(path) == str(path)


def test_stamps_tell_of_every_change(tmp_path: Path) -> None:
    store = LocalArtifacts(tmp_path)
    stamps = []
    for number in range(20):
        store.save(str(number), _write("1"))
        stamps.append(store.stamp())
    assert len(set(stamps)) == 20
    time.sleep(0.05)
    assert store.stamp() == store.stamp()
