"""A server that is killed in the middle of a job goes on where it was, and nobody can tell from the result."""

import signal
import subprocess
import time

import httpx2
import pytest

from tests.conftest import Server, wait_for_job

pytestmark = [pytest.mark.faults, pytest.mark.slow]
SENTENCES = ("Guvernul numește un prefect în fiecare județ.", "Casa este mare, iar grădina este mică.", "Bună ziua!")
ROWS = [
    {"source": f"{SENTENCES[i % 3]} {i}", "translation": f"The government {i} appoints a prefect ({i % 7}) in each county."}
    for i in range(20_000)
]
BODY = {"kind": "quality", "params": {"source_language": "ro", "target_language": "en", "segments": ROWS}}


def until_done(client: httpx2.Client, job: str, done: int) -> None:
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        view = client.get(f"/v1/jobs/{job}").json()
        if view["done"] >= done:
            assert view["state"] == "running", "the job was over before it could be killed"
            return
        time.sleep(0.02)
    raise AssertionError("no progress")


def results(client: httpx2.Client, job: str) -> list[bytes]:
    assert wait_for_job(client, job)["state"] == "succeeded"
    return [client.get(f"/v1/jobs/{job}/result?format={form}").content for form in ("json", "jsonl", "tsv")]


def workers(server: Server) -> list[int]:
    assert server.process is not None
    found = subprocess.run(["pgrep", "-P", str(server.process.pid)], capture_output=True, text=True, check=False)
    return [int(pid) for pid in found.stdout.split()]


def test_killed_and_started_again(own_server: Server) -> None:
    own_server.start()
    with own_server.client() as client:
        undisturbed = client.post("/v1/jobs", json=BODY).json()["id"]
        expected = results(client, undisturbed)
        job = client.post("/v1/jobs", json=BODY).json()["id"]
        until_done(client, job, 4000)
    own_server.kill()
    own_server.start()
    with own_server.client() as client:
        view = client.get(f"/v1/jobs/{job}").json()
        assert view["state"] == "running"
        assert view["done"] >= 4000
        until_done(client, job, view["done"] + 1000)
        # And once more, this time with the worker first.
        for pid in workers(own_server):
            subprocess.run(["kill", "-KILL", str(pid)], check=True)
        until_done(client, job, view["done"] + 2000)
    own_server.kill()
    own_server.start()
    with own_server.client() as client:
        assert results(client, job) == expected
        assert client.get(f"/v1/jobs/{job}").json()["done"] == 20_000


def test_sigterm_drains(own_server: Server) -> None:
    own_server.start()
    with own_server.client() as client:
        job = client.post("/v1/jobs", json=BODY).json()["id"]
        until_done(client, job, 1000)
    before = workers(own_server)
    assert before
    assert own_server.stop() in (0, -signal.SIGTERM)
    for pid in before:
        assert subprocess.run(["kill", "-0", str(pid)], capture_output=True, check=False).returncode != 0
    own_server.start()
    with own_server.client() as client:
        view = client.get(f"/v1/jobs/{job}").json()
        assert view["done"] % 500 == 0
        assert wait_for_job(client, job)["state"] == "succeeded"
