"""A server without workers, and `assay server work` on another machine: its model answers at the server."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from app.settings import ROOT
from tests.databases import new_database
from tests.servers import Server, small_house, wait_for_job

pytestmark = pytest.mark.faults
PAIR = {"source_language": "ro", "target_language": "en"}


def test_a_model_that_another_machine_trained_answers_here(request: pytest.FixtureRequest, tmp_path: Path) -> None:
    request.param = "postgres"
    house = small_house(tmp_path, "ro-en")
    environment = {
        **house,
        "ASSAY_DATABASE_URL": new_database(request, tmp_path),
        "ASSAY_MODEL_STORE": str(tmp_path / "store"),
        "ASSAY_ENCODER": "none",
    }
    (tmp_path / "here").mkdir()
    server = Server(tmp_path / "here", {**environment, "ASSAY_WORKERS": "0"})
    there = {**os.environ, **environment, "ASSAY_DATA_DIR": str(tmp_path / "there"), "ASSAY_WORKER_PAIRS": "ro-en"}
    workers = None
    try:
        server.start()
        with server.client() as client:
            segments = [
                {
                    "source": f"Casa numărul {k} este {'foarte ' * (k % 4)}mare.",
                    "translation": f"House {k} is{' is' * (k % 3)} big.",
                }
                for k in range(160)
            ]
            labelled = [{**row, "label": k % 3 / 3 + k % 4 / 40} for k, row in enumerate(segments)]
            params = {
                **PAIR,
                "label": "hter",
                "learner": "ridge",
                "feature_set": "quest-baseline-17",
                "segments": labelled,
                "name": "made-there",
            }
            job = client.post("/v1/jobs", json={"kind": "train", "params": params}).json()["id"]
            time.sleep(1)
            assert client.get(f"/v1/jobs/{job}").json()["state"] == "queued"
            workers = subprocess.Popen([sys.executable, "-m", "app", "server", "work"], cwd=ROOT, env=there)
            view = wait_for_job(client, job)
            assert view["state"] == "succeeded", view["error"]
            summary: dict[str, object] = view["summary"]  # type: ignore[assignment]
            question = {**PAIR, "model": summary["model"], "segments": segments[:2]}
            deadline = time.monotonic() + 30
            while (answer := client.post("/v1/quality", json=question)).status_code != 200:
                assert time.monotonic() < deadline, answer.text
                time.sleep(0.2)
            listing = subprocess.run(
                [sys.executable, "-m", "app", "server", "workers"], cwd=ROOT, env=there, capture_output=True, text=True, check=True
            )
            assert "ro-en" in listing.stdout
        workers.send_signal(signal.SIGTERM)
        assert workers.wait(60) == 0
        listing = subprocess.run(
            [sys.executable, "-m", "app", "server", "workers"], cwd=ROOT, env=there, capture_output=True, text=True, check=True
        )
        assert "ro-en" not in listing.stdout
    finally:
        if workers is not None and workers.poll() is None:
            workers.kill()
        server.stop()
