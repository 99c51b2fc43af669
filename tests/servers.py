"""Servers in processes of their own, and what tests wait for."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import httpx2

from app.settings import ROOT

__all__ = ["Server", "free_port", "small_house", "wait_for_job"]


@dataclass
class Server:
    """`assay serve`, with everything that ships unless its environment says otherwise."""

    data: Path
    environment: Mapping[str, str] = field(default_factory=dict)
    port: int = field(default_factory=lambda: free_port())
    process: subprocess.Popen[bytes] | None = None
    root: Path = ROOT

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def begin(self) -> None:
        """Start it without waiting until it is ready."""
        environment = {**os.environ, "ASSAY_DATA_DIR": str(self.data), **self.environment}
        command = [sys.executable, "-m", "app", "serve", "--port", str(self.port)]
        with (self.data / "server.log").open("ab") as log:
            self.process = subprocess.Popen(command, cwd=self.root, env=environment, stdout=log, stderr=log)

    def start(self) -> None:
        """Start it, and wait until it is ready."""
        self.begin()
        assert self.process is not None
        deadline = time.monotonic() + 300
        with self.client(5) as client:
            while time.monotonic() < deadline:
                if self.process.poll() is not None:
                    raise RuntimeError((self.data / "server.log").read_text())
                try:
                    if client.get("/health/ready").status_code == 200:
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

    def stop(self) -> int | None:
        """SIGTERM, and the exit code; None where it was never started."""
        if self.process is None:
            return None
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        return self.process.wait(60)

    def client(self, timeout: float = 120) -> httpx2.Client:
        """One that reads no certificates, which takes 40 ms each time and is of no use here."""
        return httpx2.Client(base_url=self.address, timeout=timeout, verify=False)


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def small_house(folder: Path, *pairs: str) -> dict[str, str]:
    """The settings of a house with a few pairs' resources and models alone, ready in a third of the time; made in `folder`."""
    names = {
        "resources": {"function_words.json", *pairs, *(language for pair in pairs for language in pair.split("-"))},
        "models": {"metrics", "cross-e5-small", *(path.name for pair in pairs for path in (ROOT / "models").glob(f"{pair}-*"))},
    }
    for part, inside in names.items():
        (folder / part).mkdir()
        for name in inside:
            (folder / part / name).symlink_to(ROOT / part / name)
    return {f"ASSAY_{part.upper()}_DIR": str(folder / part) for part in names}


def wait_for_job(client: httpx2.Client, job: str, seconds: float = 240) -> dict[str, object]:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        view: dict[str, object] = client.get(f"/v1/jobs/{job}").json()
        if view["state"] in ("succeeded", "failed", "cancelled"):
            return view
        time.sleep(0.1)
    raise AssertionError(f"the job did not end: {view}")
