"""A PostgreSQL that is stopped and started again needs no restart of Assay: requests are refused for a while, and nothing is lost."""

import time
from collections.abc import Callable

import httpx2
import pytest

from tests.databases import running_cluster
from tests.faults.test_kill import BODY, CHUNK, PAIR, until_done
from tests.servers import Server, wait_for_job

pytestmark = [pytest.mark.faults, pytest.mark.slow]
SMALL = {"kind": "quality", "params": {**PAIR, "segments": [{"source": "Casa.", "translation": "House."}]}}


def wait_until(ready: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 120
    while not ready():
        assert time.monotonic() < deadline
        time.sleep(0.1)


def status(client: httpx2.Client, path: str) -> int:
    return client.get(path).status_code


def test_postgresql_starts_later_and_is_started_again(own_server: Server) -> None:
    with running_cluster() as cluster:
        own_server.environment = {
            **own_server.environment, "ASSAY_DATABASE_URL": cluster.new_database(), "ASSAY_CHUNK_SEGMENTS": str(CHUNK),
            "ASSAY_DRAIN_SECONDS": "300",
        }  # fmt: skip
        cluster.stop()
        own_server.begin()
        wait_until(lambda: b"waiting for it" in (own_server.data / "server.log").read_bytes())
        assert own_server.process is not None
        process = own_server.process.pid
        with own_server.client() as client:
            assert status(client, "/health/live") == 200 and status(client, "/health/ready") == 503
            cluster.start()
            wait_until(lambda: status(client, "/health/ready") == 200)
            undisturbed = client.post("/v1/jobs", json=BODY).json()["id"]
            wait_for_job(client, undisturbed)
            job = client.post("/v1/jobs", json=BODY).json()["id"]
            until_done(client, job, 4 * CHUNK)
            cluster.stop()
            for answer in (client.get(f"/v1/jobs/{job}"), client.post("/v1/jobs", json=SMALL), client.get("/v1/feedback")):
                assert (answer.status_code, answer.json()["type"]) == (503, "/problems/database-unavailable"), answer.text
                assert answer.headers["content-type"] == "application/problem+json" and "retry-after" in answer.headers
            wait_until(lambda: status(client, "/health/ready") == 503)
            assert status(client, "/health/live") == 200
            cluster.start()
            wait_until(lambda: status(client, "/health/ready") == 200)
            small = client.post("/v1/jobs", json=SMALL)
            assert small.status_code == 202
            assert wait_for_job(client, small.json()["id"])["state"] == "succeeded"
            view = wait_for_job(client, job)
            assert (view["state"], view["done"]) == ("succeeded", len(BODY["params"]["segments"]))  # type: ignore[index]
            results = [client.get(f"/v1/jobs/{id}/result?format=tsv").content for id in (undisturbed, job)]
            assert results[0] == results[1]
            assert own_server.process.poll() is None and own_server.process.pid == process
            # An idle server ends at once, though it would wait long for requests.
            assert own_server.stop() == 0
