"""An assistant computes what the worker would, and the worker hears of all that happens to it."""

import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine as Database

from app.operations.operation import Plan
from app.server.jobs import Worker
from app.server.jobs.assistant import Assistant
from app.server.jobs.chunks import Chunks
from app.server.store import JobQueue, JobStore
from app.server.store.packing import pack
from app.settings import ROOT
from tests.server.jobs.fake_operations import FAKES, fake_tools, square

ON_SQLITE = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
# A process of its own: processes with threads, as those of tests may be, are not forked.
PROGRAM = """
import json, os, signal, sys, time
from pathlib import Path
from app.errors import InputError
from app.server.jobs.assistant import Assistant, AssistantGoneError
from app.server.store.packing import unpack
from tests.server.jobs.fake_operations import FAKES, fake_tools

assistant = Assistant(FAKES, fake_tools(Path(sys.argv[1])))

def output(*numbers, check=lambda: None, **params):
    return unpack(assistant.output("job", "square", params, {"numbers": numbers}, check))["rows"]

def error(*numbers, **given):
    try:
        output(*numbers, **given)
    except Exception as error:
        return [type(error).__name__, getattr(error, "code", None), list(getattr(error, "where", ()))]

class Enough(Exception):
    pass

def enough():
    raise Enough

results = {"rows": output(2, 3), "text": output(*range(14, 3000))[-1]["square"], "refusal": error(13), "failure": error(0)}
begin = time.monotonic()
results["interruption"] = error(1, seconds=60, check=enough)
results["seconds"] = time.monotonic() - begin
[row] = output(5)
results["after"] = row["square"]
os.kill(row["process"], signal.SIGTERM)
results["after SIGTERM"] = output(6)[0]["square"]
os.kill(row["process"], signal.SIGKILL)
results["end"] = error(1)
results["own"] = os.getpid()
print(json.dumps(results))
"""


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    command = [sys.executable, "-c", PROGRAM, str(tmp_path_factory.mktemp("models"))]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=True)
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def test_another_process_computes_the_output(results: dict[str, Any]) -> None:
    assert [(row["n"], row["square"]) for row in results["rows"]] == [(2, 4), (3, 9)]
    assert results["rows"][0]["process"] != results["own"] and results["text"] == 2999**2


def test_errors_are_those_of_the_work(results: dict[str, Any]) -> None:
    assert results["refusal"] == ["InputError", "segment-too-long", ["segments", 13]]
    assert results["failure"] == ["RuntimeError", None, []]


def test_an_interrupted_assistant_works_on(results: dict[str, Any]) -> None:
    assert results["interruption"][0] == "Enough" and results["seconds"] < 10
    assert (results["after"], results["after SIGTERM"]) == (25, 36)


def test_the_end_of_an_assistant_is_an_error(results: dict[str, Any]) -> None:
    assert results["end"][0] == "AssistantGoneError"


class Thread(Assistant):
    """An assistant that works in the thread of its caller."""

    def __init__(self, folder: Path) -> None:
        self.jobs: list[str] = []
        self._tools = fake_tools(folder)

    def output(self, job: str, kind: str, params: Any, chunk: Any, check: Any) -> bytes:
        self.jobs.append(job)
        check()
        context: Any = type("Context", (), {"params": params, "report": lambda *_: None})()
        return pack(square(context, chunk))


@pytest.fixture
def store(database: Database) -> JobStore:
    return JobStore(database)


@pytest.fixture
def queue(database: Database) -> JobQueue:
    return JobQueue(database, 30.0)


def run(kind: str, chunks: list[list[int]], store: JobStore, queue: JobQueue, folder: Path, **params: Any) -> tuple[Any, Thread]:
    """The view of a job after the work of a worker with an assistant."""
    assistant = Thread(folder)
    worker = Worker(FAKES, fake_tools(folder), queue, "w", os.getppid(), 20.0, assistant)
    store.create(Plan(kind, params, [(len(numbers), {"numbers": numbers}) for numbers in chunks]))
    job = queue.take("w")
    assert job is not None
    worker.work(job)
    return store.get(job.id), assistant


def test_both_work_on_chunks_and_outputs_are_in_order(store: JobStore, queue: JobQueue, tmp_path: Path) -> None:
    chunks = [[k, k + 1] for k in range(21, 60, 2)]
    job, assistant = run("square", chunks, store, queue, tmp_path, seconds=0.005)
    assert (job.state, job.done) == ("succeeded", 40) and 0 < len(assistant.jobs) < len(chunks)
    assert [row["n"] for output in store.outputs(job.id) for row in output["rows"]] == list(range(21, 61))


@ON_SQLITE
@pytest.mark.parametrize(("kind", "params"), [("learn", {"seconds": 0}), ("square", {"translate": "service"})])
def test_an_assistant_leaves_other_steps_and_services_to_the_worker(
    kind: str, params: dict[str, Any], store: JobStore, queue: JobQueue, tmp_path: Path
) -> None:
    job, assistant = run(kind, [[1], [2], [3]], store, queue, tmp_path, log=str(tmp_path / "log"), **params)
    assert job.state == "succeeded" and not assistant.jobs


@ON_SQLITE
def test_an_error_of_either_ends_the_job(store: JobStore, queue: JobQueue, tmp_path: Path) -> None:
    chunks = [[k] for k in range(1, 200)]
    for place in (12, 13):
        # One of both gets the chunk with the 13.
        job, _ = run("square", chunks[place - 12 :], store, queue, tmp_path, seconds=0.001)
        assert job.state == "failed" and job.error["type"] == "/problems/segment-too-long" and job.done < len(chunks) - 1


@ON_SQLITE
def test_a_chunk_is_given_out_once(store: JobStore, queue: JobQueue) -> None:
    job = store.create(Plan("square", {}, [(1, {"numbers": [k]}) for k in range(60)])).id
    assert queue.take("w") is not None
    chunks, numbers = Chunks(queue, job), []

    def work() -> None:
        while (chunk := chunks.take()) is not None:
            time.sleep(0.001)
            queue.save_chunk(job, "w", chunk[0], {"rows": [chunk[1]]})
            chunks.note_saved(chunk[0])
            numbers.append(chunk[0])

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(numbers) == list(range(60))
    chunks.close()
    assert chunks.take() is None
