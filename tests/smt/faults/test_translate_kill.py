"""A job of translations that is killed goes on behind its last chunk, and nobody can tell from the result."""

from pathlib import Path

import pytest

from tests.faults.test_kill import results, until_done
from tests.servers import Server, wait_for_job
from tests.smt.decoder.toy_systems import add_toy_systems

pytestmark = [pytest.mark.faults, pytest.mark.slow]
WORDS = ("casa mea", "un om", "casa", "este mare", "doarme aici", "este roșie și mare", "acolo")
PAIR = {"source_language": "ro", "target_language": "en"}
SOURCES = [f"{WORDS[i % 7]} {WORDS[i // 7 % 7]} {WORDS[i // 49 % 7]} {i} ." for i in range(600)]
CHUNK = 30


def test_a_killed_job_goes_on_with_its_own_system_alone(own_server: Server, tmp_path: Path) -> None:
    resources = own_server.data / "resources"
    add_toy_systems(resources, tmp_path / "systems")
    body = {"kind": "translate", "params": {**PAIR, "segments": SOURCES, "n_best": 5}}
    own_server.environment = {**own_server.environment, "ASSAY_CHUNK_SEGMENTS": str(CHUNK)}
    own_server.start()
    with own_server.client() as client:
        expected = results(client, client.post("/v1/jobs", json=body).json()["id"])
        job = client.post("/v1/jobs", json=body).json()["id"]
        until_done(client, job, CHUNK)
    own_server.kill()
    (resources / "ro-en" / "system").rename(tmp_path / "taken-away")
    own_server.start()
    with own_server.client() as client:
        view = wait_for_job(client, job)
        assert view["state"] == "failed" and view["error"]["type"] == "/problems/missing-system"  # type: ignore[index]
    own_server.stop()
    (tmp_path / "taken-away").rename(resources / "ro-en" / "system")
    own_server.start()
    with own_server.client() as client:
        again = client.post(f"/v1/jobs/{job}/retry").json()
        assert again["done"] >= CHUNK
        assert results(client, again["id"]) == expected
        job = client.post("/v1/jobs", json=body).json()["id"]
        until_done(client, job, CHUNK)
        assert client.delete(f"/v1/jobs/{job}").status_code == 200
        assert wait_for_job(client, job)["state"] == "cancelled"
