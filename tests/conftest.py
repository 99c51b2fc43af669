"""Fixtures that many tests share: the loaded engine, a server in its own process, the shared data."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import httpx2
import hypothesis
import pytest

from app.engine import Engine
from app.settings import ROOT, Settings
from tests.databases import database, database_url, postgres

__all__ = ["database", "database_url", "postgres"]

SHARED = ROOT.parent / "shared"
# Kernels may be compiled inside a test, and the machine may be busy: speed is for benchmarks.
hypothesis.settings.register_profile("assay", deadline=None)
hypothesis.settings.load_profile("assay")


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real data and reference values, which lies outside the repository."""
    if not SHARED.is_dir():
        pytest.skip("the reference data is not on this machine")
    return SHARED


@pytest.fixture(scope="session")
def engine() -> Engine:
    """Everything that ships, loaded."""
    settings = Settings()
    return Engine.load(settings.resources_dir, settings.models_dir)


@dataclass
class Server:
    """`assay serve` in a process of its own."""

    data: Path
    port: int
    environment: dict[str, str] = field(default_factory=dict)
    process: subprocess.Popen[bytes] | None = None

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        environment = {**os.environ, "ASSAY_DATA_DIR": str(self.data), **self.environment}
        command = [sys.executable, "-m", "app", "serve", "--port", str(self.port)]
        with (self.data / "server.log").open("ab") as log:
            self.process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=log, stderr=log)
        deadline = time.monotonic() + 300
        while time.monotonic() < deadline:
            if self.process.poll() is not None:
                raise RuntimeError((self.data / "server.log").read_text())
            try:
                if httpx2.get(f"{self.address}/health/ready").status_code == 200:
                    return
            except httpx2.TransportError:
                pass
            time.sleep(0.1)
        raise RuntimeError("the server did not become ready: " + (self.data / "server.log").read_text())

    def kill(self) -> None:
        """SIGKILL: no chance to tidy up."""
        assert self.process is not None
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def stop(self) -> int:
        """SIGTERM, and the exit code."""
        assert self.process is not None
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        return self.process.wait(60)

    def client(self) -> httpx2.Client:
        return httpx2.Client(base_url=self.address, timeout=120)


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One running server for all tests that only ask."""
    running = Server(tmp_path_factory.mktemp("data"), free_port())
    running.start()
    yield running
    running.stop()


@pytest.fixture(scope="session")
def client(server: Server) -> Iterator[httpx2.Client]:
    with server.client() as each:
        yield each


@pytest.fixture
def own_server(tmp_path: Path) -> Iterator[Server]:
    """A server not yet started, for a test that harms it."""
    running = Server(tmp_path, free_port())
    yield running
    if running.process is not None:
        running.stop()


def wait_for_job(client: httpx2.Client, job: str, seconds: float = 240) -> dict[str, object]:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        view: dict[str, object] = client.get(f"/v1/jobs/{job}").json()
        if view["state"] in ("succeeded", "failed", "cancelled"):
            return view
        time.sleep(0.1)
    raise AssertionError(f"the job did not end: {view}")
