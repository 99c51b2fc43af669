"""Whether there is room: by what is free, and after a refusal by trying."""

from pathlib import Path

import pytest
from sqlalchemy import Engine as Database

from app.errors import InputError, disk_full
from app.server.upkeep import disk_space
from app.server.upkeep.disk_space import DiskSpace, free_bytes
from app.settings import Settings


def test_too_little_free_space_is_no_room(database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = DiskSpace(Settings(data_dir=tmp_path, min_free_bytes=1000), database)
    here.require()
    here.check()
    monkeypatch.setattr(disk_space, "free_bytes", lambda folder: 999)
    for look in (here.require, here.check):
        with pytest.raises(InputError, match="ASSAY_MIN_FREE_BYTES"):
            look()


def test_after_a_refusal_room_is_tried_out(database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = DiskSpace(Settings(data_dir=tmp_path, min_free_bytes=0), database)
    monkeypatch.setattr(disk_space, "PROBE_SECONDS", -1.0)
    here.note_refusal()

    def full(*args: object, **named: object) -> None:
        raise disk_full()

    with monkeypatch.context() as patch:
        patch.setattr(disk_space.tempfile, "TemporaryFile", full)
        for _ in range(2):
            with pytest.raises(InputError, match="is full"):
                here.check()
    here.check()
    with monkeypatch.context() as patch:
        patch.setattr(disk_space.tempfile, "TemporaryFile", full)
        # Nothing was refused since: nothing is tried.
        here.check()
    if database.dialect.name == "postgresql":
        here.note_refusal()
        monkeypatch.setattr(here, "_try_database", full)
        with pytest.raises(InputError, match="is full"):
            here.check()


def test_a_folder_that_is_not_there_says_nothing(tmp_path: Path) -> None:
    assert free_bytes(tmp_path / "x") is None and (free_bytes(tmp_path) or 0) > 0
