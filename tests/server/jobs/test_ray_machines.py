"""Workers on a cluster of Ray: jobs end there, after a kill too."""

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from app.errors import InputError
from app.operations.operation import Plan
from app.server.jobs import RayExecutor
from app.server.store import FINAL_STATES, JobStore, open_database
from app.settings import ROOT, Settings
from tests.databases import new_database

pytestmark = pytest.mark.faults
ray: Any = pytest.importorskip("ray", reason="the extra cluster is not installed")
CHUNKS = [(1, {"numbers": [number]}) for number in range(4)]


@pytest.fixture(scope="module")
def cluster() -> Iterator[None]:
    path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, runtime_env={"env_vars": {"PYTHONPATH": path}})
    yield
    ray.shutdown()


def test_jobs_end_on_the_cluster(cluster: None, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    request.param = "postgres"
    url = new_database(request, tmp_path)
    settings = Settings(data_dir=tmp_path / "data", database_url=url, workers=2, drain_seconds=5, lease_seconds=3, cluster="auto")
    database = open_database(url)
    store = JobStore(database)
    executor = RayExecutor(settings, "tests.server.jobs.fake_operations")
    executor.start()
    try:
        deadline = time.monotonic() + 60
        while executor.alive() < 2:
            assert time.monotonic() < deadline
        log = tmp_path / "log"
        job = store.create(Plan("record", {"log": str(log), "seconds": 0.05}, CHUNKS)).id
        while not log.exists() or len(log.read_text().split()) < 25:
            assert time.monotonic() < deadline
            time.sleep(0.05)
        pids = workers_of(settings.data_dir)
        assert pids
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
        while (view := store.get(job)).state not in FINAL_STATES:
            assert time.monotonic() < deadline
            time.sleep(0.05)
        assert view.state == "succeeded" and view.done == len(CHUNKS)
    finally:
        executor.stop()
        database.dispose()
    assert executor.alive() == 0


def workers_of(data: Path) -> list[int]:
    """Worker processes of a data folder: another test beside this one has workers of the same module."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            command, environment = (process / "cmdline").read_bytes(), (process / "environ").read_bytes()
        except OSError:
            continue
        if b"tests.server.jobs.fake_operations" in command and os.fsencode(data) in environment:
            found.append(int(process.name))
    return found


def test_a_cluster_needs_postgresql(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="need PostgreSQL"):
        RayExecutor(Settings(data_dir=tmp_path, cluster="auto"))
