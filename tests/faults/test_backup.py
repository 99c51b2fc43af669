"""A backup of a running server, in the middle of a job, restored elsewhere: the job goes on there to the right bytes."""

import os
import signal
from pathlib import Path

import pytest

from app.server.store import KeyStore, open_database
from tests.commands import assay
from tests.faults.test_kill import BODY, CHUNK, PAIR, ROWS, results, until_done, workers
from tests.servers import Server, wait_for_job

pytestmark = [pytest.mark.faults, pytest.mark.slow]


def test_a_backup_of_a_running_server(own_server: Server, tmp_path_factory: pytest.TempPathFactory, ro_en: dict[str, str]) -> None:
    outside = tmp_path_factory.mktemp("backups")
    own_server.environment = {**own_server.environment, "ASSAY_LEASE_SECONDS": "600", "ASSAY_CHUNK_SEGMENTS": str(CHUNK)}
    own_server.start()
    with own_server.client() as client:
        labelled = [{**row, "label": (i % 11) / 10} for i, row in enumerate(ROWS[:100])]
        training = {"kind": "train", "params": {**PAIR, "label": "hter", "learner": "ridge", "segments": labelled}}
        trained = wait_for_job(client, client.post("/v1/jobs", json=training).json()["id"])
        model = trained["summary"]["model"]  # type: ignore[index]
        client.post(f"/v1/models/{model}/promote", json={"reason": "better"}).raise_for_status()
        judged = {**PAIR, "label": "hter", "segments": [{**ROWS[0], "score": 0.5}]}
        client.post("/v1/feedback", json=judged).raise_for_status()
        job = client.post("/v1/jobs", json=BODY, headers={"Idempotency-Key": "k"}).json()["id"]
        until_done(client, job, 4 * CHUNK)
        # A command takes its time to begin, and the job is to be in its middle then.
        [worker] = workers(own_server)
        os.kill(worker, signal.SIGSTOP)
        saved = assay("server", "backup", str(outside / "b.tar"), data=own_server.data)
        assert saved.returncode == 0, saved.stderr
        # It is looked at, and left alone, while it is used.
        refused = assay("server", "restore", str(outside / "b.tar"), "--force", data=own_server.data)
        assert refused.returncode == 2 and "stop it first" in refused.stderr
        os.kill(worker, signal.SIGCONT)
        expected = results(client, job)
        before = {path: client.get(path).json() for path in ("/v1/feedback", f"/v1/models/{model}")}
    own_server.stop()
    other = Server(tmp_path_factory.mktemp("other"), ro_en)
    assert assay("server", "restore", str(outside / "b.tar"), data=other.data).returncode == 0
    _, token = KeyStore(open_database(f"sqlite:///{other.data / 'assay.sqlite3'}")).create("root", ["admin"])
    other.start()
    try:
        with other.client() as client:
            client.headers["Authorization"] = f"Bearer {token}"
            assert client.get(f"/v1/jobs/{job}").json()["state"] == "running"
            assert client.post("/v1/jobs", json=BODY, headers={"Idempotency-Key": "k"}).status_code in (202, 409)
            assert results(client, job) == expected
            after = {path: client.get(path).json() for path in before}
            assert after["/v1/feedback"] == before["/v1/feedback"]
            for name in ("sha256", "answers", "promotions", "versions"):
                assert after[f"/v1/models/{model}"][name] == before[f"/v1/models/{model}"][name]
    finally:
        other.stop()
    folder = Path("models") / model
    for name in ("arrays.safetensors", "card.json", "rows.npz"):
        assert (own_server.data / folder / name).read_bytes() == (other.data / folder / name).read_bytes()
