"""`assay serve` says where it is once somebody can connect, and nothing of the kind where it cannot be."""

import os
import re
import subprocess
import sys
from pathlib import Path

import httpx2
import pytest

from app.errors import InputError
from app.running.processors import available_processors
from app.settings import Settings
from app.shell.commands.server.serving import serve
from app.shell.options.server.serving import ServeOptions
from tests.servers import ROOT, small_house


def test_a_port_that_the_system_chose_is_named(tmp_path: Path) -> None:
    environment = {**os.environ, **small_house(tmp_path), "ASSAY_DATA_DIR": str(tmp_path / "data"), "ASSAY_WORKERS": "0"}
    serve = [sys.executable, "-m", "app", "serve", "--port"]
    with subprocess.Popen([*serve, "0"], cwd=ROOT, env=environment, stderr=subprocess.PIPE, text=True) as server:
        try:
            assert server.stderr is not None
            found = None
            while found is None and (line := server.stderr.readline()):
                found = re.match(r"Assay is at (http://127\.0\.0\.1:([1-9][0-9]*)) ", line)
            assert found is not None
            assert httpx2.get(f"{found[1]}/health/live").status_code == 200
            taken = subprocess.run([*serve, found[2]], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60)
            assert taken.returncode == 3 and "Assay is at" not in taken.stderr and "address already in use" in taken.stderr
        finally:
            server.terminate()
            server.stderr.read()
            assert server.wait(60) == 0


def test_several_processes_are_for_linux(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setenv("ASSAY_DATA_DIR", str(tmp_path))
    with pytest.raises(InputError, match="several processes share memory under Linux alone; use 1 here"):
        serve(ServeOptions(processes=2))
    monkeypatch.delenv("ASSAY_PROCESSES")
    assert Settings().answering_processes == 1
    monkeypatch.setattr(sys, "platform", "linux")
    assert Settings().answering_processes == min(4, available_processors())
    assert Settings(processes=3).answering_processes == 3


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        ("ASSAY_WORKERS", "0", "ASSAY_WORKERS is 0"),
        ("ASSAY_WORKER_PAIRS", "en-de,roen", "ASSAY_WORKER_PAIRS: roen is no language pair; write pairs with commas"),
        ("ASSAY_MODEL_STORE", "nowhere://models", "nowhere://models cannot be opened"),
        ("ASSAY_DATABASE_URL", "", "need the server's PostgreSQL"),
    ],
)
def test_workers_that_could_do_nothing_are_refused(name: str, value: str, reason: str, tmp_path: Path) -> None:
    environment = {
        **os.environ,
        "ASSAY_DATA_DIR": str(tmp_path),
        "ASSAY_DATABASE_URL": "postgresql://nobody@127.0.0.1:9/x",
        name: value,
    }
    command = [sys.executable, "-m", "app", "server", "work"]
    answer = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60)
    assert answer.returncode == 2 and reason in answer.stderr and "Traceback" not in answer.stderr
