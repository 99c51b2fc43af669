"""A server that is killed in the middle of a job goes on where it was, and nobody can tell from the result."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from app.settings import ROOT
from tests.servers import Server, wait_for_job

pytestmark = [pytest.mark.faults, pytest.mark.slow]
SENTENCES = ("Guvernul numește un prefect în fiecare județ.", "Casa este mare, iar grădina este mică.", "Bună ziua!")
ROWS = [
    {"source": f"{SENTENCES[i % 3]} {i}", "translation": f"The government {i} appoints a prefect ({i % 7}) in each county."}
    for i in range(600)
]
MODEL = "ro-en-hter-gp-17"
PAIR = {"source_language": "ro", "target_language": "en"}
# A job of BODY has twenty chunks.
CHUNK = 30
BODY = {"kind": "quality", "params": {**PAIR, "model": MODEL, "segments": ROWS}}


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
    found = subprocess.run(
        ["pgrep", "-P", str(server.process.pid), "-f", "app.server.jobs.worker"], capture_output=True, text=True, check=False
    )
    return [int(pid) for pid in found.stdout.split()]


def send_workers(server: Server, number: signal.Signals) -> None:
    """Send a signal to every worker of a server."""
    for pid in workers(server):
        os.kill(pid, number)


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory, ro_en: dict[str, str]) -> Iterator[Server]:
    """A server that runs before and after each test, whatever happens between."""
    server = Server(tmp_path_factory.mktemp("killed"), {**ro_en, "ASSAY_CHUNK_SEGMENTS": str(CHUNK)})
    server.start()
    yield server
    server.stop()


def next_worker(server: Server, old: int) -> int:
    """The worker that a server starts in place of one that was killed; it has only begun to load."""
    deadline = time.monotonic() + 60
    while not (found := [pid for pid in workers(server) if pid != old]):
        assert time.monotonic() < deadline, "no other worker was started"
        time.sleep(0.02)
    return found[0]


def test_killed_and_started_again(running: Server) -> None:
    with running.client() as client:
        undisturbed = client.post("/v1/jobs", json=BODY).json()["id"]
        expected = results(client, undisturbed)
        post_edited = {"model": MODEL, "source": "Casa.", "translation": "House.", "post_edit": "The house."}
        assert client.post("/v1/feedback", json=post_edited).status_code == 202
        client.post(f"/v1/models/{MODEL}/promote", json={}).raise_for_status()
        job = client.post("/v1/jobs", json=BODY).json()["id"]
        until_done(client, job, 4 * CHUNK)
    running.kill()
    running.start()
    with running.client() as client:
        view = client.get(f"/v1/jobs/{job}").json()
        assert view["state"] == "running"
        assert view["done"] >= 4 * CHUNK
        until_done(client, job, view["done"] + CHUNK)
        # And once more, this time with the worker first; the next one is still loading, and does not outlive its server.
        [worker] = workers(running)
        os.kill(worker, signal.SIGKILL)
        loading = next_worker(running, worker)
    running.kill()
    running.start()
    deadline = time.monotonic() + 200
    while Path(f"/proc/{loading}").exists():
        assert time.monotonic() < deadline, "a worker outlived its server"
        time.sleep(0.1)
    with running.client() as client:
        assert results(client, job) == expected
        assert client.get(f"/v1/jobs/{job}").json()["done"] == len(ROWS)
        assert client.get("/v1/feedback").json()["feedback"][0]["segments"] == 1
        assert client.get(f"/v1/models/{MODEL}").json()["answers"]


def test_a_training_whose_worker_is_killed_gives_the_same_model(running: Server) -> None:
    labelled = [{**row, "label": (i % 11) / 10} for i, row in enumerate(ROWS[:300])]
    body = {"kind": "train", "params": {**PAIR, "label": "hter", "feature_set": "quest-baseline-17", "segments": labelled}}
    with running.client() as client:
        undisturbed = client.post("/v1/jobs", json=body).json()["id"]
        first = wait_for_job(client, undisturbed)["summary"]["model"]  # type: ignore[index]
        job = client.post("/v1/jobs", json=body).json()["id"]
        until_done(client, job, 300)
        # All features are there: it learns now.
        send_workers(running, signal.SIGKILL)
        view = wait_for_job(client, job)
        assert view["state"] == "succeeded", view["error"]
        second = view["summary"]["model"]  # type: ignore[index]
    folder = running.data / "models"
    assert (folder / first / "arrays.safetensors").read_bytes() == (folder / second / "arrays.safetensors").read_bytes()
    assert [path for path in folder.iterdir() if path.name.startswith(".")] == []


def test_a_tuning_whose_worker_is_killed_gives_the_same_weights(running: Server) -> None:
    """The curve is watched until some restarts are over, so that there is something to go on from."""
    texts = [f"the house {i} is {'very ' * (i % 4)}big and old" for i in range(200)]
    lists = [
        [
            {
                "text": " ".join(text.split()[: 3 + k]),
                "features": {"x": [float(k * (i % 7))], "y": [float((k * 31 + i) % 11)], "z": [1.5 - k]},
            }
            for k in range(12)
        ]
        for i, text in enumerate(texts)
    ]
    with running.client() as client:
        # As long as this machine needs to be caught at work; it is held while one looks whether it was.
        for restarts in (400, 2_000, 10_000):
            params = {
                "n_best": lists,
                "references": {"A": texts},
                "method": f"mert|restarts:{restarts}",
                "metric": "bleu",
                "runs": 2,
            }
            job = client.post("/v1/jobs", json={"kind": "tune", "params": params}).json()["id"]
            until_sought(client, job)
            send_workers(running, signal.SIGSTOP)
            if client.get(f"/v1/jobs/{job}").json()["state"] == "running":
                break
            send_workers(running, signal.SIGCONT)
        else:
            raise AssertionError("every job was over before it could be killed")
        send_workers(running, signal.SIGKILL)
        view = wait_for_job(client, job)
        assert view["state"] == "succeeded", view["error"]
        undisturbed = wait_for_job(client, client.post("/v1/jobs", json={"kind": "tune", "params": params}).json()["id"])
        assert view["summary"] == undisturbed["summary"]


def until_sought(client: httpx2.Client, job: str) -> None:
    """Wait until a tuning has published some of its curves, or is over."""
    deadline = time.monotonic() + 60
    while client.get(f"/v1/jobs/{job}").json()["state"] != "succeeded":
        if sum(len(run["curve"]) for run in client.get(f"/tune/jobs/{job}/curves.json").json()["runs"]) >= 8:
            return
        assert time.monotonic() < deadline, "no progress"
        time.sleep(0.02)


def test_a_training_in_the_shell_goes_on_where_it_was_killed(tmp_path: Path, ro_en: dict[str, str]) -> None:
    rows = [f"{row['source']}\t{row['translation']}\t{(i % 11) / 10}" for i, row in enumerate(ROWS[:300])]
    (tmp_path / "t.tsv").write_text("source\ttranslation\tlabel\n" + "\n".join(rows) + "\n", encoding="utf-8")
    command = [sys.executable, "-m", "app", "train", str(tmp_path / "t.tsv"), "--pair", "ro-en", "--label", "hter",
               "--learner", "ridge", "--feature-set", "blackbox-79"]  # fmt: skip

    def start(data: str) -> subprocess.Popen[bytes]:
        settings = {**ro_en, "ASSAY_DATA_DIR": str(tmp_path / data), "ASSAY_CHUNK_SEGMENTS": "25"}
        return subprocess.Popen(command, cwd=ROOT, env={**os.environ, **settings})

    def kill_when(there: str) -> None:
        process, deadline = start("killed"), time.monotonic() + 120
        while not list((tmp_path / "killed").glob(f".train-*/{there}")):
            assert time.monotonic() < deadline and process.poll() is None
            time.sleep(0.002)
        process.send_signal(signal.SIGKILL)
        process.wait()

    def parts() -> dict[Path, int]:
        return {path: path.stat().st_mtime_ns for path in (tmp_path / "killed").glob(".train-*/*.json")}

    kill_when("3.json")
    first = parts()
    assert 4 <= len(first) < 12
    # And once more, while it learns.
    kill_when("finish.journal")
    assert len(parts()) == 12
    assert parts().items() >= first.items()
    assert start("killed").wait(120) == 0
    assert start("undisturbed").wait(120) == 0
    models = [tmp_path / name / "models" / "ro-en-hter-ridge-79" / "arrays.safetensors" for name in ("killed", "undisturbed")]
    assert models[0].read_bytes() == models[1].read_bytes()
    assert [path.name for path in (tmp_path / "killed").iterdir()] == ["models"]
    assert [path.name for path in (tmp_path / "killed" / "models").iterdir()] == ["ro-en-hter-ridge-79"]
