"""Settings from files, so that secrets need not stand in an environment."""

import os
from pathlib import Path

import pytest

from app.errors import InputError
from app.operations.parts.environment import read_settings
from app.server.jobs.executors.processes import worker_environment
from app.settings import Settings


@pytest.fixture
def secrets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "assay_database_url").write_text("postgresql://assay:word@db/assay\n")
    (tmp_path / "postgres_password").write_text("word")
    (tmp_path / "assay_workers").write_text("3")
    monkeypatch.setenv("ASSAY_SECRETS_DIR", str(tmp_path))
    return tmp_path


def test_a_file_is_a_setting_and_a_variable_comes_before_it(secrets: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = read_settings()
    assert (settings.sqlalchemy_url, settings.workers) == ("postgresql://assay:word@db/assay", 3)
    monkeypatch.setenv("ASSAY_WORKERS", "2")
    assert read_settings().workers == 2
    assert Settings(database_url="sqlite://").database_url == "sqlite://"


def test_workers_have_the_settings_of_their_server(secrets: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = read_settings()
    for name, value in worker_environment(settings, os.environ).items():
        monkeypatch.setenv(name, value)
    assert read_settings() == settings


def test_a_folder_that_is_not_there_is_refused(secrets: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for folder in (secrets / "nothing", secrets / "assay_workers"):
        monkeypatch.setenv("ASSAY_SECRETS_DIR", str(folder))
        with pytest.raises(InputError) as refused:
            read_settings()
        assert refused.value.where == ("ASSAY_SECRETS_DIR",)


def test_a_file_that_cannot_be_so_is_named(secrets: Path) -> None:
    (secrets / "assay_workers").write_text("many")
    with pytest.raises(InputError) as refused:
        read_settings()
    assert refused.value.where == ("ASSAY_WORKERS",)


def test_files_of_others_are_left_alone_and_a_secret_that_is_no_text_is_named(secrets: Path) -> None:
    (secrets / "assay_tls.p12").write_bytes(b"\xff\xfe\x00")
    assert read_settings().workers == 3
    (secrets / "assay_port").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="assay_port is not UTF-8"):
        read_settings()
