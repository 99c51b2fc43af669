"""A disk that is full: requests are answered so, workers wait, and nothing is lost once there is room."""

import os
import signal
import sqlite3
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import httpx2
import pytest

from tests.faults.test_kill import BODY, CHUNK, PAIR, results, send_workers, until_done
from tests.servers import Server

pytestmark = [pytest.mark.faults, pytest.mark.slow]
SIZE = 64 << 20
SMALL = {"kind": "quality", "params": {**PAIR, "model": "ro-en-hter-gp-17", "segments": [{"source": "Da.", "translation": "Yes."}]}}


class Disk:
    """A small disk, which can be filled and freed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._filler = folder / "filler"

    def fill(self) -> None:
        with self._filler.open("ab", buffering=0) as file:
            for size in (1 << 20, 1 << 12):
                try:
                    while file.write(bytes(size)) == size:
                        pass
                except OSError:
                    pass

    def free(self) -> None:
        self._filler.unlink()


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Disk]:
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={SIZE}", "tmpfs", folder], capture_output=True, check=False)
    if mounted.returncode:
        pytest.skip("a small disk can be mounted by root alone, and not in every container")
    yield Disk(folder)
    subprocess.run(["umount", "--lazy", folder], check=True)


@pytest.fixture
def on_disk(disk: Disk, tmp_path: Path, ro_en: dict[str, str]) -> Iterator[Server]:
    """A server whose data, and whose temporary files, are on the small disk; its log is elsewhere."""
    temporary = disk.folder / "tmp"
    temporary.mkdir()
    server = Server(
        tmp_path,
        {**ro_en, "ASSAY_DATA_DIR": str(disk.folder / "data"), "TMPDIR": str(temporary), "ASSAY_MIN_FREE_BYTES": "0",
         "ASSAY_CHUNK_SEGMENTS": str(CHUNK)},
    )  # fmt: skip
    yield server
    server.stop()


def eventually(ready: Callable[[], bool], what: str, seconds: float = 120) -> None:
    deadline = time.monotonic() + seconds
    while not ready():
        assert time.monotonic() < deadline, what
        time.sleep(0.1)


def is_log_empty(data: Path) -> bool:
    """Give back the room that SQLite has in its write-ahead log, in which a whole job might find place."""
    with closing(sqlite3.connect(data / "assay.sqlite3", timeout=5)) as database:
        busy, _, _ = database.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    return not busy


def is_held_with_empty_log(server: Server, data: Path) -> bool:
    """Hold the worker, which may not end its job before the disk is full, unless it is writing just now."""
    send_workers(server, signal.SIGSTOP)
    if is_log_empty(data):
        return True
    send_workers(server, signal.SIGCONT)
    return False


def log_of(server: Server) -> str:
    return (server.data / "server.log").read_text()


def status_when_ready(client: httpx2.Client) -> int:
    return client.get("/health/ready").status_code


def refused(answer: httpx2.Response) -> bool:
    return answer.status_code == 507 and answer.json()["type"] == "/problems/disk-full"


def test_jobs_wait_for_room_and_nothing_is_lost(on_disk: Server, disk: Disk) -> None:
    """A job waits, a killed server begins when there is room, and below the reserve nothing new is taken."""
    on_disk.start()
    with on_disk.client() as client:
        expected = results(client, client.post("/v1/jobs", json=BODY).json()["id"])
        job = client.post("/v1/jobs", json=BODY).json()["id"]
        until_done(client, job, 4 * CHUNK)
        eventually(lambda: is_held_with_empty_log(on_disk, disk.folder / "data"), "somebody reads the log all the time")
        disk.fill()
        send_workers(on_disk, signal.SIGCONT)
        eventually(lambda: "there is no room on the disk" in log_of(on_disk), "the worker did not notice")
        # What need not be written is answered.
        assert client.post("/v1/quality", json=SMALL["params"]).status_code == 200
        large = client.post("/v1/jobs", json=BODY)
        assert refused(large), large.text
        assert refused(client.get("/health/ready")) and client.get("/health/live").status_code == 200
        form = {"kind": "quality", "params": "{}"}
        upload = client.post("/v1/jobs", data=form, files={"file": b"source\ttranslation\n" + b"Da.\tYes.\n" * 500_000})
        assert refused(upload), upload.text
        assert client.get(f"/v1/jobs/{job}").json()["state"] == "running"
        disk.free()
        eventually(lambda: status_when_ready(client) == 200, "the server did not become ready again")
        assert results(client, job) == expected
        killed = client.post("/v1/jobs", json=BODY).json()["id"]
        until_done(client, killed, 4 * CHUNK)
        assert len(client.get("/v1/jobs").json()["jobs"]) == 3
    disk.fill()
    on_disk.kill()
    # What the killed server left is still there, and nothing can be added to it.
    disk.fill()
    on_disk.environment = {**on_disk.environment, "ASSAY_MIN_FREE_BYTES": str(20 << 20)}
    starting = threading.Thread(target=on_disk.start)
    starting.start()
    time.sleep(3)
    disk.free()
    starting.join(300)
    with on_disk.client() as client:
        # Freed or not, the job was not failed: it goes on.
        assert results(client, killed) == expected
        later = client.post("/v1/jobs", json=BODY).json()["id"]
        reserve = disk.folder / "more"
        status = os.statvfs(disk.folder)
        reserve.write_bytes(bytes(status.f_bavail * status.f_frsize - (18 << 20)))
        assert refused(client.get("/health/ready"))
        assert refused(client.post("/v1/jobs", json=SMALL))
        judged = {"segments": [{"source": "Da.", "translation": "Yes.", "score": 0.5}]}
        assert refused(client.post("/v1/feedback", json={**PAIR, "label": "hter", **judged}))
        # What was taken before ends.
        assert results(client, later) == expected
        reserve.unlink()
        assert status_when_ready(client) == 200
        assert client.post("/v1/jobs", json=SMALL).status_code == 202
    assert on_disk.stop() == 0
    with sqlite3.connect(disk.folder / "data" / "assay.sqlite3") as database:
        assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
