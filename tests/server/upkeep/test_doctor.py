"""Every look says what is wrong where something is, and what to do about it."""

import json
import os
import shutil
import socket
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from app.server.store import KeyStore, open_database
from app.server.upkeep import doctor
from app.server.upkeep.doctor import Finding, examine
from app.settings import ROOT, Settings
from tests.databases import Cluster
from tests.server.upkeep.test_backup import run
from tests.servers import free_port


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """A small house: the resources of one language, one model, and an empty data folder."""
    (tmp_path / "models").mkdir()
    shutil.copytree(ROOT / "models" / "ro-en-hter-gp-17", tmp_path / "models" / "ro-en-hter-gp-17")
    (tmp_path / "resources").mkdir()
    shutil.copytree(ROOT / "resources" / "ro-en", tmp_path / "resources" / "ro-en")
    (tmp_path / "data").mkdir(mode=0o700)
    return Settings(
        data_dir=tmp_path / "data", models_dir=tmp_path / "models", resources_dir=tmp_path / "resources", port=free_port(),
        min_free_bytes=0, max_upload_bytes=16_000_000,
    )  # fmt: skip


def looked(settings: Settings, check: str, local: bool = True) -> list[Finding]:
    return [finding for finding in examine(settings, local) if finding.check == check]


def changed(settings: Settings, **values: Any) -> Settings:
    return settings.model_copy(update=values)


def test_a_healthy_house(settings: Settings) -> None:
    open_database(settings.sqlalchemy_url).dispose()
    findings = list(examine(settings, True))
    assert {finding.check for finding in findings} == {
        "settings", "data folder", "disk of data", "disk of temporary files", "resources", "models", "database", "integrity",
        "clock", "keys", "port", "threads",
    }  # fmt: skip
    assert all(finding.state == "ok" and not finding.advice for finding in findings if finding.check != "threads"), findings


def test_unknown_settings_are_named(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_WORKRES", "2")
    monkeypatch.setenv("ASSAY_SERVER", "http://127.0.0.1:8000")
    [finding] = looked(settings, "settings")
    assert finding.state == "warning" and finding.advice == "did you mean ASSAY_WORKERS?"


@pytest.mark.parametrize(
    ("values", "local", "advice"),
    [
        ({"webhook_hosts": "x"}, True, "WEBHOOK_SECRET"),
        ({"max_body_bytes": 10**9}, True, "MAX_UPLOAD_BYTES"),
        ({"max_client_requests": 1000}, True, "MAX_CLIENT_REQUESTS"),
        ({"keep_results_days": 1.0, "keep_uploads_days": 2.0}, True, "KEEP_RESULTS_DAYS"),
        ({"sentencepiece_model": Path("/nowhere")}, True, "unset"),
        ({"workers": 0}, True, "ASSAY_WORKERS"),
        ({"allow_anonymous": True, "hosts": "a"}, False, "ALLOW_ANONYMOUS"),
        ({}, False, "ASSAY_HOSTS"),
        ({"secure_delete": True, "database_url": "postgresql://127.0.0.1:1/x"}, True, "VACUUM"),
    ],
)
def test_contradictions(values: dict[str, Any], local: bool, advice: str, settings: Settings) -> None:
    [finding] = looked(changed(settings, **values), "settings", local)
    assert finding.state in ("warning", "problem") and advice in finding.advice


def test_folders_and_disks(settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for mode, state in ((0o755, "warning"), (0o777, "problem"), (0o700, "ok")):
        settings.data_dir.chmod(mode)
        assert looked(settings, "data folder")[0].state == state
    (settings.data_dir / ".restored").mkdir()
    assert "assay serve" in looked(settings, "data folder")[0].advice
    (settings.data_dir / ".restored").rmdir()
    assert looked(changed(settings, data_dir=tmp_path / "new" / "data"), "data folder")[0].state == "ok"
    with monkeypatch.context() as patch:
        patch.setattr(os, "access", lambda path, mode: False)
        assert [looked(each, "data folder")[0].state for each in (settings, changed(settings, data_dir=tmp_path / "x"))] == [
            "problem"
        ] * 2
    for free, state in ((10, "problem"), (1000, "warning"), (10**12, "ok"), (None, "warning")):
        monkeypatch.setattr(doctor, "free_bytes", lambda folder, free=free: free)
        assert looked(changed(settings, min_free_bytes=500), "disk of data")[0].state == state


def test_resources_and_models(settings: Settings) -> None:
    lexicon = next((settings.resources_dir / "ro-en").glob("*.safetensors"))
    raw = lexicon.read_bytes()
    lexicon.write_bytes(raw[:-1] + b"!")
    [finding] = looked(settings, "resources")
    assert finding.state == "problem" and lexicon.name in finding.detail
    lexicon.unlink()
    assert looked(settings, "resources")[0].state == "problem"
    shutil.rmtree(settings.resources_dir / "ro-en")
    assert "no resources" in looked(settings, "resources")[0].detail
    (settings.trained_models_dir / "half").mkdir(parents=True)
    (settings.trained_models_dir / "half" / "card.json").write_text("{")
    [finding] = looked(settings, "models")
    assert finding.state == "problem" and finding.detail.startswith("half cannot be used")
    shutil.rmtree(settings.models_dir / "ro-en-hter-gp-17")
    assert any("no models" in finding.detail for finding in looked(settings, "models"))


def test_a_database_that_is_not_as_it_should_be(settings: Settings) -> None:
    assert "first start" in looked(settings, "database")[0].detail
    assert not (settings.data_dir / "assay.sqlite3").exists()
    database = open_database(settings.sqlalchemy_url)
    for revision, state in (("0001", "warning"), ("9999", "problem")):
        with database.begin() as connection:
            connection.execute(text(f"UPDATE alembic_version SET version_num = '{revision}'"))
        assert looked(settings, "database")[0].state == state
    database.dispose()
    (settings.data_dir / "assay.sqlite3").write_bytes(b"x" * 5000)
    assert looked(settings, "database")[0].state == "problem"


def test_a_damaged_database_is_seen(settings: Settings) -> None:
    database = open_database(settings.sqlalchemy_url)
    keys = KeyStore(database)
    for number in range(200):
        keys.create(f"key-{number}", ["score"])
    database.dispose()
    file = settings.data_dir / "assay.sqlite3"
    with closing(sqlite3.connect(file)) as connection:
        page = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'sqlite_autoindex_api_keys_2'").fetchone()[0]
    raw = bytearray(file.read_bytes())
    raw[(page - 1) * 4096 + 8 : page * 4096] = bytes(4088)
    file.write_bytes(raw)
    [finding] = looked(settings, "integrity")
    assert finding.state == "problem" and "assay server restore" in finding.advice


def test_postgresql_is_looked_at(settings: Settings, postgres: Cluster) -> None:
    here = changed(settings, database_url=f"{postgres.address}postgres")
    assert looked(here, "database")[0].state == "warning"
    assert looked(here, "clock")[0].state == "ok"
    [finding] = looked(changed(settings, database_url="postgresql://a:secret@127.0.0.1:1/x"), "database")
    assert finding.state == "problem" and "secret" not in finding.detail


def test_keys(settings: Settings) -> None:
    database = open_database(settings.sqlalchemy_url)
    keys = KeyStore(database)
    assert [looked(settings, "keys", local)[0].detail[:20] for local in (True, False)] == [
        "there is no key, and",
        "the first start make",
    ]
    keys.create("a", ["score"], expires=time.time() - 1)
    assert [looked(settings, "keys", local)[0].state for local in (True, False)] == ["warning", "problem"]
    keys.create("b", ["score"])
    assert looked(settings, "keys", False)[0].detail == "1 keys are valid, of 2"
    database.dispose()


class Answer(BaseHTTPRequestHandler):
    """Answers what the server was told to."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(self.server.body)  # type: ignore[attr-defined]

    def log_message(self, *args: Any) -> None:
        pass


@pytest.fixture
def somebody() -> Iterator[HTTPServer]:
    server = HTTPServer(("127.0.0.1", 0), Answer)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize(
    ("body", "state"),
    [(b'{"status": "ok"}', "ok"), (b'{"detail": "loading"}', "warning"), (b"[]", "problem"), (b"<html>", "problem")],
)
def test_who_answers_at_the_port(body: bytes, state: str, settings: Settings, somebody: HTTPServer) -> None:
    somebody.body = body  # type: ignore[attr-defined]
    [finding] = looked(changed(settings, port=somebody.server_port), "port")
    assert finding.state == state


def test_a_port_that_says_nothing(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "TIMEOUT_SECONDS", 0.2)
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        assert looked(changed(settings, port=silent.getsockname()[1]), "port")[0].state == "problem"


def test_threads(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "threadpool_info", lambda: [{"user_api": "blas", "num_threads": 1000}])
    [finding] = looked(settings, "threads")
    assert finding.state == "warning" and "OPENBLAS_NUM_THREADS=1" in finding.advice


def test_the_command(settings: Settings) -> None:
    names = ("data_dir", "models_dir", "resources_dir", "port", "min_free_bytes")
    here = {f"ASSAY_{name.upper()}": str(getattr(settings, name)) for name in names}
    answer = run("server", "doctor", "-f", "json", settings=here)
    assert answer.returncode == 0, answer.stdout
    assert json.loads(answer.stdout)["healthy"] is True
    broken = run("server", "doctor", settings={**here, "ASSAY_MODELS_DIR": "/nowhere"})
    assert broken.returncode == 1 and b"set ASSAY_MODELS_DIR" in broken.stdout
