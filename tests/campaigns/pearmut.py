"""A server of the installed Pearmut, which wants a newer Python than Assay: `make .venv/.pearmut` installs it apart."""

import os
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2

from tests.servers import free_port

__all__ = ["PearmutServer", "pearmut_python"]


def pearmut_python() -> Path | None:
    """Python of an environment with Pearmut; None if it is not installed."""
    program = shutil.which("pearmut", path=f"{sys.prefix}/pearmut/bin{os.pathsep}{os.environ.get('PATH', '')}")
    return None if program is None else Path(program).parent / "python"


@dataclass
class PearmutServer:
    """Pearmut with its data in a folder."""

    python: Path
    folder: Path
    port: int = field(default_factory=free_port)
    process: subprocess.Popen[bytes] | None = None

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def _environment(self) -> dict[str, str]:
        outside = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
        return {**outside, "PEARMUT_ROOT": str(self.folder)}

    def add(self, campaign: Path) -> str:
        """Output of `pearmut add`."""
        (self.folder / "data").mkdir(exist_ok=True)
        program = str(self.python.parent / "pearmut")
        done = subprocess.run([program, "add", str(campaign)], env=self._environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def start(self) -> None:
        # `pearmut run` would listen at every address.
        command = [str(self.python), "-m", "uvicorn", "pearmut.app:app", "--host", "127.0.0.1", "--port", str(self.port)]
        with (self.folder / "server.log").open("ab") as log:
            self.process = subprocess.Popen(command, env=self._environment, stdout=log, stderr=log)
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline:
            if self.process.poll() is not None:
                break
            try:
                if httpx2.get(f"{self.address}/annotate").status_code == 200:
                    return
            except httpx2.TransportError:
                time.sleep(0.2)
        raise RuntimeError((self.folder / "server.log").read_text())

    def stop(self) -> None:
        if self.process is not None:
            self.process.terminate()
            self.process.wait(30)

    def post(self, path: str, **body: Any) -> Any:
        response = httpx2.post(f"{self.address}/{path}", json=body)
        assert response.status_code == 200, response.text
        return response.json()

    def users(self, campaign_id: str) -> list[str]:
        """Names that Pearmut gave to the annotators."""
        return list(self.post("dashboard-data", campaign_id=campaign_id)["data"])

    def download(self, campaign_id: str) -> bytes:
        """Annotations as the dashboard downloads them."""
        return httpx2.get(f"{self.address}/download-annotations", params={"campaign_id": campaign_id}).content

    def log(self, campaign_id: str) -> Path:
        """File of annotations on the disk of the server."""
        return self.folder / "data" / "annotations" / f"{campaign_id}.jsonl"
