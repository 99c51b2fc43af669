"""Recorded checksums: equal to those of the files, and of use only for unchanged files."""

import hashlib
import json
import os
from pathlib import Path

import pytest

from app.resources import manifest
from app.resources.manifest import CHECKSUMS, forget_checksums, recalled_checksum


@pytest.fixture
def record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(manifest, "cache_folder", lambda: tmp_path)
    manifest._recorded_checksums.cache_clear()
    yield tmp_path / CHECKSUMS
    manifest._recorded_checksums.cache_clear()


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_a_checksum_is_recorded_and_follows_each_change(record: Path, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"first")
    assert recalled_checksum(file) == digest(file) == json.loads(record.read_text())[str(file)][-1]
    times = file.stat().st_mtime_ns
    file.write_bytes(b"other")
    os.utime(file, ns=(times, times))
    assert recalled_checksum(file) == digest(file)
    manifest._recorded_checksums.cache_clear()
    assert recalled_checksum(file) == digest(file)


def test_a_record_is_believed_until_it_is_forgotten(record: Path, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"text")
    recalled_checksum(file)
    rows = json.loads(record.read_text())
    record.write_text(json.dumps({str(file): [*rows[str(file)][:-1], "0" * 64]}))
    manifest._recorded_checksums.cache_clear()
    assert recalled_checksum(file) == "0" * 64
    forget_checksums()
    assert recalled_checksum(file) == digest(file)


@pytest.mark.parametrize("content", ["", "[]", '{"a": 1}', "\x00"])
def test_a_damaged_record_is_no_record(record: Path, tmp_path: Path, content: str) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"text")
    record.write_text(content)
    assert recalled_checksum(file) == digest(file)
